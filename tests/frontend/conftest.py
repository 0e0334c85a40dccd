"""Drawing Gradio components in a test."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import pytest

Drawn = TypeVar("Drawn")


@pytest.fixture(scope="session")
def in_a_loop() -> Callable[[Callable[[], Drawn]], Drawn]:
    """Draws while an event loop runs; without one Gradio makes its own, which nobody closes."""

    def run(draw: Callable[[], Drawn]) -> Drawn:
        async def drawing() -> Drawn:
            return draw()

        return asyncio.run(drawing())

    return run
