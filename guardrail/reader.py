"""What reads texts: NVIDIA's two text checks, a blocklist and Qwen3Guard."""

from __future__ import annotations

from typing import Any, Protocol


class Reader(Protocol):
    """Something that reads texts."""

    def load(self) -> str:
        """Load what it needs; a word on it for people. Raises whatever is wrong."""
        ...

    def read(self, text: str) -> tuple[bool, str]:
        """Whether a text is safe, and why not. Raises when it cannot tell."""
        ...


class CosmosReader:
    """cosmos-guardrail 0.3. Only its text checks are loaded; frames are not looked at."""

    def __init__(self) -> None:
        self._blocklist: Any = None
        self._guard: Any = None

    def load(self) -> str:
        """Load both, which fetches them the first time."""
        from cosmos_guardrail.cosmos_guardrail import (  # pyright: ignore[reportMissingImports] - in its own environment
            COSMOS_GUARDRAIL_CHECKPOINT,
            Blocklist,
            Qwen3Guard,
        )

        self._blocklist = Blocklist(COSMOS_GUARDRAIL_CHECKPOINT)
        self._guard = Qwen3Guard()
        return "prompts are read by a blocklist and Qwen3Guard; frames are not looked at"

    def read(self, text: str) -> tuple[bool, str]:
        """Ask both."""
        safe, why = self._blocklist.is_safe(text)
        if not safe:
            return False, str(why)
        # Not `is_safe`: that answers yes when the model breaks (cosmos_guardrail.py, 0.3.2).
        safe, why = self._guard.extract_label_and_categories(text)
        return bool(safe), str(why)
