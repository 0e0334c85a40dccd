"""The end of a trainer's process."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from backend.tuning.process import Trainer

SAVES = """
import pathlib, sys, time
sys.stdin.read()
time.sleep(0.2)
pathlib.Path(sys.argv[1]).touch()
"""


async def ended(script: str, path: Path, *, at_once: bool = False) -> int | None:
    command = (sys.executable, "-c", script, str(path))
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    await Trainer(process).end(at_once=at_once)
    return process.returncode


def test_a_trainer_that_saves_is_waited_for(tmp_path: Path):
    assert asyncio.run(ended(SAVES, tmp_path / "save")) == 0
    assert (tmp_path / "save").exists()


def test_a_trainer_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("backend.tuning.process.END_TIMEOUT_S", 0.2)
    assert asyncio.run(ended("import time; time.sleep(600)", tmp_path / "save")) == -9


def test_a_check_is_not_waited_for(tmp_path: Path):
    assert asyncio.run(ended("import time; time.sleep(600)", tmp_path / "save", at_once=True)) == -9
