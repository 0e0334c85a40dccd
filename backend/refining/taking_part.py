"""Who takes part in a refinement's loop, as far as the loop knows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from studio.critiques import Critique
from studio.media import MediaReference
from studio.prompting.refining import Draft, Made, RoundSummary
from studio.refinements import Refinement
from studio.requests.refine_image import RefineImage

Spend = Callable[[int], None]
"""Told of tokens that were read and written."""


@dataclass(frozen=True)
class Revision:
    """What a rewriter is told.

    Attributes:
        last: the recipe whose prompts are revised.
        words: what the person asked for.
        critique: of what it made; none where nobody has judged it.
        history: the rounds before, the first one first.
        wish: what a person wants to be different.
        thrift: how often the answer is to be halved.
    """

    last: Made
    words: str
    critique: Critique | None
    history: Sequence[RoundSummary]
    wish: str = ""
    thrift: int = 0


class Answers(Protocol):
    """Whoever takes the three roles (`backend.refining.roles.Roles`). Everything raises StudioErrors."""

    async def open(self, request: RefineImage, words: str, thrift: int, spend: Spend) -> Draft:
        """The first round's prompts."""
        ...

    async def judge(self, request: RefineImage, made: Made, words: str, media_id: str, spend: Spend) -> Critique:
        """What is wrong with a result."""
        ...

    async def rewrite(self, request: RefineImage, revision: Revision, spend: Spend) -> Draft:
        """Both prompts anew."""
        ...


class Makes(Protocol):
    """Whoever makes results (`backend.refining.bench.Bench`)."""

    async def make(self, job_id: str, request: Made) -> MediaReference:
        """What a job makes. Raises StudioErrors."""
        ...

    async def give_up(self, job_id: str) -> None:
        """Cancel a job if it has not ended."""
        ...

    def holds(self, made: MediaReference) -> bool:
        """Whether the file of a result is still there."""
        ...


class Keeps(Protocol):
    """Whoever writes trees down (`backend.refining.store.RefinementStore`)."""

    async def put(self, tree: Refinement) -> None:
        """Write one down as it is now."""
        ...

    async def link(self, media_id: str, made_after: str) -> None:
        """Write down which result another one was made after."""
        ...
