"""Eight videos of a colour that the pocket has not seen: does it make what is asked for in that colour afterwards?

The prompts are those of the report card, of a world with one colour more, and nobody trained on them. The first frame
of each video that is made is read as the report card reads pictures: the colours that are there are those asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.media import write_clip
from engine import Engine
from pocket.world import make_episode
from pocket.world.episode import HELD_OUT_FROM, Episode
from pocket.world.making import Settings
from pocket.world.prompts import Prompt, draw_prompt
from pocket.world.reading import mark, read_picture
from studio.requests import GenerateVideo
from studio.tuning import GeneratorRecipe, Lora
from tuning_data import line_of, write_lines
from tuning_demonstration.curve import Point, draw_points, table, write_points
from tuning_demonstration.setting import NEW, Setting, add_colour

NUM_CLIPS, NUM_FRAMES, FPS = 8, 17, 10
TOGETHER = 8
"""Videos that are denoised side by side."""
SHOWN, SIDE = 6, 128
"""Prompts of the sheet, and the side of its pictures."""
SEEN_SHARE = 0.006
"""Of the first frame, that the new thing of a video covers at least."""
MOST_THINGS = 3
"""In a video: with more of them the pocket mixes up even the colours that it knows."""


@dataclass(frozen=True)
class Made:
    """What became of the prompts.

    Attributes:
        right: videos whose colours are those asked for, and no others.
        has_new: videos with a thing of the new colour.
    """

    frames: list[NDArray[np.uint8]]
    right: int
    has_new: int


def clips_of_the_colour() -> list[Episode]:
    """The first so many videos of the world with a thing of the new colour in plain sight, and few others."""
    found: list[Episode] = []
    for seed in count():
        episode = make_episode("clip", seed, Settings(fps=FPS))
        is_seen = any(thing.colour == NEW and thing.visible[0] > SEEN_SHARE for thing in episode.things)
        if is_seen and len(episode.things) <= MOST_THINGS:
            found.append(episode)
        if len(found) == NUM_CLIPS:
            return found
    raise AssertionError


def write_clips(folder: Path) -> None:
    """Each video once with each of its wordings that name the new colour."""
    lines = []
    folder.mkdir()
    for number, episode in enumerate(clips_of_the_colour()):
        path = f"{number}.mp4"
        write_clip(folder / path, episode.frames, fps=FPS)
        named = [one.prose for one in episode.wordings if NEW in one.prose]
        lines += [line_of(path, NUM_FRAMES, caption_json=None, caption=prose) for prose in named]
    write_lines(folder, lines)


def prompts(num: int, *, is_new: bool) -> list[Prompt]:
    """Held-out ones that ask for the new colour, or for none but the old ones."""
    found: list[Prompt] = []
    for seed in count(HELD_OUT_FROM):
        prompt = draw_prompt(seed)
        if len(found) == num:
            break
        if any(wish.colour == NEW for wish in prompt.wanted) == is_new:
            found.append(prompt)
    return found


def make(engine: Engine, asked: Sequence[Prompt]) -> Made:
    """A video of each, as the page asks a pocket for one."""
    frames: list[NDArray[np.uint8]] = []
    for first in range(0, len(asked), TOGETHER):
        begun = [
            engine.begin(_request(prompt, seed)) for seed, prompt in enumerate(asked[first : first + TOGETHER], first)
        ]
        while going := [one for one in begun if not one.done]:
            engine.step(going)
        frames += [np.concatenate([*engine.finish(one).frames]) for one in begun]
    seen = [read_picture(own[0]) for own in frames]
    right = sum(mark(found, prompt.wanted).colours for found, prompt in zip(seen, asked, strict=True))
    return Made(frames, right, sum(any(one.colour == NEW for one in found) for found in seen))


def _request(prompt: Prompt, seed: int) -> GenerateVideo:
    return GenerateVideo.model_validate(
        {
            "prompt": prompt.text,
            "resolution": "256",
            "aspect_ratio": "1:1",
            "num_frames": NUM_FRAMES,
            "fps": FPS,
            "sampling": {"num_inference_steps": 10, "guidance_scale": 3.0, "flow_shift": 5.0, "seed": seed},
        }
    )


def demonstrate(setting: Setting, say: Callable[[str], None]) -> str:
    """Train, try and draw; returns the table."""
    add_colour()
    folder = setting.scratch / "clips"
    write_clips(folder)
    say(f"{NUM_CLIPS} videos with {NEW} are there.")
    recipe = GeneratorRecipe.model_validate(
        {
            "name": NEW,
            "checkpoint": "pocket",
            "data": "clips",
            "modes": {"t2v": 1},
            "num_frames": NUM_FRAMES,
            "min_window_frames": NUM_FRAMES,
            "lora": Lora(rank=16, layers="all"),
            "optimisation": setting.how(steps=300, batch_size=4, learning_rate=1e-3, warmup_steps=20, save_every=100),
        }
    )
    saves = setting.train(recipe, {"clips": folder}, say)
    engine = Engine.load(setting.checkpoint, device=setting.device)
    new = prompts(setting.asked, is_new=True)
    asked = {NEW: new, "old colours": prompts(setting.asked, is_new=False)}
    points: list[Point] = []
    sheets: list[list[NDArray[np.uint8]]] = []
    for step, save in [(0, None), *saves]:
        engine.use_adapter(save)
        for name, own in asked.items():
            made = make(engine, own)
            points.append(Point(f"{name}: right", step, made.right, len(own)))
            if own is new:
                points.append(Point(f"{name}: is there", step, made.has_new, len(own)))
            say(f"step {step}: {made.right} of {len(own)} right, {NEW} in {made.has_new}: {name}")
            if own is new and step in (0, saves[-1][0]):
                sheets.append([frames[0] for frames in made.frames[:SHOWN]])
    write_points(setting.out / "colours.jsonl", points)
    draw_points(setting.out / "colours.svg", "Colours followed, videos from text", points)
    _write_sheet(setting.out / "colours.png", sheets)
    said = "\n".join(f"{number}. {prompt.text}" for number, prompt in enumerate(new[:SHOWN], 1))
    return f"{table(points)}\n{said}\n"


def _write_sheet(path: Path, rows: Sequence[Sequence[NDArray[np.uint8]]]) -> None:
    """Before above after."""
    small = [[np.asarray(Image.fromarray(frame).resize((SIDE, SIDE))) for frame in row] for row in rows]
    Image.fromarray(np.concatenate([np.concatenate(row, 1) for row in small])).save(path, optimize=True)
