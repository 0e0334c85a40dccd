"""A request for words as the question that an OpenAI-compatible server is asked."""

from __future__ import annotations

from studio.prompting import ImagePart, Message, Question, ReasonerSampling, TextPart, VideoPart
from studio.requests import Reason
from studio.requests import reason as ours

OWN = "media:"
"""Before the id of an upload, where an address is expected."""


def question_of(request: Reason) -> Question:
    """The question; media by their ids on the server."""
    said = request.sampling.model_dump(include=set(ReasonerSampling.model_fields))
    return Question(
        messages=tuple(
            Message(role=message.role, parts=tuple(map(_part, _parts(message)))) for message in request.messages
        ),
        sampling=ReasonerSampling.model_validate(said),
        answer_schema=request.response_schema,
        video_fps=request.video_fps,
    )


def _parts(message: ours.Message) -> tuple[ours.Part, ...]:
    return (ours.TextPart(text=message.content),) if isinstance(message.content, str) else message.content


def _part(part: ours.Part) -> TextPart | ImagePart | VideoPart:
    if isinstance(part, ours.ImagePart):
        return ImagePart(url=f"{OWN}{part.image}")
    if isinstance(part, ours.VideoPart):
        return VideoPart(url=f"{OWN}{part.video}")
    return TextPart(text=part.text)
