"""A question kind that the pocket has not learnt, taught in 200 steps: `make tuning-demonstration`.

Which quarter of a picture is the square in? Four letters, so chance is 25 %. An adapter of the reasoner learns from
pictures that are drawn here; at every save the ordinary engine answers other pictures in it, at temperature 0. Writes
docs/tuning_demonstration.jsonl, a line a save, and prints the table for docs/tuning.md.
"""

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

import presets
from engine import Engine
from engine.reasoner import Footage
from studio.evaluation.statistics import wilson
from studio.requests.reason import Reason
from studio.tuning import Lora, Optimisation, ReasonerRecipe, Saved, Stepped, TuningEvent, TuningWork
from studio.tuning.recipes import Blend
from tuning.commands import Commands
from tuning.training import run
from tuning_data import Silence

OUT = Path(__file__).parent.parent / "docs" / "tuning_demonstration.jsonl"
QUESTION = (
    "In which quarter of the picture is the square? A is the upper left, B the upper right, C the lower left, D the "
    "lower right. Answer with one letter."
)
LETTERS = "ABCD"
SIDE, SQUARE = 128, 36
NUM_LEARNT, NUM_ASKED = 256, 100
STEPS, SAVE_EVERY, BATCH = 200, 50, 8
SHOWN = "u" + "0" * 16


def drawn(letter: str, dice: np.random.Generator) -> NDArray[np.uint8]:
    """A square of any colour on any other, wholly within one quarter."""
    ground, colour = dice.integers(0, 256, (2, 3))
    while np.abs(ground - colour).sum() < 200:
        ground, colour = dice.integers(0, 256, (2, 3))
    picture = np.broadcast_to(ground.astype(np.uint8), (SIDE, SIDE, 3)).copy()
    row, column = divmod(LETTERS.index(letter), 2)
    top, left = (part * SIDE // 2 + dice.integers(2, SIDE // 2 - SQUARE - 2) for part in (row, column))
    picture[top : top + SQUARE, left : left + SQUARE] = colour
    return picture


def write_lessons(folder: Path) -> None:
    """As messages, as a person would bring them."""
    dice, lines = np.random.default_rng(1), list[str]()
    for number in range(NUM_LEARNT):
        letter = LETTERS[number % len(LETTERS)]
        Image.fromarray(drawn(letter, dice)).save(folder / f"{number}.png")
        shown = [{"type": "image", "image": f"{number}.png"}, {"type": "text", "text": QUESTION}]
        turns = [{"role": "user", "content": shown}, {"role": "assistant", "content": letter}]
        lines.append(json.dumps({"messages": turns}))
    (folder / "train.jsonl").write_text("\n".join(lines) + "\n")


def num_right(engine: Engine) -> int:
    """Of pictures that nobody has learnt from, asked all together."""
    dice = np.random.default_rng(2)
    letters = [LETTERS[number % len(LETTERS)] for number in range(NUM_ASKED)]
    turn = {"role": "user", "content": [{"type": "image", "image": SHOWN}, {"type": "text", "text": QUESTION}]}
    sampling = {"max_tokens": 4, "temperature": 0, "presence_penalty": 0, "seed": 0}
    asked = Reason.model_validate({"messages": [turn], "sampling": sampling})
    answers = [engine.converse(asked, {SHOWN: Footage(drawn(letter, dice)[None])}) for letter in letters]
    while going := [answer for answer in answers if not answer.done]:
        engine.decode(going)
    vocabulary = engine.chat.writer.vocabulary
    said = [vocabulary.tokenizer.decode(answer.tokens, skip_special_tokens=True).strip() for answer in answers]
    return sum(one == letter for one, letter in zip(said, letters, strict=True))


def demonstrate(checkpoint: Path) -> list[dict[str, Any]]:
    """A line for the beginning and one for each save."""
    engine = Engine.load(checkpoint, device="cpu")
    found = [line_of(0, num_right(engine), None)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_lessons(folder)
        recipe = ReasonerRecipe(
            name="quarters",
            checkpoint=checkpoint.name,
            data=(Blend(data="quarters"),),
            lora=Lora(rank=16, layers="all"),
            max_tokens=512,
            optimisation=Optimisation(
                steps=STEPS, batch_size=BATCH, learning_rate=1e-3, warmup_steps=20, save_every=SAVE_EVERY
            ),
        )
        out = folder / "out"
        work = TuningWork(recipe=recipe, checkpoint=checkpoint, data={"quarters": folder}, out=out, cache=out)
        losses: list[float] = []

        def tell(event: TuningEvent) -> None:
            match event:
                case Stepped():
                    losses.append(event.loss)
                case Saved():
                    engine.use_adapter(out / event.folder)
                    found.append(line_of(event.step, num_right(engine), losses[-1] if losses else None))
                case _:
                    pass

        run(work, tell, Commands(Silence()))
    return found


def line_of(step: int, right: int, loss: float | None) -> dict[str, Any]:
    """What is written down of a save, and said at once."""
    low, high = wilson(right / NUM_ASKED, NUM_ASKED)
    line = {"step": step, "accuracy": right / NUM_ASKED, "low": round(low, 3), "high": round(high, 3)}
    if loss is not None:
        line["loss"] = round(loss, 4)
    sys.stderr.write(f"step {step}: {right} of {NUM_ASKED}\n")
    return line


def main(arguments: Sequence[str]) -> None:
    """Run it on the checkpoint of a folder, or on the one that ships."""
    torch.set_num_threads(2)
    begun = time.monotonic()
    shipped = Path(presets.__file__).parent / "pocket"
    lines = demonstrate(Path(arguments[0]) if arguments else shipped)
    OUT.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = [
        f"| {line['step']} | {100 * line['accuracy']:.0f} | {100 * line['low']:.0f} to {100 * line['high']:.0f} |"
        for line in lines
    ]
    sys.stdout.write("\n".join(["| steps | right of 100 | 95 % interval |", "|---|---|---|", *rows, ""]))
    sys.stderr.write(f"{time.monotonic() - begun:.0f} s\n")


if __name__ == "__main__":
    main(sys.argv[1:])
