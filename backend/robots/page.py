"""One page that looks at a robot."""

from __future__ import annotations

import json
from typing import Any

from backend.robots.mailbox import Mailbox
from studio.errors import StudioError
from studio.jobs import Failure


class Page:
    """What is to be sent to it, and which pictures it shows. `wanted` holds families: `predicted` for `predicted/7`."""

    def __init__(self) -> None:
        self.mailbox = Mailbox()
        self.wanted: frozenset[str] = frozenset()

    def tell(self, message: dict[str, Any]) -> None:
        """A message that must arrive."""
        self.mailbox.put(json.dumps(message))

    def answer(self, number: object, error: StudioError | None, value: object = None) -> None:
        """What became of something that it asked."""
        failure = Failure.of(error).model_dump(mode="json") if error is not None else None
        self.tell({"type": "answer", "id": number, "error": failure, "value": value})
