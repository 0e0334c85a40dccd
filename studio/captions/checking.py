"""From an answer to a caption that holds: read, mended where that is safe, validated, its controls as asked."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ValidationError

from studio.captions.answer import Repair, UnusableAnswer, refuse_repetition, repaired, sendable, split_thought
from studio.captions.caption import NARRATIVE, Caption, ImageCaption, VideoCaption, serialise
from studio.captions.controls import Controls
from studio.captions.fitting import fitted, shortened
from studio.captions.json_text import object_in
from studio.captions.timing import fault_of, timings_in
from studio.requests import MAX_TEXT_BYTES, Frozen, cut

CaptionKind = Literal["image", "video"]
MODELS: dict[CaptionKind, type[ImageCaption] | type[VideoCaption]] = {"image": ImageCaption, "video": VideoCaption}

IMAGINATION = "scene_imagination"
"""The upsampler's first field: room to think the scene through. Captions have none (A.2, A.3), so it is taken out."""
MAX_IMAGINATION = NARRATIVE
UNWRITTEN = "…"
MAX_PROBLEMS = 5
"""Said at once; a model that is told of thirty mends none of them."""


class CheckedCaption(Frozen):
    """An answer that holds.

    Attributes:
        caption: validated; its controls are those that were asked for.
        scene_imagination: what the upsampler wrote to itself.
        thought: what it thought before it answered.
        repairs: what was mended, in order.
    """

    caption: Caption
    scene_imagination: str = ""
    thought: str = ""
    repairs: tuple[Repair, ...] = ()


def check_answer(text: str, kind: CaptionKind, controls: Controls, *, words: str = "") -> CheckedCaption:
    """Read an upsampler's or a captioner's answer.

    Args:
        text: the whole answer, thinking and fences included.
        kind: of the caption.
        controls: what was asked for.
        words: the person's own; a clock time that stands there is no timing of the clip.

    Raises:
        UnusableAnswer: it says why, in words that can go back to the model.
    """
    spoken = split_thought(text)
    value, repairs = object_in(spoken.answer)
    imagination = value.pop(IMAGINATION, "")
    caption, mends = check_object(value, kind, controls)
    if isinstance(caption, VideoCaption) and controls.last_s is not None:
        _check_timing(caption, controls.last_s, words)
    size_bytes = len(serialise(caption))
    if size_bytes > MAX_TEXT_BYTES:
        raise UnusableAnswer(f"The caption has {size_bytes:,} bytes; at most {MAX_TEXT_BYTES:,} fit. Write less.")
    return CheckedCaption(
        caption=caption,
        scene_imagination=_text(imagination),
        thought=_text(spoken.thought),
        repairs=(*repairs, *mends),
    )


def check_analysis(text: str, controls: Controls) -> tuple[VideoCaption, list[Repair]]:
    """Read a captioner's first answer: a video caption whose prose, `temporal_caption`, is still to be written.

    Raises:
        UnusableAnswer: see `check_answer`.
    """
    value, repairs = object_in(split_thought(text).answer)
    refuse_repetition(value)
    # What the file itself says better is put in, whatever the answer says, and is no repair.
    unwritten = {name: child for name, child in value.items() if name not in controls.media} | {
        "temporal_caption": UNWRITTEN
    }
    caption, mends = check_object(unwritten | controls.media, "video", controls)
    assert isinstance(caption, VideoCaption)
    if controls.last_s is not None:
        _check_timing(caption, controls.last_s, "")
    return caption, [*repairs, *mends]


def check_object(value: dict[str, Any], kind: CaptionKind, controls: Controls) -> tuple[Caption, list[Repair]]:
    """A decoded caption, validated, with the controls put in; timings are not looked at.

    A caption that is valid as it is comes back as it is.

    Raises:
        UnusableAnswer: it names what is missing or wrong.
    """
    given, repairs = _with_controls(value, controls)
    model = MODELS[kind]
    try:
        return model.model_validate(given), repairs
    except ValidationError:
        fit, mends = fitted(given, model.model_json_schema())
    try:
        return model.model_validate(fit), [*repairs, *mends]
    except ValidationError as error:
        raise explained(error) from None


def _with_controls(value: dict[str, Any], controls: Controls) -> tuple[dict[str, Any], list[Repair]]:
    asked = controls.media
    repairs = [
        repaired("control_restored", name, value.get(name, "missing"))
        for name, wanted in asked.items()
        if value.get(name) != wanted
    ]
    return {**value, **asked}, repairs


def explained(error: ValidationError) -> UnusableAnswer:
    """What pydantic minds, in words for the model that wrote it."""
    problems: list[str] = []
    entries = error.errors(include_url=False, include_context=False)
    for entry in entries[:MAX_PROBLEMS]:
        path = cut(".".join(str(part) for part in entry["loc"]))
        missing = entry["type"] == "missing"
        problems.append(f"{path} is missing" if missing else f"{path}: {entry['msg'][:1].lower()}{entry['msg'][1:]}")
    more = f", and {len(entries) - MAX_PROBLEMS} more" if len(entries) > MAX_PROBLEMS else ""
    first = ".".join(str(part) for part in entries[0]["loc"])
    return UnusableAnswer(f"The JSON does not fit the template: {'; '.join(problems)}{more}.", path=cut(first))


def _check_timing(caption: VideoCaption, last_s: int, words: str) -> None:
    timed = {f"actions.{index}.time": action.time for index, action in enumerate(caption.actions)}
    timed |= {f"segments.{index}.time_range": segment.time_range for index, segment in enumerate(caption.segments)}
    faults = [(path, fault) for path, timing in timed.items() if (fault := fault_of(timing, last_s))]
    prose = [timing for timing in timings_in(caption.temporal_caption) if timing not in words]
    faults += [("temporal_caption", fault) for timing in prose if (fault := fault_of(timing, last_s))]
    if faults:
        said = "; ".join(f"{path}: {fault}" for path, fault in faults[:MAX_PROBLEMS])
        raise UnusableAnswer(f"The timing leaves the video: {said}.", path=faults[0][0])


def _text(value: object) -> str:
    text = value if isinstance(value, str) else str(value)
    return shortened(sendable(text), MAX_IMAGINATION)
