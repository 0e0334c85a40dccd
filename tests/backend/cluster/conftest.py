"""Hosts of these tests live in their process: what one changes of its environment is put back."""

import pytest


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub is as it was, also for what is imported meanwhile, and threads are counted as they were."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
