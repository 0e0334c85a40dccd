import os
import subprocess
import sys
from pathlib import Path

import pytest

from robot.priority import come_first

SAY = "import os; from robot.priority import come_first; come_first(); print(os.sched_getscheduler(0))"


def test_who_has_no_right_to_it_goes_on_without(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    monkeypatch.setattr(os, "setpriority", refuse)
    come_first()


@pytest.mark.skipif(not hasattr(os, "SCHED_RR") or os.geteuid() != 0, reason="only root has real-time priority")
def test_root_comes_before_all_that_has_no_real_time_priority():
    root = Path(__file__).parents[2]
    said = subprocess.run([sys.executable, "-c", SAY], capture_output=True, text=True, check=True, cwd=root, timeout=60)
    assert int(said.stdout) == os.SCHED_RR
