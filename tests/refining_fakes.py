"""Whoever takes part in a refinement, without a model: what is judged is a list."""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from backend.refining.taking_part import Revision, Spend
from critiques import caption
from library_rows import reference
from studio.critiques import Critique
from studio.media import MediaReference
from studio.prompting.critique import read_critique
from studio.prompting.refining import Draft, RoundSummary
from studio.refinement_growth import first_nodes
from studio.refinements import Refinement
from studio.requests import GenerateImage, GenerateVideo
from studio.requests.refine_image import RefineImage

Made = GenerateImage | GenerateVideo


class FakeStudio:
    """Writes, makes, judges and keeps; what it judges comes from a list, the last of which is repeated."""

    def __init__(self, *judged: dict[str, Any] | Exception) -> None:
        self.judged = list(judged)
        self.made: dict[str, Made] = {}
        self.given_up: list[str] = []
        self.said: list[str] = []
        self.histories: list[Sequence[RoundSummary]] = []
        self.kept: list[Refinement] = []
        self.links: list[tuple[str, str]] = []
        self.making: Callable[[str, Made], None] = lambda _, __: None
        self.opening: Exception | None = None
        self.at_once = self.most_at_once = 0

    async def open(self, request: RefineImage, words: str, thrift: int, spend: Spend) -> Draft:
        self.said.append(f"open {words} {thrift}")
        spend(100)
        if self.opening:
            raise self.opening
        return Draft(prompt=json.dumps(caption()))

    async def judge(self, request: RefineImage, made: Made, words: str, media_id: str, spend: Spend) -> Critique:
        answer = self.judged.pop(0) if len(self.judged) > 1 else self.judged[0]
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if isinstance(answer, Exception):
            raise answer
        return read_critique(json.dumps(answer))

    async def rewrite(self, request: RefineImage, revision: Revision, spend: Spend) -> Draft:
        self.said.append(f"rewrite {revision.wish} {revision.thrift}".strip())
        self.histories.append(revision.history)
        spend(1000)
        return Draft(prompt=json.dumps(caption(f"Straight edges {len(self.said)}.")), negative_prompt="bent")

    async def make(self, job_id: str, request: Made) -> MediaReference:
        self.making(job_id, request)
        self.made[job_id] = request
        await asyncio.sleep(0)
        return reference(f"{job_id}-0", seed=request.sampling.seed)

    async def give_up(self, job_id: str) -> None:
        self.given_up.append(job_id)

    async def put(self, tree: Refinement) -> None:
        self.kept.append(tree)

    async def link(self, media_id: str, made_after: str) -> None:
        self.links.append((media_id, made_after))


def begun(**fields: Any) -> Refinement:
    request = RefineImage.model_validate(
        {"generate": {"kind": "generate_image", "prompt": "a red cube", "sampling": {"seed": 7}}, **fields}
    )
    return Refinement(
        id="a" * 12, created_at=datetime.now(UTC), request=request, nodes=first_nodes(request, given=False)
    )
