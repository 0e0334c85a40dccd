"""The tools themselves. Their names, arguments and docstrings are what an agent sees."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from inspect import Parameter, Signature, getdoc
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from pydantic import Field
from pydantic.fields import FieldInfo

from studio.client import StudioClient
from studio.comparisons import CompareRequest
from studio.errors import BadInput
from studio.jobs import Job
from studio.library import LibraryQuery
from studio.mcp.answers import AddedFile, ChatAnswer, ComparisonAnswer, FoundItem, JobAnswer, SearchAnswer
from studio.media import MediaType
from studio.requests import KINDS, FormHint, Kind, parse_as, parse_request
from studio.requests.flat_fields import SHORT_NAMES, fields_by_path, nested

WAIT_S = 50.0
"""How long a call waits for its job by default: clients of agents give up after a minute."""

MAX_WAIT_S = 600.0

NO_ARGUMENTS = ("kind", "written_from")
"""Fields that the tool itself says, or the upsampler."""

Wait = Annotated[float, Field(ge=0, le=MAX_WAIT_S, description="how many seconds to wait for the job to end")]


class StudioTools:
    """Everything an agent may do here, over one client."""

    def __init__(self, client: StudioClient) -> None:
        self._client = client

    def makers(self) -> dict[str, Callable[..., Awaitable[JobAnswer]]]:
        """A tool for each kind of request, by name; its arguments are the fields of the request."""
        return {name: self._maker(kind) for name, kind in KINDS.items()}

    async def ask(
        self,
        question: str,
        media_id: Annotated[str | None, Field(description="an image or video to look at")] = None,
        max_tokens: Annotated[int, Field(ge=1, le=8192)] = 512,
    ) -> str:
        """Ask the reasoner about the physical world, or about an image or video of the library."""
        content: list[dict[str, Any]] = [{"type": "text", "text": question}]
        if media_id is not None:
            item = await self._client.library.item(media_id)
            if item.type not in ("image", "video"):
                raise BadInput(f"{media_id} is a file of type {item.type}; expected an image or a video.")
            kind = f"{item.type}_url"
            content.insert(0, {"type": kind, kind: {"url": f"media:{media_id}"}})
        body = {"messages": [{"role": "user", "content": content}], "max_tokens": max_tokens}
        answer = await self._client.ask_reasoner("/v1/chat/completions", body, ChatAnswer)
        return answer.choices[0].message.content or ""

    async def add_file(
        self,
        path: Annotated[
            str, Field(description="path of an image or video on this machine, for example /home/me/table.png")
        ],
    ) -> AddedFile:
        """Add a file to the library, to generate from it, ask about it or compare it."""
        reference = await self._client.upload(Path(path).expanduser())
        return AddedFile(media_id=reference.id, type=reference.type)

    async def search_library(
        self,
        words: Annotated[
            str, Field(description="search words; each must start a word of the prompt, title or tags")
        ] = "",
        type: MediaType | None = None,
        starred: bool | None = None,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        order: Literal["newest", "oldest", "largest"] = "newest",
    ) -> SearchAnswer:
        """Search results and uploads in the library."""
        types = () if type is None else (type,)
        query = LibraryQuery(q=words, type=types, starred=starred, limit=limit, order=order)
        page = await self._client.library.search(query)
        return SearchAnswer(total=page.total, items=[FoundItem.of(item, self._client.base_url) for item in page.items])

    async def compare(
        self,
        prompts: Annotated[list[str], Field(min_length=1, max_length=50)],
        checkpoints: Annotated[
            list[str] | None, Field(description="ids of installed checkpoints, one column each")
        ] = None,
        kind: Literal["generate_image", "generate_video"] = "generate_image",
        axes: Annotated[
            dict[str, list[Any]] | None,
            Field(description='further fields and their values, for example {"sampling.seed": [1, 2]}'),
        ] = None,
    ) -> ComparisonAnswer:
        """Generate every prompt on every checkpoint and with every combination of further values, as one grid.

        Returns at once; call get_comparison for progress.
        """
        columns = {**({"checkpoint": checkpoints} if checkpoints else {}), **(axes or {})}
        subjects = [{"request": {"kind": kind, "prompt": prompt}} for prompt in prompts]
        asked = parse_as(CompareRequest, {"subjects": subjects, "axes": columns})
        return ComparisonAnswer.of(await self._client.comparisons.submit(asked), self._client.base_url)

    async def get_comparison(self, comparison_id: str) -> ComparisonAnswer:
        """Get the state of a comparison, cell by cell, with the time and measurements of each."""
        return ComparisonAnswer.of(await self._client.comparisons.get(comparison_id), self._client.base_url)

    async def get_job(self, job_id: str, wait_s: Wait = 0) -> JobAnswer:
        """Get a job's state. With wait_s, wait until it has ended or that time has passed."""
        return await self._answer(await self._client.job(job_id), wait_s)

    async def cancel_job(self, job_id: str) -> JobAnswer:
        """Cancel a job that has not ended. Its partial results are discarded."""
        return await self._answer(await self._client.cancel(job_id), 0)

    def _maker(self, kind: Kind) -> Callable[..., Awaitable[JobAnswer]]:
        fields = {path: field for path, field in fields_by_path(kind.model) if _is_argument(path, field)}
        paths = {SHORT_NAMES.get(path, path.rpartition(".")[2]): path for path in fields}

        async def make(wait_s: float = WAIT_S, **said: Any) -> JobAnswer:
            values = {paths[name]: value for name, value in said.items() if value is not None}
            request = parse_request({"kind": kind.name, **nested(values)})
            return await self._answer(await self._client.submit(request), wait_s)

        arguments = [_argument(name, fields[path]) for name, path in paths.items()]
        arguments.append(Parameter("wait_s", Parameter.KEYWORD_ONLY, default=WAIT_S, annotation=Wait))
        make.__dict__["__signature__"] = Signature(arguments, return_annotation=JobAnswer)
        make.__name__ = kind.name
        purpose = (getdoc(kind.model) or "").partition("\n")[0]
        make.__doc__ = f"{purpose} Omitted fields come from the loaded checkpoint's preset."
        return make

    async def _answer(self, job: Job, wait_s: float) -> JobAnswer:
        if wait_s and not job.state.ended:
            try:
                job = await asyncio.wait_for(self._client.wait(job.id), wait_s)
            except TimeoutError:
                job = await self._client.job(job.id)
        return JobAnswer.of(job, self._client.base_url)


def _is_argument(path: str, field: FieldInfo) -> bool:
    """Whether a tool has it: everything that the form does not fold away as rare."""
    folded = any(isinstance(note, FormHint) and note.fold for note in field.metadata)
    return not folded and path not in NO_ARGUMENTS


def _argument(name: str, field: FieldInfo) -> Parameter:
    """A field as an agent sees it: its description and bounds; one that has a default may be left out."""
    annotation: Any = field.annotation
    for rule in (note for note in field.metadata if isinstance(note, Ge | Le)):
        annotation = Annotated[annotation, rule]
    told = Field(description=field.description)
    if field.is_required():
        return Parameter(name, Parameter.KEYWORD_ONLY, annotation=Annotated[annotation, told])
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[annotation | None, told])
