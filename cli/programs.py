"""Verbs that become another program of the studio, whose flags are its own."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any, NoReturn

import typer

from studio.errors import StudioError

PASSES_ON: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""How they are registered: --help is the program's too."""


def robot(context: typer.Context) -> None:
    """Start the program beside an arm; orrery robot --help lists its own flags."""
    # Whatever the arm; the program says itself what a particular one needs.
    _become("robot", context.args, needs=("av", "cv2", "pyarrow", "structlog"), brings="'orrery[robot]'")


def bench(context: typer.Context) -> None:
    """Time the engine against diffusers on this machine; orrery bench --help lists its own flags."""
    _become("engine.bench", context.args, needs=("torch", "diffusers", "av"), brings="'orrery[engine,backend]'")


def report_card(context: typer.Context) -> None:
    """Examine a pocket checkpoint on held-out scenes; orrery report-card --help lists its own flags."""
    _become("pocket.report", context.args, needs=("pocket",), brings="-e packages/pocket")


def _become(module: str, arguments: list[str], *, needs: tuple[str, ...], brings: str) -> NoReturn:
    """Run a program in the place of this one. Raises StudioError where what it imports on any machine is missing."""
    check_imports(needs, brings)
    os.execv(sys.executable, (sys.executable, "-P", "-m", module, *arguments))


def check_imports(needs: tuple[str, ...], brings: str) -> None:
    """Raises StudioError: a package that a program needs is missing; `brings` is what pip installs to bring it."""
    missing = [name for name in needs if importlib.util.find_spec(name) is None]
    if missing:
        raise StudioError(f"{', '.join(missing)} cannot be imported.", hint=f"Install it with pip install {brings}.")
