"""An interpreter with the real franky and a Franka to talk to: franky-sim needs another MuJoCo than ours."""

import fcntl
import hashlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venv" / "franky"
"""Beside our own packages, out of git's sight; `make clean` takes it away."""

FRANKY = ("franky-control==2.0.0", "franky-sim==1.0.4")
INSTALL_S = 900.0


def franka_python() -> Path:
    """The interpreter; made once, and made anew when what it needs has changed. Skips where nothing can be fetched."""
    needed = _needed()
    stamp = FOLDER / f"installed-{hashlib.sha256(' '.join(needed).encode()).hexdigest()[:12]}"
    python = FOLDER / "bin" / "python"
    with FOLDER.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists():
            _run(sys.executable, "-m", "venv", "--clear", str(FOLDER))
            _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *needed)
            stamp.touch()
    return python


def _needed() -> tuple[str, ...]:
    """What the robot's room imports, of our own versions, beside franky: all but its MuJoCo."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [*project["dependencies"], *project["optional-dependencies"]["robot"]]
    return (*(name for name in named if not name.startswith("mujoco")), *FRANKY)


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"franky and franky-sim could not be installed within {INSTALL_S:.0f} s")
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        pytest.skip(f"franky and franky-sim could not be installed, is there a network? {' '.join(last)}")
