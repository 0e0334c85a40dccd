"""`python -m tuning` as the server uses it: a line of work, words, and lines of events."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.tuning import TuningWork
from tuning.__main__ import main
from tuning.commands import Commands
from tuning_data import recipe_of


class Script(io.TextIOBase):
    """A line of work, then words, each as soon as an event of a kind has been written."""

    def __init__(self, first: str, words: list[tuple[str, str]]) -> None:
        self._first, self._words = first, words
        self.events: list[dict] = []
        self._come = threading.Condition()

    def readline(self, size: int = -1, /) -> str:
        return self._first

    def __iter__(self) -> Iterator[str]:
        for kind, word in self._words:
            with self._come:
                self._come.wait_for(lambda kind=kind: any(event["kind"] == kind for event in self.events))
            yield f"{word}\n"
        threading.Event().wait()

    def write(self, text: str, /) -> int:
        with self._come:
            self.events.append(json.loads(text))
            self._come.notify_all()
        return len(text)

    def flush(self) -> None:
        pass


@pytest.fixture
def work(speck: Path, clips: Path, tmp_path: Path):
    def work(**changes: object) -> str:
        made = TuningWork(
            recipe=recipe_of(**changes),
            checkpoint=speck,
            data={"squares": clips},
            out=tmp_path / "out",
            cache=tmp_path / "cache",
        )
        return made.model_dump_json() + "\n"

    return work


def test_a_save_is_made_when_it_is_asked_for_and_a_stop_keeps_what_there_is(work):
    script = Script(work(steps=5000, save_every=5000), [("stepped", "save"), ("saved", "stop")])
    assert main(script, script) == 0
    kinds = [event["kind"] for event in script.events]
    assert kinds.count("saved") == 2
    assert script.events[-1]["kind"] == "ended"
    assert not script.events[-1]["is_whole"]
    assert script.events[-2]["step"] == script.events[-1]["step"]


def test_a_save_that_is_asked_for_before_the_first_step_is_made_after_it(work):
    script = Script(work(steps=5000, save_every=5000), [("preparing", "save"), ("saved", "stop")])
    assert main(script, script) == 0
    saves = [event["step"] for event in script.events if event["kind"] == "saved"]
    assert len(saves) == 2


def test_a_stop_before_the_first_step_ends_it(work):
    script = Script(work(), [("preparing", "stop")])
    assert main(script, script) == 0
    assert script.events[-1] == {"kind": "ended", "step": 0, "is_whole": False}


def test_what_cannot_be_trained_is_refused_as_an_event(work):
    script = Script(work(num_frames=10), [])
    assert main(script, script) == 1
    assert script.events[-1]["kind"] == "refused"
    assert script.events[-1]["error"]["param"] == "num_frames"


def test_work_that_cannot_be_read_is_refused(work):
    script = Script("{}\n", [])
    assert main(script, script) == 1
    assert script.events[-1]["error"]["code"] == "bad_input"


def test_the_end_of_the_input_is_a_stop():
    commands = Commands(iter(["save\n", "nonsense\n"]))
    found = []
    while "stop" not in found:
        if (word := commands.next()) is not None:
            found.append(word)
    assert found == ["save", "stop"]
    assert commands.next() == "stop"
