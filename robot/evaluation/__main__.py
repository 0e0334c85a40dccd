"""`python -m robot.evaluation`: the episodes of the simulated table, for whoever reads the lines that it writes.

It writes the benchmark as one line of JSON, then reads items of such a benchmark, a line of JSON each, and writes an
`Answer` for each. It ends when its input does; 2 with one line that says why when it cannot go on.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import logging
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from robot.clock import MonotonicClock
from robot.evaluation.film import Film
from robot.evaluation.scenes import MAX_SCENES, table_benchmark, task_of
from robot.evaluation.stepped import SteppedTrials
from robot.evaluation.trials import TableTrials
from robot.process import SWITCH_INTERVAL_S, raise_priority
from robot.settings import read_settings
from studio.errors import BadInput, StudioError
from studio.evaluation import Answer, Item
from studio.evaluation.episodes import Level, video_name
from studio.logs import configure_logs
from studio.requests import shown

MAX_SEED = 1000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until the input ends."""
    parser = argparse.ArgumentParser(prog="python -m robot.evaluation", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scenes", type=int, default=20, help=f"number of tables, up to {MAX_SCENES} (default: 20)")
    parser.add_argument("--levels", default=",".join(get_args(Level)), help="instruction levels, comma-separated")
    parser.add_argument("--seed", type=int, default=0, help="another seed has other tables (default: 0)")
    parser.add_argument("--answers-after", type=float, help="seconds an answer takes; left out: in real time")
    parser.add_argument("--videos", type=Path, help="folder that gets a video of each episode (default: none)")
    said, others = parser.parse_known_args(arguments)
    try:
        benchmark = table_benchmark(_scenes(said.scenes), _levels(said.levels), _seed(said.seed))
        _say(benchmark.model_dump_json())
        _drive(others, said.answers_after, said.videos)
    except StudioError as error:
        sys.stderr.write(f"orrery evaluate-policy: {error}\n")
        return 2
    return 0


def _drive(others: Sequence[str], answers_after_s: float | None, videos: Path | None) -> None:
    first = sys.stdin.readline()
    if not first:
        return
    configure_logs(logging.ERROR)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    raise_priority()
    with tempfile.TemporaryDirectory() as scratch:
        settings = read_settings([f"--recordings={scratch}", "--arm=simulated", *others])
        real = answers_after_s is None
        trials = TableTrials(settings, MonotonicClock()) if real else SteppedTrials(settings, answers_after_s)
        gc.freeze()
        try:
            trials.make_ready()
            for line in itertools.chain([first], sys.stdin):
                item = Item.model_validate_json(line)
                film = None if videos is None else Film(videos / video_name(item.id))
                result = trials.try_it(task_of(item), film)
                if film is not None:
                    film.save()
                _say(Answer(item=item.id, text=result.to_text(), seconds=result.seconds).model_dump_json())
        finally:
            trials.close()


def _scenes(number: int) -> int:
    if not 1 <= number <= MAX_SCENES:
        raise BadInput(f"scenes is {number}; expected 1 to {MAX_SCENES}.", param="scenes")
    return number


def _seed(number: int) -> int:
    if not 0 <= number <= MAX_SEED:
        raise BadInput(f"seed is {number}; expected 0 to {MAX_SEED}.", param="seed")
    return number


def _levels(names: str) -> list[Level]:
    known: dict[str, Level] = {level: level for level in get_args(Level)}
    given = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    if not given or any(name not in known for name in given):
        raise BadInput(f"levels is {shown(names)}; expected some of {', '.join(known)}.", param="levels")
    return [known[name] for name in given]


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
