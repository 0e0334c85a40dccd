"""OpenAI's chat completions, with the fields that vLLM added to them for pictures, clips and sampling: to a request.

What a caller leaves out is the reasoner's own setting (`studio.requests.reason`): temperature 0.7, top_p 0.8, top_k 20.
The presence penalty is OpenAI's 0, so that a temperature of 0 takes the likeliest token. `lora` is what the images and
videos have too: a LoRA adapter, which the reasoner wears for this answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from backend.dialects.fields import adapter_of, check_names, flag_of, number_of, object_of
from backend.reasoning.shown_media import Shown
from studio.errors import BadInput, NotAllowed, StudioError, rebuild
from studio.requests import parse_as, shown
from studio.requests.reason import MAX_MESSAGES, MAX_PARTS, TextPart

SAMPLING = frozenset(
    {
        "temperature",
        "top_p",
        "top_k",
        "repetition_penalty",
        "presence_penalty",
        "frequency_penalty",
        "seed",
        "logprobs",
        "top_logprobs",
    }
)
TRANSLATED = frozenset(
    {
        "model",
        "messages",
        "stream",
        "stream_options",
        "n",
        "stop",
        "max_tokens",
        "max_completion_tokens",
        "response_format",
        "media_io_kwargs",
        "mm_processor_kwargs",
        "chat_template_kwargs",
        "lora",
    }
)
IGNORED = frozenset(
    {"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"}
    | {"parallel_tool_calls"}
)
"""They change nothing about an answer."""

NOT_SERVED = frozenset(
    {"tools", "tool_choice", "functions", "function_call", "logit_bias", "modalities", "audio"}
    | {"prediction", "reasoning_effort", "verbosity", "web_search_options", "moderation"}
)
"""OpenAI's own fields that the reasoner has no answer to; accepted where they ask for nothing."""
ASKS_FOR_NOTHING: tuple[object, ...] = ([], {}, "none", "auto", ["text"])

OWN_NAMES = {
    "checkpoint": "model",
    "adapter": "lora",
    "response_schema": "response_format.json_schema.schema",
    "video_fps": "media_io_kwargs.video.fps",
    "num_video_frames": "media_io_kwargs.video.num_frames",
    "min_pixels": "mm_processor_kwargs.min_pixels",
    "max_pixels": "mm_processor_kwargs.max_pixels",
    "enable_thinking": "chat_template_kwargs.enable_thinking",
}
"""Our fields by what they are called here; those of `sampling` have their own names."""


@dataclass(frozen=True)
class ChatCall:
    """What was called for.

    Attributes:
        model: a checkpoint's id, or none.
        payload: our request's JSON, in which what is shown stands by its address.
        shown: all of that, in order.
        streamed: whether the answer is told while it comes.
        with_usage: whether a stream ends with the tokens that it took.
    """

    model: object
    payload: dict[str, Any]
    shown: tuple[Shown, ...]
    streamed: bool
    with_usage: bool


def to_call(body: Mapping[str, Any]) -> ChatCall:
    """What a body calls for.

    Raises:
        BadInput: a field is unknown, or cannot mean what it says.
        NotAllowed: a field of OpenAI's that is not served here.
    """
    fields = {name: value for name, value in body.items() if value is not None and name not in IGNORED}
    for name in NOT_SERVED & fields.keys():
        if fields.pop(name) not in ASKS_FOR_NOTHING:
            raise NotAllowed(f"{name} is not supported.", param=name, hint="Remove it.")
    check_names(fields, SAMPLING | TRANSLATED, "")
    if fields.get("n", 1) != 1:
        raise NotAllowed(f"n is {shown(fields['n'])}; only 1 is supported.", param="n", hint="Send n requests.")
    messages, media = read_messages(fields.get("messages"))
    options = object_of(fields, "stream_options", {"include_usage"})
    payload: dict[str, Any] = {
        "messages": messages,
        "sampling": _sampling(fields),
        **_schema(fields),
        **_looking(fields),
        **_thinking(fields),
        **adapter_of(fields.get("lora")),
    }
    return ChatCall(
        fields.get("model"),
        payload,
        tuple(media),
        flag_of(fields, "stream"),
        flag_of(options, "include_usage", "stream_options."),
    )


def with_media(payload: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    """The payload with ids in place of addresses."""

    def part(entry: dict[str, Any]) -> dict[str, Any]:
        kind = entry["type"]
        return entry if kind == "text" else {"type": kind, kind: ids[entry[kind]]}

    def message(entry: dict[str, Any]) -> dict[str, Any]:
        content = entry["content"]
        return entry if isinstance(content, str) else {**entry, "content": [part(piece) for piece in content]}

    return {**payload, "messages": [message(entry) for entry in payload["messages"]]}


def to_theirs(error: StudioError) -> StudioError:
    """An error about our request, about theirs."""
    ours = error.param or ""
    first, _, rest = ours.partition(".")
    theirs = f"{OWN_NAMES[first]}.{rest}".rstrip(".") if first in OWN_NAMES else ours.removeprefix("sampling.")
    if theirs == ours:
        return error
    # Whole words: the paths of this server's own routes stay what they are.
    message, hint = (
        re.sub(rf"(?<![\w/]){re.escape(ours)}(?!\w)", theirs, text) for text in (error.message, error.hint)
    )
    return rebuild(error.code, message, theirs, hint)


def _sampling(fields: Mapping[str, Any]) -> dict[str, Any]:
    sampling = {"presence_penalty": 0.0, **{name: fields[name] for name in SAMPLING & fields.keys()}}
    given = [number_of(fields, name) for name in ("max_tokens", "max_completion_tokens") if name in fields]
    if len(set(given)) > 1:
        raise BadInput("max_tokens and max_completion_tokens differ; send one of them.", param="max_tokens")
    if given:
        sampling["max_tokens"] = given[0]
    if "stop" in fields:
        stop = fields["stop"]
        sampling["stop"] = [stop] if isinstance(stop, str) else stop
    if sampling.get("top_logprobs") and sampling.get("logprobs") is not True:
        raise BadInput("top_logprobs needs logprobs.", param="top_logprobs", hint="Send logprobs: true.")
    return sampling


def _schema(fields: Mapping[str, Any]) -> dict[str, Any]:
    wanted = object_of(fields, "response_format", {"type", "json_schema"})
    match wanted.get("type", "text" if not wanted else None):
        case "text":
            return {}
        case "json_object":
            return {"response_schema": {"type": "object"}}
        case "json_schema":
            known = {"name", "description", "schema", "strict"}
            inner = object_of(wanted, "json_schema", known, "response_format.")
            schema = inner.get("schema")
            if not isinstance(schema, dict):
                raise BadInput(
                    f"response_format.json_schema.schema is {shown(schema)}; expected a JSON schema.",
                    param="response_format.json_schema.schema",
                )
            return {"response_schema": cast(dict[str, Any], schema)}
        case other:
            raise BadInput(
                f"response_format.type is {shown(other)}; expected text, json_object or json_schema.",
                param="response_format.type",
            )


def _looking(fields: Mapping[str, Any]) -> dict[str, Any]:
    """How clips and pictures are looked at. `num_frames` of -1 means all of them at the given rate, as vLLM has it."""
    video = object_of(
        object_of(fields, "media_io_kwargs", {"video"}), "video", {"fps", "num_frames"}, "media_io_kwargs."
    )
    known = {"fps", "num_frames", "do_sample_frames", "min_pixels", "max_pixels", "size"}
    processor = object_of(fields, "mm_processor_kwargs", known)
    size = object_of(processor, "size", {"shortest_edge", "longest_edge"}, "mm_processor_kwargs.")
    flag_of(processor, "do_sample_frames", "mm_processor_kwargs.")
    looking: dict[str, Any] = {}
    for name, ours in {"fps": "video_fps", "num_frames": "num_video_frames"}.items():
        given = {
            number
            for where, path in ((video, "media_io_kwargs.video."), (processor, "mm_processor_kwargs."))
            if (number := number_of(where, name, path)) is not None and number != -1
        }
        if len(given) > 1:
            raise BadInput(
                f"media_io_kwargs.video.{name} and mm_processor_kwargs.{name} differ; send one of them.",
                param=f"mm_processor_kwargs.{name}",
            )
        if given:
            looking[ours] = given.pop()
    # The processors' own names: "edges" that are numbers of pixels.
    for name, edge in {"min_pixels": "shortest_edge", "max_pixels": "longest_edge"}.items():
        number = number_of(processor, name, "mm_processor_kwargs.")
        if number is None:
            number = number_of(size, edge, "mm_processor_kwargs.size.")
        if number is not None:
            looking[name] = number
    return looking


def _thinking(fields: Mapping[str, Any]) -> dict[str, Any]:
    switches = object_of(fields, "chat_template_kwargs", {"enable_thinking"})
    if "enable_thinking" not in switches:
        return {}
    return {"enable_thinking": flag_of(switches, "enable_thinking", "chat_template_kwargs.")}


ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}

IGNORED_OF_MESSAGE = frozenset({"name", "reasoning_content", "reasoning", "annotations"})
"""Of a message that is sent again: what was thought is not read a second time."""

SHOWN = {"image_url": ("image", {"url", "detail"}), "video_url": ("video", {"url"})}
"""Types of parts that show something: what it is for us, and what may stand beside its address."""


def read_messages(value: object) -> tuple[list[dict[str, Any]], list[Shown]]:
    """Our messages, in which what is shown stands by its address, and all of that in order.

    Raises:
        BadInput: a message cannot mean what it says.
        NotAllowed: it holds something that is not served.
    """
    entries = cast(list[object], value) if isinstance(value, list) else []
    if not entries:
        raise BadInput(
            f"messages is {shown(cast(object, value))}; expected a list with at least one message.", param="messages"
        )
    if len(entries) > MAX_MESSAGES:
        raise BadInput(f"There are {len(entries):,} messages; the maximum is {MAX_MESSAGES}.", param="messages")
    media: list[Shown] = []
    return [_message(entry, f"messages.{index}", media) for index, entry in enumerate(entries)], media


def _message(value: object, path: str, media: list[Shown]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f"{path} is {shown(value)}; expected an object.", param=path)
    given = cast(dict[str, Any], value)
    fields = {name: entry for name, entry in given.items() if entry is not None and name not in IGNORED_OF_MESSAGE}
    role = fields.get("role")
    if role in ("tool", "function") or fields.get("tool_calls"):
        raise NotAllowed(f"{path} is about a tool; tools are not supported.", param=path, hint="Remove it.")
    if not isinstance(role, str) or role not in ROLES:
        raise BadInput(f"{path}.role is {shown(role)}; expected system, user or assistant.", param=f"{path}.role")
    fields.pop("tool_calls", None)
    check_names(fields, {"role", "content"}, f"{path}.")
    content: object = fields.get("content", "" if role == "assistant" else None)
    if isinstance(content, str):
        return {"role": ROLES[role], "content": _text(content, f"{path}.content")}
    entries = cast(list[object], content) if isinstance(content, list) else []
    if not entries:
        raise BadInput(
            f"{path}.content is {shown(cast(object, content))}; expected text or parts.", param=f"{path}.content"
        )
    if len(entries) > MAX_PARTS:
        raise BadInput(
            f"{path}.content has {len(entries):,} parts; the maximum is {MAX_PARTS}.", param=f"{path}.content"
        )
    parts = [_part(part, f"{path}.content.{place}", media) for place, part in enumerate(entries)]
    return {"role": ROLES[role], "content": parts}


def _part(value: object, path: str, media: list[Shown]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f"{path} is {shown(value)}; expected an object.", param=path)
    fields = {name: entry for name, entry in cast(dict[str, Any], value).items() if entry is not None}
    kind = fields.get("type")
    if kind == "text":
        check_names(fields, {"type", "text"}, f"{path}.")
        return {"type": "text", "text": _text(fields.get("text"), f"{path}.text")}
    if not isinstance(kind, str) or kind not in SHOWN:
        raise BadInput(f"{path}.type is {shown(kind)}; expected text, image_url or video_url.", param=f"{path}.type")
    check_names(fields, {"type", kind}, f"{path}.")
    ours, beside = SHOWN[kind]
    address = _address(fields, kind, beside, path)
    media.append(Shown(path, address))
    return {"type": ours, ours: address}


def _text(value: object, path: str) -> str:
    try:
        return parse_as(TextPart, {"text": value}).text
    except BadInput as error:
        raise BadInput(error.message.replace("text", path, 1), param=path, hint=error.hint) from None


def _address(fields: Mapping[str, Any], kind: str, beside: set[str], path: str) -> str:
    """Of a picture or clip: a text, or an object with it."""
    value = fields.get(kind)
    address: object = value if isinstance(value, str) else object_of(fields, kind, beside, f"{path}.").get("url")
    if not isinstance(address, str) or not address:
        raise BadInput(f"{path}.{kind}.url is {shown(address)}; expected a URL.", param=f"{path}.{kind}.url")
    return address
