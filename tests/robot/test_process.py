import os
import subprocess
import sys
from pathlib import Path

import pytest

from robot.process import raise_priority

ROOT = Path(__file__).parents[2]
TAKE = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))"
SAY = "import os; from robot.process import raise_priority; raise_priority(); print(os.sched_getscheduler(0))"


def test_who_has_no_right_to_it_goes_on_without(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    monkeypatch.setattr(os, "setpriority", refuse)
    raise_priority()


def test_who_has_the_right_comes_before_all_that_has_no_real_time_priority():
    if subprocess.run([sys.executable, "-c", TAKE], capture_output=True, check=False, timeout=60).returncode:
        pytest.skip("this system gives nobody real-time priority here: it takes root or an rtprio limit")
    said = subprocess.run([sys.executable, "-c", SAY], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60)
    assert int(said.stdout) == os.SCHED_RR
