"""Whoever takes part in a refinement, without a model, and a server of such: the loop between them is the real one."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx

from backend.refining.loop import Loop, Revision, Spend
from critiques import caption, critique
from library_rows import reference
from studio.media import MediaReference
from studio.prompting import is_upsampled
from studio.prompting.critique import Critique, read_critique
from studio.prompting.opening import PromptPair
from studio.prompting.refining import Made, RoundSummary
from studio.refinements import Refinement, first_nodes, unfinished
from studio.requests.refine_image import RefineImage

Judged = dict[str, Any] | Exception
Picture = bytes

OPENING_TOKENS, JUDGING_TOKENS, REWRITING_TOKENS = 100, 20, 1000


class FakeStudio:
    """Writes, makes, judges and keeps; what it judges comes from a list, the last of which is repeated."""

    def __init__(self, *judged: Judged) -> None:
        self.judged = list(judged)
        self.made: dict[str, Made] = {}
        self.given_up: list[str] = []
        self.said: list[str] = []
        self.histories: list[Sequence[RoundSummary]] = []
        self.kept: list[Refinement] = []
        self.trees: dict[str, Refinement] = {}
        self.links: list[tuple[str, str]] = []
        self.lost: set[str] = set()
        self.making: Callable[[str, Made], None] = lambda _, __: None
        self.opening: Exception | None = None
        self.at_once = self.most_at_once = 0

    async def open(self, request: RefineImage, words: str, thrift: int, spend: Spend) -> PromptPair:
        self.said.append(f"open {words} {thrift}")
        spend(OPENING_TOKENS)
        if self.opening:
            raise self.opening
        return PromptPair(prompt=json.dumps(caption()))

    async def judge(self, request: RefineImage, made: Made, words: str, media_id: str, spend: Spend) -> Critique:
        answer = self.judgement(words, media_id)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if isinstance(answer, Exception):
            raise answer
        spend(JUDGING_TOKENS)
        return read_critique(json.dumps(answer))

    def judgement(self, words: str, media_id: str) -> Judged:
        return self.judged.pop(0) if len(self.judged) > 1 else self.judged[0]

    async def rewrite(self, request: RefineImage, revision: Revision, spend: Spend) -> PromptPair:
        self.said.append(f"rewrite {revision.wish} {revision.thrift}".strip())
        self.histories.append(revision.history)
        spend(REWRITING_TOKENS)
        return PromptPair(prompt=json.dumps(caption(f"Revised {len(revision.history)} times.")), negative_prompt="bent")

    async def make(self, job_id: str, request: Made, waits: Callable[[bool], None]) -> MediaReference:
        self.making(job_id, request)
        self.made[job_id] = request
        await asyncio.sleep(0)
        return reference(f"{job_id}-0", seed=request.sampling.seed)

    async def give_up(self, job_id: str) -> None:
        self.given_up.append(job_id)

    def holds(self, made: MediaReference) -> bool:
        return made.id not in self.lost

    async def put(self, tree: Refinement) -> None:
        self.kept.append(tree)
        self.trees[tree.id] = tree

    async def link(self, media_id: str, made_after: str) -> None:
        self.links.append((media_id, made_after))


class RefiningServer(FakeStudio):
    """Answers what `StudioClient.refinements` and `StudioClient.media` ask, by `transport`.

    Args:
        draw: a picture of a person's words, its seed, and how often its prompt was rewritten.
        score: the critic's overall score of words and a picture.
    """

    def __init__(self, draw: Callable[[str, int, int], Picture], score: Callable[[str, Picture], float]) -> None:
        super().__init__()
        self.begun = 0
        self.failing: Exception | None = None
        self.transport = httpx.MockTransport(self._answer)
        self._draw, self._score = draw, score
        self._pictures: dict[str, Picture] = {}
        self._loops: dict[str, asyncio.Task[None]] = {}

    def judgement(self, words: str, media_id: str) -> Judged:
        return critique(self._score(words, self._pictures[media_id]), "minor")

    async def make(self, job_id: str, request: Made, waits: Callable[[bool], None]) -> MediaReference:
        if self.failing is not None:
            raise self.failing
        made = await super().make(job_id, request, waits)
        said = json.loads(request.prompt)["comprehensive_t2i_caption"]
        rewrites = int(said.split()[1]) if said.startswith("Revised") else 0
        picture = self._draw(request.written_from or "", request.sampling.seed, rewrites)
        self._pictures[made.id] = picture
        return made.model_copy(update={"size_bytes": len(picture), "sha256": hashlib.sha256(picture).hexdigest()})

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        match request.method, request.url.path.split("/")[2:]:
            case "GET", ["media", name]:
                return httpx.Response(200, content=self._pictures[name])
            case "POST", ["refinements"]:
                self.begun += 1
                return self._run(tree_of(RefineImage.model_validate_json(request.content), f"{self.begun:012x}"))
            case "POST", ["refinements", name, "resume"]:
                return self._run(self.trees[name].model_copy(update={"state": "running", "error": None}))
            case "GET", ["refinements", name] if name in self.trees:
                await asyncio.sleep(0)
                return _told(self.trees[name])
            case _:
                error = {"code": "refinement_not_found", "message": "There is none.", "type": "not_found"}
                return httpx.Response(404, json={"error": error})

    def _run(self, tree: Refinement) -> httpx.Response:
        self.trees[tree.id] = tree
        loop = Loop(tree, self, self, self, lambda: None)
        self._loops[tree.id] = asyncio.create_task(loop.run(unfinished(tree)))
        return _told(tree)


def begun(**fields: Any) -> Refinement:
    """One that has just begun."""
    made = {"kind": "generate_image", "prompt": "a red cube", "sampling": {"seed": 7}}
    return tree_of(RefineImage.model_validate({"generate": made, **fields}), "a" * 12)


def tree_of(request: RefineImage, name: str) -> Refinement:
    """The tree of a refinement before anything is made."""
    nodes = first_nodes(request, given=is_upsampled(request.generate.prompt))
    return Refinement(id=name, created_at=datetime.now(UTC), request=request, nodes=nodes)


def _told(tree: Refinement) -> httpx.Response:
    return httpx.Response(200, json=tree.model_dump(mode="json"))
