"""A server that refines, without a server: the real loop, with a generator and a critic that tests write."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx

from backend.refining.loop import Loop
from backend.refining.taking_part import Revision, Spend
from critiques import caption, critique
from library_rows import reference
from studio.critiques import Critique
from studio.media import MediaReference
from studio.prompting import is_upsampled
from studio.prompting.critique import read_critique
from studio.prompting.refining import Draft, Made
from studio.refinement_growth import first_nodes, unfinished
from studio.refinements import Refinement
from studio.requests.refine_image import RefineImage

Picture = bytes
Drawn = Callable[[str, int, int], Picture]
"""A picture of a person's words, its seed, and how often its prompt was rewritten."""
Judged = Callable[[str, Picture], float]
"""The critic's overall score of words and a picture."""


class RefiningServer:
    """Answers what `StudioClient.refinements` and `StudioClient.media` ask, by `transport`."""

    def __init__(self, draw: Drawn, judge: Judged) -> None:
        self.begun = 0
        self.trees: dict[str, Refinement] = {}
        self.failing: Exception | None = None
        self.transport = httpx.MockTransport(self._answer)
        self._draw, self._judge = draw, judge
        self._pictures: dict[str, Picture] = {}
        self._loops: dict[str, asyncio.Task[None]] = {}

    async def open(self, request: RefineImage, words: str, thrift: int, spend: Spend) -> Draft:
        spend(10)
        return Draft(prompt=json.dumps(caption()))

    async def judge(self, request: RefineImage, made: Made, words: str, media_id: str, spend: Spend) -> Critique:
        spend(20)
        return read_critique(json.dumps(critique(self._judge(words, self._pictures[media_id]), "minor")))

    async def rewrite(self, request: RefineImage, revision: Revision, spend: Spend) -> Draft:
        spend(30)
        return Draft(prompt=json.dumps(caption(f"Revised {len(revision.history)} times.")))

    async def make(self, job_id: str, request: Made) -> MediaReference:
        if self.failing is not None:
            raise self.failing
        assert is_upsampled(request.prompt)
        said = json.loads(request.prompt)["comprehensive_t2i_caption"]
        rewrites = int(said.split()[1]) if said.startswith("Revised") else 0
        name = f"{job_id}-0"
        self._pictures[name] = self._draw(request.written_from or "", request.sampling.seed, rewrites)
        data = self._pictures[name]
        return reference(name, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())

    async def give_up(self, job_id: str) -> None:
        """Nothing runs for long here."""

    async def put(self, tree: Refinement) -> None:
        self.trees[tree.id] = tree

    async def link(self, media_id: str, made_after: str) -> None:
        """Nobody asks."""

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        match request.method, request.url.path.split("/")[2:]:
            case "GET", ["media", name]:
                return httpx.Response(200, content=self._pictures[name])
            case "POST", ["refinements"]:
                return self._told(self._begin(json.loads(request.content)))
            case "POST", ["refinements", name, "resume"]:
                return self._told(self._run(self.trees[name].model_copy(update={"state": "running", "error": None})))
            case "GET", ["refinements", name] if name in self.trees:
                await asyncio.sleep(0)
                return self._told(self.trees[name])
            case _:
                error = {"code": "refinement_not_found", "message": "There is none.", "type": "not_found"}
                return httpx.Response(404, json={"error": error})

    def _begin(self, body: dict[str, Any]) -> Refinement:
        self.begun += 1
        request = RefineImage.model_validate(body)
        return self._run(
            Refinement(
                id=f"{self.begun:012x}",
                created_at=datetime.now(UTC),
                request=request,
                nodes=first_nodes(request, given=is_upsampled(request.generate.prompt)),
            )
        )

    def _run(self, tree: Refinement) -> Refinement:
        self.trees[tree.id] = tree
        loop = Loop(tree, self, self, self, lambda: None)
        self._loops[tree.id] = asyncio.create_task(loop.run(unfinished(tree)))
        return tree

    def _told(self, tree: Refinement) -> httpx.Response:
        return httpx.Response(200, json=tree.model_dump(mode="json"))
