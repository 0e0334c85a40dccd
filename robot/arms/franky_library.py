"""The franky library, loaded when a Franka is connected and not before."""

from __future__ import annotations

import importlib
from typing import Any

from robot.faults import NotInstalled

_HINT = "pip install 'franky-control>=2,<3' (the package named franky is another project)."

_ERRORS = (
    "CommandException",
    "ControlException",
    "GripperException",
    "IncompatibleVersionException",
    "InvalidMotionTypeException",
    "InvalidOperationException",
    "ModelException",
    "MotionReuseException",
    "NetworkException",
    "ProtocolException",
    "RealtimeException",
)


def load_franky() -> Any:
    """The module.

    Raises:
        NotInstalled: it is not there, or it is another project of that name.
    """
    try:
        library = importlib.import_module("franky")
    except ImportError as error:
        raise NotInstalled(
            f"A Franka is driven by franky-control, which cannot be loaded: {error}.", hint=_HINT
        ) from None
    if not hasattr(library, "JointImpedanceTracker"):
        raise NotInstalled(
            f"The franky at {library.__file__} has no JointImpedanceTracker; franky-control 2 is needed.", hint=_HINT
        )
    return library


def franky_errors(library: Any) -> tuple[type[Exception], ...]:
    """What its calls raise: its own, which share no base, and RuntimeError and ValueError for what cannot be done."""
    return (RuntimeError, ValueError, *(getattr(library, name) for name in _ERRORS if hasattr(library, name)))
