"""`python -m pocket.refine_study --output FOLDER`: does refining help the pocket? Its prompts, with what each asks for.

Prompts are drawn from seeds that no training picture has; whether a picture follows one is read off its pixels
(`pocket.world.reading`), which knows nothing of the critic that steers the loop.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import typer
from PIL import Image

from cli.target import read_target
from cli.verbs.refine_study import run_study
from pocket.world.episode import HELD_OUT_FROM
from pocket.world.prompts import Prompt, draw_prompt
from pocket.world.reading import mark, read_picture
from studio.errors import StudioError
from studio.refine_study import Plan, Rules

WORDS = "colours, shapes, number and places of the things that are read off the pixels (`pocket.world.reading`)"
HEADLINE = "all_right"


def rules_of(prompts: Sequence[Prompt]) -> Rules:
    """What reads pictures to these prompts."""
    return Rules(WORDS, HEADLINE, _marks_of(prompts))


def _marks_of(prompts: Sequence[Prompt]) -> Callable[[int, bytes], Mapping[str, bool]]:
    def marks(index: int, png: bytes) -> Mapping[str, bool]:
        pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
        return dataclasses.asdict(mark(read_picture(pixels), prompts[index].wanted))

    return marks


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program. 0 when every prompt is done."""
    parser = argparse.ArgumentParser(prog="python -m pocket.refine_study", description=__doc__)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help="folder of the study; an existing study is resumed"
    )
    parser.add_argument("--prompts", type=int, default=60, help="number of prompts (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of prompts and images (default: %(default)s)")
    parser.add_argument("--steps", type=int, help="denoising steps per image (default: the checkpoint's own)")
    parser.add_argument("--resolution", default="256", help="resolution of every image (default: %(default)s)")
    parser.add_argument("--checkpoint", help="checkpoint to use (default: the server's default checkpoint)")
    parser.add_argument("--rewrites", type=int, default=2, choices=range(1, 8), metavar="N", help="1 to 7 (default: 2)")
    parser.add_argument("--good-enough", type=float, default=9.0, help="the score that ends a loop (default: 9)")
    parser.add_argument("--server", help="URL of the server (default: the one that uses the data folder)")
    parser.add_argument("--data", type=Path, help="the data folder")
    parser.add_argument("--token", help="the server's token")
    said = parser.parse_args(arguments)
    prompts = [draw_prompt(HELD_OUT_FROM + said.seed + index) for index in range(said.prompts)]
    generate = {"resolution": said.resolution, "aspect_ratio": "1:1", "checkpoint": said.checkpoint}
    generate |= {"sampling": {"num_inference_steps": said.steps}} if said.steps else {}
    plan = Plan(
        prompts=tuple(prompt.text for prompt in prompts),
        seed=said.seed,
        generate={name: value for name, value in generate.items() if value is not None},
        max_rewrites=said.rewrites,
        good_enough=said.good_enough,
        rules=WORDS,
    )
    try:
        run_study(plan, rules_of(prompts), said.output, read_target(said.server, said.data, said.token))
    except StudioError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except typer.Exit as left:
        return left.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
