"""Who answers a command's questions: the reasoner of an Orrery server, or an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from cli.request_flags import parse_adapter
from cli.target import Target, reached
from studio.captions.answer_schema import sparing
from studio.client import StudioClient
from studio.errors import BadInput, Busy
from studio.presets import ReasonerDefaults
from studio.prompting import (
    Ask,
    Endpoint,
    ImageUrl,
    PlainText,
    Question,
    ReasonerSampling,
    Turn,
    VideoUrl,
    attach_video,
)
from studio.prompting.captioning import Attach
from studio.requests import Reason
from studio.requests import reason as ours

KEY_VARIABLE = "ORRERY_UPSAMPLER_KEY"
"""Of the endpoint's key, which is no flag: others on the machine could read it off the list of processes."""

PATIENCE_S = 900.0
"""For a checkpoint that is still loaded, or for a turn among many conversations."""

PAUSE_S = 0.5

OWN = "media:"
"""Before the id of an upload, where an address is expected."""

Answer = TypeVar("Answer")

OPENAI = re.compile(r"(https?://)?api\.openai\.com(?=[:/]|$)")
"""Refuses fields beside its own."""


@dataclass(frozen=True)
class Answering:
    """Whoever answers, and how clips reach them."""

    ask: Ask
    attach: Attach


@asynccontextmanager
async def answering(
    target: Target,
    endpoint: str | None,
    model: str | None,
    *,
    by_path: bool,
    checkpoint: str | None,
    adapter: str | None = None,
) -> AsyncGenerator[Answering, None]:
    """Somebody who answers while the block runs.

    Args:
        target: the server, where no endpoint is named; one is started where none runs.
        endpoint: its address, or None.
        model: the endpoint's.
        by_path: whether the endpoint reads clips by their paths.
        checkpoint: of the server; None takes its own.
        adapter: of the server, as a flag says it, that its reasoner wears.

    Raises:
        BadInput: the endpoint's address is none, or an adapter is asked of it.
        ServerUnreachable: nobody is there.
    """
    if endpoint is not None:
        if adapter is not None:
            raise BadInput(
                "--adapter and --endpoint are both given; an endpoint names its adapters as models.",
                param="adapter",
                hint="Name it with --model.",
            )
        async with open_endpoint(endpoint, model) as ask:
            yield Answering(Patient(ask), attach_by_path if by_path else attach_whole)
        return
    async with (
        reached(target, checkpoint) as (client, named),
        Endpoint(
            f"{client.base_url}/v1",
            model=named,
            api_key=target.token,
            lora=None if adapter is None else parse_adapter(adapter),
        ) as ask,
    ):
        listed = (await client.checkpoints()).checkpoints
        asked = next((one for one in listed if (one.active if named is None else one.id == named)), None)
        yield Answering(Patient(ask if asked is None else AsTaught(ask, asked.reasoner)), _Uploads(client))


def refuse_without_endpoint(flags: Mapping[str, object]) -> None:
    """Raises BadInput for a flag, by its name, that says something to an endpoint where none is named."""
    for name, value in flags.items():
        if value:
            param = name.removeprefix("--").replace("-", "_")
            raise BadInput(f"{name} needs --endpoint.", param=param, hint="Set the endpoint's URL with --endpoint.")


def open_endpoint(address: str, model: str | None) -> Endpoint:
    """An endpoint with the key that the environment holds.

    Raises:
        BadInput: the address is none.
        Unauthorized: the key cannot stand in a header.
    """
    plain = OPENAI.match(address) is not None
    return Endpoint(address, model=model, api_key=os.environ.get(KEY_VARIABLE), plain=plain)


class Patient:
    """`Ask` of somebody who may have too much to do at the moment."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def __call__(self, question: Question, /) -> str:
        """The answer. Raises as whoever is asked."""
        return await patiently(lambda: self._ask(question))


class AsTaught:
    """`Ask` of a checkpoint in the way in which it was taught to answer the studio's own questions."""

    def __init__(self, ask: Ask, defaults: ReasonerDefaults) -> None:
        self._ask = ask
        self._defaults = defaults

    async def __call__(self, question: Question, /) -> str:
        """The answer. Raises as whoever is asked."""
        own = self._defaults.model_dump(exclude_none=True, exclude={"leaves_out_empty"})
        changes: dict[str, Any] = {"sampling": question.sampling.model_copy(update=own)}
        if question.answer_schema is not None and self._defaults.leaves_out_empty:
            changes["answer_schema"] = sparing(question.answer_schema)
        return await self._ask(question.model_copy(update=changes))


async def patiently(
    call: Callable[[], Awaitable[Answer]], *, patience_s: float = PATIENCE_S, pause_s: float = PAUSE_S
) -> Answer:
    """What a call answers once somebody has time for it. Raises Busy when nobody has for so long."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            return await call()
        except Busy:
            if time.monotonic() >= deadline:
                raise
        await asyncio.sleep(pause_s)


async def attach_by_path(path: Path) -> VideoUrl:
    """A clip by its path, for an endpoint on this machine that may read there."""
    return VideoUrl(url=path.absolute().as_uri())


async def attach_whole(path: Path) -> VideoUrl:
    """A clip inside the question. Raises BadInput when it is none, TooLarge over 200 MiB."""
    return await asyncio.to_thread(attach_video, path)


class _Uploads:
    """Clips that are sent to the server, and named by the ids that they have there."""

    def __init__(self, client: StudioClient) -> None:
        self._client = client

    async def __call__(self, path: Path) -> VideoUrl:
        reference = await self._client.upload(path)
        return VideoUrl(url=f"{OWN}{reference.id}")


def question_of(request: Reason) -> Question:
    """The question; media by their ids on the server."""
    said = request.sampling.model_dump(include=set(ReasonerSampling.model_fields))
    return Question(
        messages=tuple(
            Turn(role=message.role, parts=tuple(map(_part, _parts(message)))) for message in request.messages
        ),
        sampling=ReasonerSampling.model_validate(said),
        answer_schema=request.response_schema,
        video_fps=request.video_fps,
    )


def _parts(message: ours.Message) -> tuple[ours.Part, ...]:
    return (ours.TextPart(text=message.content),) if isinstance(message.content, str) else message.content


def _part(part: ours.Part) -> PlainText | ImageUrl | VideoUrl:
    if isinstance(part, ours.ImagePart):
        return ImageUrl(url=f"{OWN}{part.image}")
    if isinstance(part, ours.VideoPart):
        return VideoUrl(url=f"{OWN}{part.video}")
    return PlainText(text=part.text)
