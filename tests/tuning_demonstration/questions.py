"""A question kind that the pocket has not learnt: does it answer it afterwards?

An adapter of the reasoner learns from pictures that nobody has learnt from; at every save the ordinary engine answers
other pictures in it, at temperature 0. Kinds:

* quarters: in which quarter of a drawn picture a square is, by the letter of one of four;
* colours: which of six colours the only thing of a shape has, on pictures of the tabletop, by letter;
* shapes: which of four shapes the only thing of a colour has, likewise;
* outermost: what colour the thing furthest to the left or to the right has, in a word.

The pocket knows colours and shapes by their names, never as the letters of a choice, and places of things that are
named, never things that their place names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from engine import Engine
from engine.reasoner import Footage
from pocket.world import make_episode
from pocket.world.episode import HELD_OUT_FROM
from pocket.world.wording import SEEN_SHARE, SHAPE_WORDS, groups_of, middle_of
from robot.simulation.arrangement import COLOURS
from studio.requests.reason import Reason
from studio.tuning import Lora, ReasonerRecipe
from studio.tuning.recipes import Blend
from tuning_demonstration.curve import Point, draw_points, table, write_points
from tuning_demonstration.setting import Setting

LETTERS = "ABCDEF"
SIDE, SQUARE = 128, 36
NUM_LEARNT = 256
SHOWN = "u" + "0" * 16
RENDERED_AT_ONCE = 64

QUARTERS = (
    "In which quarter of the picture is the square? A is the upper left, B the upper right, C the lower left, D the "
    "lower right."
)
BY_LETTER, IN_A_WORD = "Answer with one letter.", "Answer with one word."
APART = 60.0
"""On the grid of 0 to 1000: as far the outermost thing is from the next one at least."""


@dataclass(frozen=True)
class Choice:
    """A picture, uint8 [H, W, 3], a question about it, and the answer that is right."""

    picture: NDArray[np.uint8]
    question: str
    answer: str


def quarters(first: int) -> Iterator[Choice]:
    """A square of any colour on any other, wholly within one quarter; the quarters come in turn."""
    for seed in count(first):
        dice, letter = np.random.default_rng(seed), LETTERS[seed % 4]
        ground, colour = dice.integers(0, 256, (2, 3))
        while np.abs(ground - colour).sum() < 200:
            ground, colour = dice.integers(0, 256, (2, 3))
        picture = np.broadcast_to(ground.astype(np.uint8), (SIDE, SIDE, 3)).copy()
        row, column = divmod(LETTERS.index(letter), 2)
        top, left = (part * SIDE // 2 + dice.integers(2, SIDE // 2 - SQUARE - 2) for part in (row, column))
        picture[top : top + SQUARE, left : left + SQUARE] = colour
        yield Choice(picture, f"{QUARTERS} {BY_LETTER}", letter)


def colours(first: int) -> Iterator[Choice]:
    """One question for each picture that has a thing whose shape no other has."""
    yield from _rendered(_colour_of, first)


def shapes(first: int) -> Iterator[Choice]:
    """One question for each picture that has a thing whose colour no other has."""
    yield from _rendered(_shape_of, first)


def outermost(first: int) -> Iterator[Choice]:
    """One question for each picture whose things have at least two colours, and one thing is clearly further out."""
    yield from _rendered(_outermost_of, first)


def _rendered(choice_of: Callable[[int], Choice | None], first: int) -> Iterator[Choice]:
    workers = max(1, (cpu_count() or 1) - 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for start in count(first, RENDERED_AT_ONCE):
            yield from filter(None, pool.map(choice_of, range(start, start + RENDERED_AT_ONCE)))


def _colour_of(seed: int) -> Choice | None:
    """What colour a thing has."""
    return _choice(seed, list(COLOURS), asks="colour", by="shape")


def _shape_of(seed: int) -> Choice | None:
    """What shape a thing has."""
    return _choice(seed, list(SHAPE_WORDS), asks="shape", by="colour")


def _outermost_of(seed: int) -> Choice | None:
    """What colour the thing furthest to one side has."""
    episode = make_episode("still", seed)
    side, sign = ("left", 1) if seed % 2 else ("right", -1)
    seen = [thing for thing in episode.things if thing.visible[0] > SEEN_SHARE]
    seen.sort(key=lambda thing: sign * middle_of(thing, 0)[0])
    if len({thing.colour for thing in seen}) < 2:
        return None
    if sign * (middle_of(seen[1], 0)[0] - middle_of(seen[0], 0)[0]) < APART:
        return None
    return Choice(episode.frames[0], f"What colour is the thing furthest to the {side}? {IN_A_WORD}", seen[0].colour)


def _choice(seed: int, options: list[str], asks: str, by: str) -> Choice | None:
    episode = make_episode("still", seed)
    groups = groups_of(episode)
    told = [getattr(group, by) for group in groups]
    single = [group for group in groups if len(group.things) == 1 and told.count(getattr(group, by)) == 1]
    if not single:
        return None
    group = single[seed % len(single)]
    named = f"the {group.shape}" if by == "shape" else f"the {group.colour} thing"
    listed = ", ".join(f"{letter} is {option}" for letter, option in zip(LETTERS, options, strict=False))
    question = f"What {asks} is {named}? {listed}. {BY_LETTER}"
    return Choice(episode.frames[0], question, LETTERS[options.index(getattr(group, asks))])


KINDS: dict[str, tuple[Callable[[int], Iterator[Choice]], int]] = {
    "quarters": (quarters, 4),
    "colours": (colours, len(COLOURS)),
    "shapes": (shapes, len(SHAPE_WORDS)),
    "outermost": (outermost, len(COLOURS)),
}
"""By name: its pictures from a seed on, and among how many answers one is right."""


def drawn(kind: str, first: int, num: int) -> list[Choice]:
    """So many of a kind."""
    choices = KINDS[kind][0](first)
    return [next(choices) for _ in range(num)]


def write_lessons(folder: Path, choices: list[Choice]) -> None:
    """As messages, as a person would bring them."""
    folder.mkdir()
    lines: list[str] = []
    for number, choice in enumerate(choices):
        Image.fromarray(choice.picture).save(folder / f"{number}.png")
        shown = [{"type": "image", "image": f"{number}.png"}, {"type": "text", "text": choice.question}]
        turns = [{"role": "user", "content": shown}, {"role": "assistant", "content": choice.answer}]
        lines.append(json.dumps({"messages": turns}))
    (folder / "train.jsonl").write_text("\n".join(lines) + "\n")


def num_right(engine: Engine, choices: list[Choice]) -> int:
    """Of pictures that nobody has learnt from, asked all together."""
    answers = [engine.converse(_asked(choice.question), {SHOWN: Footage(choice.picture[None])}) for choice in choices]
    while going := [answer for answer in answers if not answer.done]:
        engine.decode(going)
    vocabulary = engine.chat.writer.vocabulary
    said = [vocabulary.tokenizer.decode(answer.tokens, skip_special_tokens=True).strip() for answer in answers]
    return sum(one == choice.answer for one, choice in zip(said, choices, strict=True))


def _asked(question: str) -> Reason:
    turn = {"role": "user", "content": [{"type": "image", "image": SHOWN}, {"type": "text", "text": question}]}
    sampling = {"max_tokens": 4, "temperature": 0, "presence_penalty": 0, "seed": 0}
    return Reason.model_validate({"messages": [turn], "sampling": sampling})


def demonstrate(setting: Setting, say: Callable[[str], None], kind: str) -> str:
    """Train, ask and draw; returns the table."""
    folder, name = setting.scratch / kind, f"questions_{kind}"
    write_lessons(folder, drawn(kind, 0, NUM_LEARNT))
    asked = drawn(kind, HELD_OUT_FROM, setting.asked)
    say(f"{NUM_LEARNT} pictures with their questions are there.")
    recipe = ReasonerRecipe.model_validate(
        {
            "name": name,
            "checkpoint": "pocket",
            "data": (Blend(data=kind),),
            "lora": Lora(rank=16, layers="all"),
            "max_tokens": 512,
            "optimisation": setting.how(steps=200, batch_size=8, learning_rate=1e-3, warmup_steps=20, save_every=50),
        }
    )
    saves = setting.train(recipe, {kind: folder}, say)
    engine = Engine.load(setting.checkpoint, device=setting.device)
    points: list[Point] = []
    for step, save in [(0, None), *saves]:
        engine.use_adapter(save)
        points.append(Point("held-out pictures", step, num_right(engine, asked), len(asked)))
        say(f"step {step}: {points[-1].right} of {len(asked)}")
    write_points(setting.out / f"{name}.jsonl", points)
    draw_points(setting.out / f"{name}.svg", f"Questions answered right: {kind}", points, chance=1 / KINDS[kind][1])
    return table(points)
