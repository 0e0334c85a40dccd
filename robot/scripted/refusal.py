"""What the scripted policy answers when it cannot do what is asked."""

from __future__ import annotations

from typing import Literal

RefusalCode = Literal["prompt_not_understood", "object_not_found", "object_ambiguous", "poses_missing"]


class Refusal(Exception):  # noqa: N818 - it is an answer
    """It was understood, and cannot be done.

    Args:
        code: stable; a program may branch on it.
        message: what came and what there is, for a person.
        hint: what to do.
    """

    def __init__(self, code: RefusalCode, message: str, hint: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
