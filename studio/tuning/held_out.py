"""What a generator is looked at by: held-out prompts of a data set with their true clips, else its first clips."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from studio.captions.caption_files import VIDEO_SUFFIXES
from studio.captions.training_data import PROMPT_FOLDERS, file_inside, find_listing
from studio.requests import Frozen
from studio.tuning.clip_lines import ClipLine, ClipWindow
from studio.tuning.recipes import GeneratorRecipe

MAX_SHOWN = 2
"""Clips, each of which is made from words, from its first frame and from its first frames: 000 shows two."""


class HeldOut(Frozen):
    """A clip to be made again.

    Attributes:
        name: for people.
        prompt: as it was, or would be, trained on.
        clip: the true one.
        learnt: it is among what was trained on.
    """

    name: str
    prompt: str
    clip: Path
    learnt: bool = False


def held_out(folder: Path, recipe: GeneratorRecipe) -> tuple[HeldOut, ...]:
    """At most `MAX_SHOWN` of `val/inference_prompt*/EPISODE.json` that have `val/videos/EPISODE.mp4`; else the first
    videos of the list of which the recipe learns a window that begins with the video.
    """
    found = _validation(folder / "val") or _trained(folder, recipe)
    return tuple(found[:MAX_SHOWN])


def _validation(val: Path) -> list[HeldOut]:
    prompts = {path.stem: path for name in reversed(PROMPT_FOLDERS) for path in sorted((val / name).glob("*.json"))}
    found: list[HeldOut] = []
    for name, path in sorted(prompts.items()):
        clip = val / "videos" / f"{name}.mp4"
        prompt = _object(path).get("prompt")
        if isinstance(prompt, str) and clip.is_file():
            found.append(HeldOut(name=name, prompt=prompt, clip=clip))
    return found


def _trained(folder: Path, recipe: GeneratorRecipe) -> list[HeldOut]:
    listing = find_listing(folder)
    found: list[HeldOut] = []
    if listing is None:
        return found
    with listing.open(encoding="utf-8", errors="replace") as lines:
        for text in lines:
            if (clip := _of_line(text, listing, folder, recipe)) is not None:
                found.append(clip)
            if len(found) == MAX_SHOWN:
                break
    return found


def _of_line(text: str, listing: Path, folder: Path, recipe: GeneratorRecipe) -> HeldOut | None:
    try:
        line = ClipLine.model_validate_json(text)
    except ValidationError:  # the trainer's report counts it
        return None
    clip = file_inside(folder, listing.parent, line.vision_path)
    if clip is None or clip.suffix.lower() not in VIDEO_SUFFIXES or (line.duration or 0) > recipe.max_clip_s:
        return None
    window = next((one for one in line.windows if _is_shown(one, recipe)), None)
    said = None if window is None else window.text or line.text
    return None if said is None else HeldOut(name=line.uuid or clip.stem, prompt=said[0], clip=clip, learnt=True)


def _is_shown(window: ClipWindow, recipe: GeneratorRecipe) -> bool:
    """Whether it is learnt from the first frame of its file on, which is where a comparison begins."""
    fewest = max(recipe.min_window_frames, recipe.num_frames)
    is_long = window.end_frame is None or window.end_frame + 1 >= fewest
    return window.start_frame == 0 and window.temporal_interval == 1 and is_long


def _object(path: Path) -> dict[str, Any]:
    try:
        value: object = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
