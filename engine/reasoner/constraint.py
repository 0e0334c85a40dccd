"""An answer that matches a JSON schema, always, and within its budget of tokens."""

from __future__ import annotations

from typing import Any

import torch
from llguidance import LLMatcher
from torch import Tensor

from engine.reasoner.closing import Place, closing_after, shortest_closing
from engine.reasoner.grammar import compile_schema, following, too_complex
from engine.reasoner.vocabulary import Vocabulary
from studio.errors import BadInput

MAX_LOOKS = 10_000
"""Parts of the schema that are looked at; beyond that nothing is claimed."""


class Constraint:
    """A schema and how far an answer has come in it.

    At every step it holds a way to the end: tokens that finish the answer from here. A token after which that way
    would be longer than the budget is not taken; the next one of the way is. So the answer always ends in time.

    Args:
        budget: tokens that the answer may have.

    Raises:
        BadInput: the schema is none, nothing matches it, or nothing does within the budget; or it cannot be compiled,
            or no end of it found, in time.
    """

    def __init__(self, schema: dict[str, Any], vocabulary: Vocabulary, budget: int) -> None:
        self._vocabulary = vocabulary
        self._matcher = compile_schema(schema, vocabulary)
        self._place = Place()
        if never_ends(schema):
            raise BadInput(
                "No finite answer matches the schema.",
                param="response_schema",
                hint="Check the schema for parts that require themselves.",
            )
        closing = shortest_closing(self._matcher, self._place, vocabulary)
        if closing is None:
            raise too_complex()
        if len(closing) > budget:
            raise BadInput(
                f"max_tokens is {budget:,}; the shortest answer of this schema has {len(closing):,} tokens.",
                param="sampling.max_tokens",
                hint=f"Use {len(closing)} or more.",
            )
        self.closing = closing

    @property
    def complete(self) -> bool:
        """The answer matches and nothing can follow."""
        return self._matcher.is_stopped()

    @property
    def satisfied(self) -> bool:
        """The answer matches as it is."""
        return self._matcher.is_accepting()

    def allowed(self) -> Tensor:
        """Tokens that may come next, bool [V].

        Raises:
            BadInput: the grammar engine has met a limit; the answer cannot go on.
        """
        return torch.from_numpy(following(self._matcher, self._vocabulary))

    def forced(self, most: int) -> tuple[int, ...]:
        """Tokens that spell what has to follow as the tokenizer would, up to so many; none where there is a choice."""
        if self._matcher.is_stopped() or not (text := self._matcher.compute_ff_bytes()):
            return ()
        return self._vocabulary.spelling(text)[:most]

    def admit(self, token: int, budget: int) -> int:
        """Go on with a token, or with the way to the end where it leaves too little of the budget.

        Args:
            token: an allowed one.
            budget: tokens that are left, this one among them.

        Returns:
            The token that was taken.

        Raises:
            BadInput: see `allowed`.
        """
        if token in self._vocabulary.ends and self.satisfied:
            return token
        if self.closing and token == self.closing[0]:
            return self._take(token, self._matcher, self.closing[1:])
        ahead = self._matcher.deep_copy()
        if ahead.consume_token(token):
            place = self._place.after(self._vocabulary.spelt(token))
            closing = closing_after(ahead, place, self._vocabulary, self.closing)
            if closing is not None and len(closing) >= budget:
                closing = shortest_closing(ahead, place, self._vocabulary)
            if closing is not None and len(closing) < budget:
                return self._take(token, ahead, closing)
        if not self.closing:
            return min(self._vocabulary.ends)
        return self._take(self.closing[0], self._matcher, self.closing[1:])

    def _take(self, token: int, matcher: LLMatcher, closing: tuple[int, ...]) -> int:
        # The way to the end is legal: only a limit of the grammar engine keeps it from being gone.
        if matcher is self._matcher and not matcher.consume_token(token):
            raise too_complex()
        self._matcher, self.closing = matcher, closing
        self._place = self._place.after(self._vocabulary.spelt(token))
        return token


def never_ends(schema: dict[str, Any]) -> bool:
    """Whether each answer of a schema would hold another one of the same. False where that cannot be shown."""
    return _Proof(schema).fails(schema, frozenset())


class _Proof:
    """Follows what is required. What stands within itself has no end on that way; on another one it may."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._num_looks = 0

    def fails(self, part: Any, within: frozenset[int]) -> bool:
        """Whether a part of the schema, inside of others, has no answer that ends."""
        self._num_looks += 1
        if not isinstance(part, dict) or self._num_looks > MAX_LOOKS:
            return False
        if id(part) in within:
            return True
        inner = within | {id(part)}
        if (name := part.get("$ref")) is not None and self.fails(self._target(name), inner):
            return True
        for key in ("anyOf", "oneOf"):
            if (ways := part.get(key)) and all(self.fails(way, inner) for way in ways):
                return True
        if any(self.fails(each, inner) for each in part.get("allOf", ())):
            return True
        if part.get("type") == "object":
            fields = part.get("properties", {})
            return any(name in fields and self.fails(fields[name], inner) for name in part.get("required", ()))
        return part.get("type") == "array" and part.get("minItems", 0) > 0 and self.fails(part.get("items"), inner)

    def _target(self, name: str) -> Any:
        """What a reference within the schema names; none where it cannot be followed."""
        found: Any = self._root
        if not name.startswith("#"):
            return None
        for step in name[1:].split("/")[1:]:
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        return found
