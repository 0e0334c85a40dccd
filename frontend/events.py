"""Gradio's event methods, which it adds to its classes while they are made, where no type checker sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradio.components import Component


def listener(component: Component, event: str) -> Callable[..., Any]:
    """The method that listens to an event: `listener(button, "click")(handler, inputs, outputs)`."""
    return getattr(component, event)
