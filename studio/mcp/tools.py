"""The tools themselves. Their names, arguments and docstrings are what an agent sees."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from studio.client import StudioClient
from studio.comparisons import CompareRequest
from studio.errors import BadInput
from studio.jobs import Job
from studio.library import LibraryQuery
from studio.mcp.answers import AddedFile, ChatAnswer, ComparisonAnswer, Found, JobAnswer, SearchAnswer
from studio.media import MediaType
from studio.requests import AspectRatio, Resolution, parse_as, parse_request

WAIT_S = 50.0
"""How long a call waits for its job by default: clients of agents give up after a minute."""

MAX_WAIT_S = 600.0

Wait = Annotated[float, Field(ge=0, le=MAX_WAIT_S, description="seconds to wait for the job to end")]
MediaId = Annotated[str, Field(description="an id from the library or of a result, as u0123456789abcdef")]
Steps = Annotated[int | None, Field(ge=1, le=200, description="denoising steps; fewer are faster and rougher")]
Seed = Annotated[int | None, Field(ge=0, description="the same seed makes the same result; none draws one")]


class StudioTools:
    """Everything an agent may do here, over one client."""

    def __init__(self, client: StudioClient) -> None:
        self._client = client

    async def generate_image(
        self,
        prompt: str,
        aspect_ratio: AspectRatio | None = None,
        resolution: Resolution | None = None,
        count: Annotated[int, Field(ge=1, le=10)] = 1,
        steps: Steps = None,
        seed: Seed = None,
        wait_s: Wait = WAIT_S,
    ) -> JobAnswer:
        """Make pictures from words. What is left out comes from the loaded checkpoint's preset."""
        said = {"aspect_ratio": aspect_ratio, "resolution": resolution, "count": count}
        return await self._make("generate_image", prompt, said, steps, seed, wait_s)

    async def generate_video(
        self,
        prompt: str,
        start_image: Annotated[str | None, Field(description="media id of a picture that the clip starts with")] = None,
        source_video: Annotated[str | None, Field(description="media id of a clip that is continued")] = None,
        num_frames: Annotated[int | None, Field(ge=5, le=397, description="4k+1, as 17 or 93")] = None,
        fps: Annotated[float | None, Field(ge=10, le=30)] = None,
        sound: bool | None = None,
        aspect_ratio: AspectRatio | None = None,
        resolution: Resolution | None = None,
        steps: Steps = None,
        seed: Seed = None,
        wait_s: Wait = WAIT_S,
    ) -> JobAnswer:
        """Make a clip from words, from a first picture, or as the continuation of a clip; minutes on a GPU."""
        said = {
            "start_image": start_image,
            "source_video": source_video,
            "num_frames": num_frames,
            "fps": fps,
            "sound": sound,
            "aspect_ratio": aspect_ratio,
            "resolution": resolution,
        }
        return await self._make("generate_video", prompt, said, steps, seed, wait_s)

    async def ask(
        self,
        question: str,
        media_id: Annotated[str | None, Field(description="a picture or clip to look at")] = None,
        max_tokens: Annotated[int, Field(ge=1, le=8192)] = 512,
    ) -> str:
        """Ask the reasoner about the physical world, or about a picture or clip of the library."""
        content: list[dict[str, Any]] = [{"type": "text", "text": question}]
        if media_id is not None:
            item = await self._client.library.item(media_id)
            if item.type not in ("image", "video"):
                raise BadInput(f"{media_id} is a file of type {item.type}; a picture or a clip is looked at.")
            kind = f"{item.type}_url"
            content.insert(0, {"type": kind, kind: {"url": f"media:{media_id}"}})
        body = {"messages": [{"role": "user", "content": content}], "max_tokens": max_tokens}
        answer = await self._client.ask_reasoner("/v1/chat/completions", body, ChatAnswer)
        return answer.choices[0].message.content or ""

    async def add_file(
        self, path: Annotated[str, Field(description="of a picture or clip on this machine, as /home/me/table.png")]
    ) -> AddedFile:
        """Put a file into the library, to start something from it, ask about it or compare it."""
        reference = await self._client.upload(Path(path).expanduser())
        return AddedFile(media_id=reference.id, type=reference.type)

    async def search_library(
        self,
        words: Annotated[str, Field(description="each must begin a word of the prompt, title or tags")] = "",
        type: MediaType | None = None,
        starred: bool | None = None,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        order: Literal["newest", "oldest", "largest"] = "newest",
    ) -> SearchAnswer:
        """Find what was made or uploaded before."""
        types = () if type is None else (type,)
        query = LibraryQuery(q=words, type=types, starred=starred, limit=limit, order=order)
        page = await self._client.library.search(query)
        return SearchAnswer(total=page.total, items=[Found.of(item, self._client.base_url) for item in page.items])

    async def compare(
        self,
        prompts: Annotated[list[str], Field(min_length=1, max_length=50)],
        checkpoints: Annotated[
            list[str] | None, Field(description="ids of installed checkpoints, a column for each")
        ] = None,
        kind: Literal["generate_image", "generate_video"] = "generate_image",
        axes: Annotated[
            dict[str, list[Any]] | None,
            Field(description='further fields and their values, as {"sampling.seed": [1, 2]}'),
        ] = None,
    ) -> ComparisonAnswer:
        """Make every prompt on every checkpoint, and with every combination of further values, as one grid to look at.

        It answers at once; get_comparison says how it stands.
        """
        columns = {**({"checkpoint": checkpoints} if checkpoints else {}), **(axes or {})}
        subjects = [{"request": {"kind": kind, "prompt": prompt}} for prompt in prompts]
        asked = parse_as(CompareRequest, {"subjects": subjects, "axes": columns})
        return ComparisonAnswer.of(await self._client.comparisons.submit(asked), self._client.base_url)

    async def get_comparison(self, comparison_id: str) -> ComparisonAnswer:
        """How a comparison stands, cell by cell, with what each took and what was measured."""
        return ComparisonAnswer.of(await self._client.comparisons.get(comparison_id), self._client.base_url)

    async def get_job(self, job_id: str, wait_s: Wait = 0) -> JobAnswer:
        """How a job stands; with wait_s, once it has ended or that much time has gone by."""
        return await self._answer(await self._client.job(job_id), wait_s)

    async def cancel_job(self, job_id: str) -> JobAnswer:
        """Cancel a job that has not ended; nothing that it made is kept."""
        return await self._answer(await self._client.cancel(job_id), 0)

    async def _make(
        self,
        kind: str,
        prompt: str,
        said: Mapping[str, Any],
        steps: int | None,
        seed: int | None,
        wait_s: float,
    ) -> JobAnswer:
        fields = {name: value for name, value in said.items() if value is not None}
        named = {"num_inference_steps": steps, "seed": seed}
        sampling = {name: value for name, value in named.items() if value is not None}
        if sampling:
            fields["sampling"] = sampling
        request = parse_request({"kind": kind, "prompt": prompt, **fields})
        return await self._answer(await self._client.submit(request), wait_s)

    async def _answer(self, job: Job, wait_s: float) -> JobAnswer:
        if wait_s and not job.state.ended:
            try:
                job = await asyncio.wait_for(self._client.wait(job.id), wait_s)
            except TimeoutError:
                job = await self._client.job(job.id)
        return JobAnswer.of(job, self._client.base_url)
