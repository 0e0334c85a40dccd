"""Every stage in its turn: with commands that only take time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pocket.train.loop import Options, state_file
from pocket.train.tokenizing import tokenizer_folder
from pocket.train.whole import TURNS, Whole
from studio.errors import EngineError

WHOLE_S = 1000.0
LOADING_S = 5.0


@dataclass
class FakeStage:
    """Ends when its time limit is over; its state is there from early on, as those that are kept every minute are."""

    stage: str
    flags: dict[str, str]
    machine: FakeMachine
    began_s: float
    ends_s: float
    status: int = 0
    was_ended: bool = False

    def poll(self) -> int | None:
        if not self.status:
            out = self.machine.out
            (tokenizer_folder(out) if self.stage == "tokenizer" else state_file(out, self.stage)).touch()
        return None if self.machine.clock_s < self.ends_s else self.status

    def terminate(self) -> None:
        self.was_ended = True

    def wait(self, timeout: float | None = None) -> int:
        return 0


@dataclass
class FakeMachine:
    """Its clock, and what was started on it."""

    out: Path
    failing: str = ""
    clock_s: float = 0.0
    begun: list[FakeStage] = field(default_factory=list)
    commands: list[list[str]] = field(default_factory=list)

    def start(self, command: Sequence[str]) -> FakeStage:
        words = [word for word in command if word != "--fed"]
        at = words.index("pocket.train")
        flags = dict(zip(words[at + 2 :: 2], words[at + 3 :: 2], strict=True))
        ends_s = self.clock_s + float(flags["--time-limit-s"]) + LOADING_S
        stage = FakeStage(words[at + 1], flags, self, self.clock_s, ends_s, int(words[at + 1] == self.failing))
        self.begun.append(stage)
        self.commands.append(words)
        return stage

    def sleep(self, seconds: float) -> None:
        self.clock_s += seconds


def call(machine: FakeMachine, limit_s: float, num_gpus: int = 2) -> bool:
    options = Options(out=machine.out, data=machine.out, time_limit_s=limit_s, encoders=3)
    machine.begun.clear()
    machine.commands.clear()
    return Whole(
        options, WHOLE_S, num_gpus, start=machine.start, now=lambda: machine.clock_s, sleep=machine.sleep
    ).run()


def test_one_call_runs_every_stage_once_and_side_by_side(tmp_path: Path):
    machine = FakeMachine(tmp_path)
    assert call(machine, 5000)
    assert [one.stage for one in machine.begun[:3]] == ["tokenizer", "vae", "sound"]
    assert [one.stage for one in machine.begun[3:]] == ["reasoner", "decoder", "pictures", "generator"]
    limits = {one.stage: float(one.flags["--time-limit-s"]) for one in machine.begun}
    assert limits == {turn.stage: turn.share * WHOLE_S for turn in TURNS}
    assert {one.flags["--decay-share"] for one in machine.begun} == {"0.4"}
    assert machine.clock_s < 1.25 * WHOLE_S


def test_no_stage_begins_before_those_it_reads_have_ended(tmp_path: Path):
    machine = FakeMachine(tmp_path)
    call(machine, 5000)
    begun = {one.stage: one for one in machine.begun}
    for turn in TURNS:
        assert all(begun[other].ends_s <= begun[turn.stage].began_s for other in turn.after)


def test_short_calls_go_on_where_the_last_one_ended_and_each_stays_within_its_limit(tmp_path: Path):
    machine, begun = FakeMachine(tmp_path), []
    for _ in range(9):
        began_s = machine.clock_s
        is_over = call(machine, 300)
        assert machine.clock_s - began_s <= 300
        begun += machine.begun
        if is_over:
            break
    assert is_over
    for turn in TURNS:
        own = [one for one in begun if one.stage == turn.stage]
        # Only who ends there lets its rate fall.
        assert [one.flags["--decay-share"] for one in own] == ["0"] * (len(own) - 1) + ["0.4"]
        given_s = sum(float(one.flags["--time-limit-s"]) for one in own)
        assert 0.8 * turn.share * WHOLE_S - 2 * LOADING_S <= given_s <= turn.share * WHOLE_S
    assert len([one for one in begun if one.stage == "generator"]) > 1
    assert call(machine, 300)
    assert not machine.begun


def test_a_stage_whose_state_was_lost_is_run_again(tmp_path: Path):
    machine = FakeMachine(tmp_path)
    call(machine, 5000)
    state_file(tmp_path, "generator").unlink()
    assert call(machine, 5000)
    assert [one.stage for one in machine.begun] == ["generator"]


def test_a_stage_that_fails_ends_the_others(tmp_path: Path):
    machine = FakeMachine(tmp_path, failing="sound")
    with pytest.raises(EngineError, match="sound ended with status 1"):
        call(machine, 5000)
    assert {one.stage for one in machine.begun if one.was_ended} >= {"vae", "reasoner"}


@pytest.mark.parametrize(
    ("num_gpus", "main", "side", "num_ranks"),
    [(0, "cpu", "cpu", 1), (1, "cuda:0", "cuda:0", 1), (2, "cuda:0", "cuda:1", 1), (4, "cuda", "cuda:3", 3)],
)
def test_who_trains_where(tmp_path: Path, num_gpus: int, main: str, side: str, num_ranks: int):
    machine = FakeMachine(tmp_path)
    call(machine, 5000, num_gpus)
    devices = {one.stage: one.flags["--device"] for one in machine.begun}
    assert devices == {
        "tokenizer": "cpu",
        "vae": main,
        "sound": side,
        "reasoner": side,
        "pictures": main,
        "generator": main,
        "decoder": side,
    }
    together = {
        one.stage for one, words in zip(machine.begun, machine.commands, strict=True) if str(num_ranks) in words
    }
    assert together >= ({"vae", "pictures", "generator"} if num_ranks > 1 else set())
    assert [one.stage for one in machine.begun if one.flags.get("--encoders")] == ["reasoner", "pictures", "generator"]
