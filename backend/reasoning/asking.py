"""Questions of `studio.prompting` put to the resident reasoner, or to the endpoint that the settings name."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from backend.reasoning.service import ReasoningService, Told, unheard
from studio.errors import BadInput, MediaNotFound, ServerUnreachable, TooLarge, Unauthorized, rebuild
from studio.prompting import Endpoint, ImageUrl, PlainText, Question, ReasonerSampling, VideoUrl
from studio.requests import Adapter, Reason, parse_as
from studio.requests.refine_image import Role
from studio.settings import ServerSettings

OWN = "media:"
"""Before an id of the store in a question's media."""


class Resident:
    """`Ask` of the reasoner in the worker.

    Args:
        service: where conversations are opened.
        files: what questions show, by the id that follows `media:`.
        media_param: the caller's field that names it, for errors about it.
        checkpoint: whose reasoner; none is the active one's.
        adapter: that it uses for its answers.
        counted: see `ReasoningService.converse`.
        told: gets the text of every answer as it comes.

    Attributes:
        num_tokens: read and written so far.
    """

    def __init__(
        self,
        service: ReasoningService,
        files: Mapping[str, Path],
        media_param: str = "",
        *,
        checkpoint: str | None = None,
        adapter: Adapter | None = None,
        counted: bool,
        told: Told = unheard,
    ) -> None:
        self._told = told
        self._service = service
        self._files = files
        self._media_param = media_param
        self._checkpoint = checkpoint
        self._adapter = adapter
        self._counted = counted
        self.num_tokens = 0

    async def __call__(self, question: Question, /) -> str:
        """The answer. Raises as `ReasoningService.answer`."""
        try:
            asked = to_reason(question, self._checkpoint, self._adapter)
            answer = await self._service.answer(
                asked, self._files, counted=self._counted, as_taught=True, told=self._told
            )
            self.num_tokens += answer.usage.prompt_tokens + answer.usage.completion_tokens
            return answer.text
        except (BadInput, MediaNotFound) as error:
            if not (error.param or "").startswith("messages."):
                raise
            raise rebuild(error.code, error.message, self._media_param or None, error.hint) from None


def to_reason(question: Question, checkpoint: str | None = None, adapter: Adapter | None = None) -> Reason:
    """A question as a conversation of ours; what is drawn as usual is left to the checkpoint. Raises BadInput."""
    return parse_as(
        Reason,
        {
            "checkpoint": checkpoint,
            "adapter": None if adapter is None else adapter.model_dump(),
            "messages": [
                {"role": message.role, "content": [_part(part) for part in message.parts]}
                for message in question.messages
            ],
            "sampling": _sampling(question.sampling),
            "response_schema": question.answer_schema,
            "video_fps": question.video_fps,
            "num_video_frames": question.num_video_frames,
            "min_pixels": question.min_pixels,
            "max_pixels": question.max_pixels,
        },
    )


def _sampling(asked: ReasonerSampling) -> dict[str, Any]:
    length = {"seed": asked.seed, "max_tokens": asked.max_tokens}
    return {**asked.model_dump(exclude_unset=True), **length}


def _part(part: PlainText | ImageUrl | VideoUrl) -> dict[str, Any]:
    if isinstance(part, PlainText):
        return {"type": "text", "text": part.text}
    return {"type": part.type, part.type: part.url.removeprefix(OWN)}


@asynccontextmanager
async def endpoint_of(settings: ServerSettings, role: Role = "upsampler") -> AsyncGenerator[Endpoint]:
    """The endpoint that takes a role. What it says against us is not the caller's fault, and is told apart.

    Raises:
        ServerUnreachable: it cannot be used, and why.
        BadInput: it refuses the prompt.
    """
    address, model, key = settings.endpoint(role)
    assert address is not None
    try:
        async with Endpoint(address, model=model, api_key=key) as ask:
            yield ask
    except (BadInput, Unauthorized, TooLarge) as error:
        if error.param == "prompt":
            raise
        raise ServerUnreachable(
            f"The {role}'s endpoint: {error.message}", hint=f"Check the ORRERY_{role.upper()}_ variables."
        ) from None
