"""Messages in OpenAI's form as ours, and what they show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from backend.dialects.fields import check_names, object_of
from backend.reasoning.shown_media import Shown
from studio.errors import BadInput, NotAllowed
from studio.requests import parse_as, shown
from studio.requests.reason import MAX_MESSAGES, MAX_PARTS, TextPart

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}

IGNORED = frozenset({"name", "reasoning_content", "reasoning", "annotations"})
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
            f"messages is {shown(cast(object, value))}; a list of at least one is expected.", param="messages"
        )
    if len(entries) > MAX_MESSAGES:
        raise BadInput(f"There are {len(entries):,} messages; at most {MAX_MESSAGES} are read.", param="messages")
    media: list[Shown] = []
    return [_message(entry, f"messages.{index}", media) for index, entry in enumerate(entries)], media


def _message(value: object, path: str, media: list[Shown]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f"{path} is {shown(value)}; an object is expected.", param=path)
    given = cast(dict[str, Any], value)
    fields = {name: entry for name, entry in given.items() if entry is not None and name not in IGNORED}
    role = fields.get("role")
    if role in ("tool", "function") or fields.get("tool_calls"):
        raise NotAllowed(f"{path} is about a tool; tools are not served here.", param=path, hint="Leave it out.")
    if not isinstance(role, str) or role not in ROLES:
        raise BadInput(f"{path}.role is {shown(role)}; system, user or assistant is expected.", param=f"{path}.role")
    fields.pop("tool_calls", None)
    check_names(fields, {"role", "content"}, f"{path}.")
    content: object = fields.get("content", "" if role == "assistant" else None)
    if isinstance(content, str):
        return {"role": ROLES[role], "content": _text(content, f"{path}.content")}
    entries = cast(list[object], content) if isinstance(content, list) else []
    if not entries:
        raise BadInput(
            f"{path}.content is {shown(cast(object, content))}; text or parts are expected.", param=f"{path}.content"
        )
    if len(entries) > MAX_PARTS:
        raise BadInput(
            f"{path}.content has {len(entries):,} parts; at most {MAX_PARTS} are read.", param=f"{path}.content"
        )
    parts = [_part(part, f"{path}.content.{place}", media) for place, part in enumerate(entries)]
    return {"role": ROLES[role], "content": parts}


def _part(value: object, path: str, media: list[Shown]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f"{path} is {shown(value)}; an object is expected.", param=path)
    fields = {name: entry for name, entry in cast(dict[str, Any], value).items() if entry is not None}
    kind = fields.get("type")
    if kind == "text":
        check_names(fields, {"type", "text"}, f"{path}.")
        return {"type": "text", "text": _text(fields.get("text"), f"{path}.text")}
    if not isinstance(kind, str) or kind not in SHOWN:
        raise BadInput(f"{path}.type is {shown(kind)}; text, image_url or video_url is expected.", param=f"{path}.type")
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
        raise BadInput(f"{path}.{kind}.url is {shown(address)}; an address is expected.", param=f"{path}.{kind}.url")
    return address
