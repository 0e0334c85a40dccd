"""`python -m pocket.report --checkpoint FOLDER`: examine a pocket checkpoint; `orrery report-card` is the same."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from engine.towers import Precision
from pocket.report.card import markdown
from pocket.report.exams import EXAMS, FORMS, FormName
from pocket.report.running import Sitting, run_card
from studio.errors import BadInput, StudioError

NAMES = tuple(exam.name for exam in EXAMS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program. 0 when the card is done, 1 when it could not be."""
    said = _parser().parse_args(arguments)
    try:
        _examine(said)
    except StudioError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="orrery report-card", description="Examine a pocket checkpoint.")
    parser.add_argument("--checkpoint", type=Path, help="its folder")
    parser.add_argument(
        "--quick", action="store_true", help="few questions: planned for two minutes on two cores; wide intervals"
    )
    parser.add_argument("--one", action="store_true", help="a single question of each exam: whether all of it runs")
    parser.add_argument("--seed", type=int, default=0, help="another one asks other questions (default: 0)")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=(), metavar="EXAM", help=f"of {', '.join(NAMES)}")
    parser.add_argument(
        "--jobs", type=int, default=_num_cores(), help="processes that ask, 0.9 GB each (default: %(default)s)"
    )
    parser.add_argument(
        "--real-time",
        type=int,
        default=0,
        metavar="N",
        help="also N tables in real time, through a server: some 10 s each",
    )
    parser.add_argument(
        "--precision",
        choices=get_args(Precision),
        default="exact",
        help="of the engine, to see what it costs (default: %(default)s)",
    )
    parser.add_argument(
        "--step-cache",
        type=_fraction,
        metavar="CHANGE",
        help="leave out steps, to see what that costs: as in a request",
    )
    parser.add_argument("--save", type=Path, metavar="DIR", help="keep what was made: a sheet DIR/EXAM.png of each")
    parser.add_argument(
        "--out", type=Path, help="FILE.md or FILE.json; both are written, and an interrupted run is continued"
    )
    return parser


def _examine(said: argparse.Namespace) -> None:
    if said.checkpoint is None:
        raise BadInput("No checkpoint is named.", param="checkpoint", hint="Give its folder with --checkpoint.")
    if said.real_time and (said.precision != "exact" or said.step_cache):
        raise BadInput(
            "Tables in real time run through a server, exact and without a step cache.",
            param="real_time",
            hint="Leave out --real-time, or --precision and --step-cache.",
        )
    form: FormName = "one" if said.one else "quick" if said.quick else "full"
    kept: Path | None = None
    if said.out is not None:
        if said.out.suffix not in (".md", ".json"):
            raise BadInput(f"{said.out} is neither .md nor .json.", param="out")
        said.out.parent.mkdir(parents=True, exist_ok=True)
        kept = said.out.with_suffix(".json")
    sitting = Sitting(said.seed, max(1, said.jobs), kept, said.only, max(0, said.real_time), said.save)
    asked = FORMS[form]
    effort = replace(asked.effort, precision=said.precision, step_cache=said.step_cache)
    card = run_card(said.checkpoint, form, replace(asked, effort=effort), sitting, _say)
    table = markdown(card)
    if said.out is not None:
        said.out.with_suffix(".md").write_text(table)
    sys.stdout.write(table)


def _fraction(text: str) -> float:
    """As a request's `step_cache`."""
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1.")
    return value


def _num_cores() -> int:
    """That this process may use, four at most."""
    return min(4, len(os.sched_getaffinity(0)))


def _say(words: str) -> None:
    """On one line of a terminal, else on a line each."""
    sys.stderr.write(f"\r\x1b[K{words}" if sys.stderr.isatty() else f"{words}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    # As the server's engine has it: more threads than cores that are free only wait for one another.
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    sys.exit(main())
