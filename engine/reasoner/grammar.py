"""JSON schemas as grammars: compiled in bounded time, and asked what may come next."""

from __future__ import annotations

import json
import threading
from typing import Any

import numpy as np
from llguidance import LLMatcher

from engine.reasoner.vocabulary import Vocabulary
from studio.errors import BadInput

JSON_FORM: dict[str, Any] = {
    "whitespace_flexible": False,
    "item_separator": ", ",
    "key_separator": ": ",
    "lenient": False,
}
"""As Python's `json.dumps` writes, which is how the captions that Cosmos 3 was trained on are written."""

OWN_TOKENS = '%llguidance {"no_forcing": true}'
"""Every spelling of the text is allowed. By itself the grammar engine spells what is certain to come its own way:
before a string with a pattern `": "` became `":` and ` "`, which no model has seen, and what followed was wrong."""

COMPILE_S = 3.0
"""Wall time; a caption's schema of a hundred fields takes a few milliseconds, also on a busy machine well within it."""


def too_complex() -> BadInput:
    """Says that a limit of the grammar engine, or of the time that may be spent on a schema, was met."""
    return BadInput(
        "The schema is too complex or too large.",
        param="response_schema",
        hint="Use fewer properties and less nested repetition.",
    )


def compile_schema(schema: dict[str, Any], vocabulary: Vocabulary) -> LLMatcher:
    """A matcher at the beginning of an answer.

    Raises:
        BadInput: the schema is none, nothing matches it, or it is not compiled within `COMPILE_S`.
    """
    tokens, made = vocabulary.grammar, list[LLMatcher]()

    def make() -> None:
        said = json.dumps({**schema, "x-guidance": JSON_FORM})
        grammar = LLMatcher.grammar_from_lark(f"{OWN_TOKENS}\nstart: %json {said}")
        made.append(LLMatcher(tokens, grammar, log_level=0))

    # Compiling cannot be stopped. One that takes too long goes on beside us until it meets a limit of its own.
    thread = threading.Thread(target=make, name="grammar", daemon=True)
    thread.start()
    thread.join(COMPILE_S)
    if not made:
        raise too_complex()
    matcher = made[0]
    if matcher.is_error():
        raise BadInput(
            f"The schema cannot be answered: {matcher.get_error().splitlines()[0].rstrip('.')}.",
            param="response_schema",
            hint="Send a JSON schema that an answer can match.",
        )
    return matcher


def following(matcher: LLMatcher, vocabulary: Vocabulary) -> np.ndarray:
    """Tokens that may come next, bool [V].

    Raises:
        BadInput: the grammar engine has met a limit.
    """
    try:
        mask = matcher.compute_bitmask()
    except ValueError:
        raise too_complex() from None
    if matcher.is_error():
        raise too_complex()
    bits = np.frombuffer(mask, dtype=np.uint8)
    return np.unpackbits(bits, count=vocabulary.size, bitorder="little").view(bool)
