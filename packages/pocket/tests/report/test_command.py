"""`orrery report-card`, as the program that it becomes."""

import subprocess
import sys

import pytest

from pocket.report.__main__ import main


def test_the_studio_s_command_finds_the_report_card():
    code = "from cli import main; main()"

    done = subprocess.run(
        [sys.executable, "-c", code, "report-card", "--help"], capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "--checkpoint" in done.stdout


def test_a_step_cache_beyond_one_is_refused_with_what_came(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["--checkpoint", "toy", "--step-cache", "1.5"])

    assert "--step-cache: 1.5 is not between 0 and 1." in capsys.readouterr().err
