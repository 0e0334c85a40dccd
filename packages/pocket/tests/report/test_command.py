"""`orrery report-card`, as the program that it becomes."""

import subprocess
import sys


def test_the_studio_s_command_finds_the_report_card():
    code = "from cli import main; main()"

    done = subprocess.run(
        [sys.executable, "-c", code, "report-card", "--help"], capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "--checkpoint" in done.stdout
