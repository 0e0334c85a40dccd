"""`orrery bench`: become the program that times the engine."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any

import typer

from studio.errors import StudioError

PASSES_ON: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""How the command is registered: its flags are the program's own, --help among them."""

BENCH_COMMAND = (sys.executable, "-P", "-m", "engine.bench")
NEEDS = ("torch", "diffusers", "av")
"""What the program imports on any machine."""


def bench(context: typer.Context) -> None:
    """Time the engine against diffusers on this machine; orrery bench --help lists its own flags."""
    missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        raise StudioError(
            f"{', '.join(missing)} cannot be imported.", hint="pip install 'orrery[engine,backend]' brings it."
        )
    os.execv(BENCH_COMMAND[0], (*BENCH_COMMAND, *context.args))
