"""Steps that are counted and not run."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import Engine
from engine.bench import measuring
from engine.bench.cases import Row, small_rows
from engine.bench.measuring import take_steps, warm_up

STEPS = 20
"""In FP8 two at either end are precise."""

PRECISE_S, FAST_S = 3.0, 1.0


@pytest.fixture(scope="module")
def rounded(speck: Path) -> Engine:
    return Engine.load(speck, device="cpu", precision="fp8")


@pytest.fixture
def image() -> Row:
    return next(row for row in small_rows("a red cube", "blurred", STEPS) if row.is_picture)


def test_in_fp8_precise_and_fast_steps_each_stand_for_their_own_kind(rounded: Engine, image: Row, monkeypatch):
    now = [0.0]
    step = rounded.step

    def timed(trajectories) -> None:
        is_precise = rounded.model.generator.precise_steps.holds(trajectories[0].index, STEPS)
        now[0] += PRECISE_S if is_precise else FAST_S
        step(trajectories)

    monkeypatch.setattr(rounded, "step", timed)
    monkeypatch.setattr(measuring, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    stepped = take_steps(rounded, image, max_steps=1)
    assert stepped.trajectory.step == 3, "the first that is fast"
    assert stepped.is_extrapolated
    assert stepped.steps_s == 4 * PRECISE_S + 16 * FAST_S


def test_exact_runs_as_many_as_they_are_told(engine: Engine, image: Row):
    stepped = take_steps(engine, image, max_steps=2)
    assert (stepped.trajectory.step, stepped.is_extrapolated) == (2, True)


def test_both_kinds_of_steps_are_warmed_up(rounded: Engine, image: Row, tmp_path: Path, monkeypatch):
    kinds: list[bool] = []
    step = rounded.step

    def seen(trajectories) -> None:
        kinds.append(rounded.model.generator.precise_steps.holds(trajectories[0].index, STEPS))
        step(trajectories)

    monkeypatch.setattr(rounded, "step", seen)
    long = next(row for row in small_rows("a red cube", "blurred", 35) if row.is_picture)
    warm_up(rounded, long, tmp_path)
    assert kinds == [True, True, False, False]
