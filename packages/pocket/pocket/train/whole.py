"""`whole`: every stage in its turn, side by side where there are GPUs for it, and the checkpoint at the end.

A machine may be had for ten minutes at a time: each call goes on where the last one ended, stage by stage, until every
stage has had its share of the seconds. What is rendered is rendered for all of them, as long as a call runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

import torch

from pocket.train.finishing import finish
from pocket.train.loop import Options, state_file
from pocket.train.shards import Source, rendering
from pocket.train.tokenizing import tokenizer_folder
from studio.errors import EngineError

STAGE = "whole"

SOURCES: dict[Source, float] = {"still": 0.3, "clip": 0.25, "policy": 0.15, "glance": 0.1, "beginnings": 0.2}
"""Of the renderers' time: a clip takes seven times that of a still, a policy's run twenty times, glances at one six,
the beginnings of a table four."""

RECORD = "whole.json"
"""In OUT: seconds that each stage has had."""

LEAST_S = 20.0
"""A stage is not begun for less, and one that lacks less is over."""

LOADING_S = 20.0
"""Of a stage, outside its time limit: it imports, and it writes its state."""

ASSEMBLING_S = 25.0
"""Kept at the end of a call for the checkpoint."""

POLL_S = 0.5


@dataclass(frozen=True)
class Turn:
    """A stage's part in the whole.

    Attributes:
        share: of the seconds of the whole; those that run side by side count twice, so shares come to more than 1.
        after: stages that must be over before.
        lane: `main` has all GPUs but the last, `side` the last one, or the only one with the other; `host` has none.
            Two of one lane may run at a time.
    """

    stage: str
    share: float
    after: tuple[str, ...] = ()
    lane: Literal["main", "side", "host"] = "main"


TURNS = (
    Turn("tokenizer", 0.1, lane="host"),
    Turn("vae", 0.27),
    Turn("sound", 0.2, lane="side"),
    Turn("reasoner", 0.25, ("tokenizer",), lane="side"),
    Turn("pictures", 0.25, ("vae", "sound", "reasoner")),
    Turn("generator", 0.48, ("pictures",)),
    Turn("decoder", 0.7, ("vae",), lane="side"),
)
"""vae, pictures and generator are what the whole waits for; sound and reasoner are learnt beside the first of them, and
beside the others the VAE's decoder goes on."""


class Running(Protocol):
    """A command that was started."""

    def poll(self) -> int | None:
        """Its exit status, none while it runs."""
        ...

    def terminate(self) -> None:
        """Ask it to end."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Until it has ended."""
        ...


@dataclass
class Begun:
    """A stage that runs in this call.

    Attributes:
        before_s: what it had had when it began.
        is_last: it ends with its share.
    """

    turn: Turn
    process: Running
    before_s: float
    started_s: float
    is_last: bool


class Whole:
    """What each stage has had, and what it is given next.

    Args:
        options: of all stages; `time_limit_s` is this call's.
        whole_s: what shares are of.
        num_gpus: 0 on a processor.
        start: runs a command.
        now: a monotonic clock, in seconds.
    """

    def __init__(
        self,
        options: Options,
        whole_s: float,
        num_gpus: int,
        *,
        start: Callable[[Sequence[str]], Running] = subprocess.Popen,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._options, self._whole_s, self._num_gpus = options, whole_s, num_gpus
        self._start, self._now, self._sleep = start, now, sleep
        self._record = options.out / RECORD
        self.spent_s = _read(self._record)

    def run(self) -> bool:
        """Run what is due until this call's time is over; whether every stage has had its share.

        Raises:
            EngineError: a stage failed; the others are ended, and keep what they wrote last.
        """
        begun_s = self._now() if self._options.started_s is None else self._options.started_s
        end = begun_s + self._options.time_limit_s - ASSEMBLING_S
        running: list[Begun] = []
        try:
            while True:
                running += self._begin(end, {one.turn.stage for one in running})
                if not running:
                    return all(self._is_over(turn) for turn in TURNS)
                self._sleep(POLL_S)
                running = [one for one in running if not self._has_ended(one)]
        finally:
            for one in running:
                one.process.terminate()
            for one in running:
                with suppress(subprocess.TimeoutExpired):
                    one.process.wait(LOADING_S)

    def command(self, turn: Turn, limit_s: float, *, is_last: bool) -> list[str]:
        """What runs a stage for so long."""
        options = self._options
        side = max(0, self._num_gpus - 1)
        num_ranks = max(1, self._num_gpus - 1) if turn.lane == "main" else 1
        device = "cpu" if not self._num_gpus or turn.lane == "host" else "cuda"
        if device == "cuda" and num_ranks == 1:
            device = f"cuda:{side if turn.lane == 'side' else 0}"
        together = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(num_ranks)]
        given = {
            "out": options.out,
            "data": options.data,
            "device": device,
            "time-limit-s": f"{limit_s:.0f}",
            "seed": options.seed,
            "shape": options.shape,
            "shard-size": options.shard_size,
            "log-every": options.log_every,
            # What goes on in another call keeps its rate.
            "decay-share": options.decay_share if is_last else 0,
        }
        if turn.stage in ("reasoner", "pictures", "generator"):
            given["encoders"] = options.encoders
        flags = [word for name, value in given.items() for word in (f"--{name}", str(value))]
        flags += ["--fed"] if options.workers else []
        return [sys.executable, *(together if num_ranks > 1 else []), "-m", "pocket.train", turn.stage, *flags]

    def _begin(self, end: float, running: set[str]) -> list[Begun]:
        begun: list[Begun] = []
        for turn in TURNS:
            # One that has nearly had its share still writes what the next one reads.
            is_ready = all(
                self._is_over(other) and other.stage not in running for other in TURNS if other.stage in turn.after
            )
            if turn.stage in running or self._is_over(turn) or not is_ready:
                continue
            missing, left = self._missing_s(turn), end - LOADING_S - self._now()
            # A tokenizer is made at one go; and what would be left is not worth another one.
            is_last = missing < left + LEAST_S + LOADING_S or turn.lane == "host"
            limit_s = missing if turn.lane == "host" else min(missing, left)
            if limit_s < LEAST_S:
                continue
            process = self._start(self.command(turn, limit_s, is_last=is_last))
            begun.append(Begun(turn, process, self._had_s(turn), self._now(), is_last))
        return begun

    def _has_ended(self, one: Begun) -> bool:
        """Whether it has; what it has had is written down meanwhile."""
        status = one.process.poll()
        if status:
            raise EngineError(
                f"{one.turn.stage} ended with status {status}.",
                hint="See its last lines for the reason; run the same command to continue.",
            )
        had = one.before_s + self._now() - one.started_s
        self.spent_s[one.turn.stage] = self._share_s(one.turn) if status == 0 and one.is_last else had
        _write(self._record, self.spent_s)
        return status == 0

    def _share_s(self, turn: Turn) -> float:
        return turn.share * self._whole_s

    def _had_s(self, turn: Turn) -> float:
        """Nothing where what it made is not there any more."""
        out = self._options.out
        made = tokenizer_folder(out) if turn.lane == "host" else state_file(out, turn.stage)
        return self.spent_s.get(turn.stage, 0.0) if made.exists() else 0.0

    def _missing_s(self, turn: Turn) -> float:
        return self._share_s(turn) - self._had_s(turn)

    def _is_over(self, turn: Turn) -> bool:
        return self._missing_s(turn) < LEAST_S


def run(options: Options, whole_s: float, checkpoint: Path) -> bool:
    """Go on with the whole; the checkpoint is written whenever there is a generator.

    Args:
        options: of all stages; `workers` render, `encoders` prepare what they have rendered.

    Returns:
        Whether every stage has had its share.
    """
    num_gpus = torch.cuda.device_count() if "cuda" in options.device else 0
    with rendering(options.data, SOURCES, options.workers, options.shard_size, stage=STAGE, seed=options.seed):
        is_over = Whole(options, whole_s, num_gpus).run()
    if state_file(options.out, "pictures").exists():
        finish(replace(options, device="cpu"), checkpoint)
    return is_over


def _read(path: Path) -> dict[str, float]:
    return json.loads(path.read_text()) if path.is_file() else {}


def _write(path: Path, spent_s: Mapping[str, float]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps({stage: round(had, 1) for stage, had in spent_s.items()}))
    part.replace(path)
