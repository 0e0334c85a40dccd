"""An order of the server's own, for somebody who asked over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

from studio.errors import StudioError
from studio.jobs import Failure


class Inquiry:
    """Stands where a page stands, and takes one answer. Lives on the event loop's thread."""

    def __init__(self) -> None:
        self._answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def tell(self, message: dict[str, Any]) -> None:
        """The robot's answer."""
        error = message.get("error")
        self.answer(None, Failure.model_validate(error).error() if error else None, message.get("value"))

    def answer(self, number: object, error: StudioError | None, value: object = None) -> None:
        """An answer, or why there will be none."""
        if self._answered.done():
            return
        if error is not None:
            self._answered.set_exception(error)
        else:
            self._answered.set_result(value)

    async def value(self) -> Any:
        """What was answered. Raises StudioError, what the robot said or that it left."""
        return await self._answered
