"""The robot and the page install and run without torch."""

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires

import pytest
from packaging.requirements import Requirement

HEAVY = {"torch", "diffusers", "transformers"}

PROBE = """
import importlib, pkgutil, sys
room = importlib.import_module({room!r})
for module in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(sorted({heavy!r} & set(sys.modules)))
"""


@pytest.mark.parametrize("room", ["robot", "frontend", "studio", "cli"])
def test_a_light_room_never_imports_torch(room: str):
    code = PROBE.format(room=room, heavy=HEAVY)

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("extra", ["robot", "frontend", "backend"])
def test_a_light_extra_needs_no_torch(extra: str):
    needed: set[str] = set()
    waiting = [f"orrery[{extra}]"]
    while waiting:
        wanted = Requirement(waiting.pop())
        for text in _requirements(wanted.name):
            requirement = Requirement(text)
            if _applies(requirement, wanted.extras) and requirement.name not in needed:
                needed.add(requirement.name)
                waiting.append(str(requirement))

    assert "pydantic" in needed
    assert not {re.sub(r"[-_.]+", "-", name).lower() for name in needed} & HEAVY


def _requirements(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return []


def _applies(requirement: Requirement, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in [*extras, ""])
