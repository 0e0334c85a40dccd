"""Questions of `studio.prompting` put to the resident reasoner, or to the endpoint that the settings name."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from backend.reasoning.service import ReasoningService
from studio.errors import BadInput, MediaNotFound, ServerUnreachable, TooLarge, Unauthorized, rebuild
from studio.prompting import Ask, Endpoint, ImagePart, Question, TextPart, VideoPart
from studio.requests import Reason, parse_as
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
        counted: see `ReasoningService.converse`.
    """

    def __init__(
        self,
        service: ReasoningService,
        files: Mapping[str, Path],
        media_param: str = "",
        *,
        checkpoint: str | None = None,
        counted: bool,
    ) -> None:
        self._service = service
        self._files = files
        self._media_param = media_param
        self._checkpoint = checkpoint
        self._counted = counted

    async def __call__(self, question: Question, /) -> str:
        """The answer. Raises as `ReasoningService.answer`."""
        try:
            asked = to_reason(question, self._checkpoint)
            return (await self._service.answer(asked, self._files, counted=self._counted)).text
        except (BadInput, MediaNotFound) as error:
            if not (error.param or "").startswith("messages."):
                raise
            raise rebuild(error.code, error.message, self._media_param or None, error.hint) from None


def to_reason(question: Question, checkpoint: str | None = None) -> Reason:
    """A question as a conversation of ours. Raises BadInput."""
    return parse_as(
        Reason,
        {
            "checkpoint": checkpoint,
            "messages": [
                {"role": message.role, "content": [_part(part) for part in message.parts]}
                for message in question.messages
            ],
            "sampling": question.sampling.model_dump(),
            "response_schema": question.answer_schema,
            "video_fps": question.video_fps,
        },
    )


def _part(part: TextPart | ImagePart | VideoPart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    return {"type": part.type, part.type: part.url.removeprefix(OWN)}


@asynccontextmanager
async def endpoint_of(settings: ServerSettings) -> AsyncGenerator[Ask]:
    """The endpoint that upsamples. What it says against us is not the caller's fault, and is told apart.

    Raises:
        ServerUnreachable: it cannot be used, and why.
        BadInput: it refuses the prompt.
    """
    key = settings.upsampler_key.get_secret_value() if settings.upsampler_key else None
    try:
        assert settings.upsampler_url is not None
        async with Endpoint(settings.upsampler_url, model=settings.upsampler_model, api_key=key) as ask:
            yield ask
    except (BadInput, Unauthorized, TooLarge) as error:
        if error.param == "prompt":
            raise
        raise ServerUnreachable(
            f"The upsampler's endpoint: {error.message}", hint="Look at the ORRERY_UPSAMPLER_ variables."
        ) from None
