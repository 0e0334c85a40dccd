"""What the worker's process is told by its environment."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from backend.engine_process import process


class NotStartedError(Exception):
    """Instead of a process."""


@pytest.mark.parametrize(("said", "told"), [(None, "1000"), ("7", "7")])
def test_threads_that_wait_for_others_soon_sleep_unless_a_person_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, said: str | None, told: str
):
    if said is None:
        monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    else:
        monkeypatch.setenv("GOMP_SPINCOUNT", said)
    monkeypatch.setenv("ORRERY_FOR_THE_WORKER", "kept")
    seen: dict[str, Any] = {}

    def start(command: list[str], **given: Any) -> None:
        seen.update(given["env"])
        raise NotStartedError

    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(NotStartedError):
        process.Link((), lambda report: None, lambda code: None)
    assert (seen["GOMP_SPINCOUNT"], seen["ORRERY_FOR_THE_WORKER"]) == (told, "kept")
