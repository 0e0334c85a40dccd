"""SGLang's msgpack form of `/v1/actions/generations`: the call and the answer of its JSON form, with numpy arrays.

Pictures are uint8 arrays [H, W] or [H, W, C], one alone also [1, H, W, C]; a state is an array of numbers; `values` of
the answer, and `actions` of a raw one, are float32 arrays. The arrays' markers are those of `studio.wire.arrays`.
Source: SGLang 0.5.23, multimodal_gen/runtime/entrypoints/action (api.py, protocol.py, cosmos3.py).
"""

from __future__ import annotations

import base64
import io
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from PIL import Image

from backend.dialects.openai_actions import PICTURES, ActionGeneration, RawActions, too_many_pictures
from studio.errors import BadInput
from studio.requests import cut
from studio.wire.arrays import pack_message, unpack_message

MIME = "application/msgpack"

MAX_NUMBERS = 2**20
"""Of an array that is no picture: 396 actions of 1024 values are 405,504."""


def is_packed(header: str | None) -> bool:
    """Whether a Content-Type or Accept names it, as SGLang looks for it."""
    return "msgpack" in (header or "").lower()


def read_packed(body: bytes) -> dict[str, Any]:
    """The call as its JSON form has it, with pictures as data URIs.

    Raises:
        BadInput: it is not msgpack, is no map, or holds bytes or an array that cannot mean anything.
        NotAllowed: there are several pictures.
    """
    message = unpack_message(body)
    if not isinstance(message, dict):
        raise BadInput("The body is not a msgpack map.", hint="Send a map in the format of SGLang's clients.")
    try:
        return cast(dict[str, Any], _plain(cast(object, message), ""))
    except RecursionError:
        raise BadInput("The body is nested too deeply.") from None


def pack_answer(answer: ActionGeneration | RawActions, *, as_arrays: bool) -> bytes:
    """An answer in msgpack."""
    said = answer.model_dump(mode="json")
    if as_arrays and isinstance(answer, RawActions):
        said["actions"] = np.asarray(answer.actions, np.float32)
    elif as_arrays:
        for choice in said["data"]:
            rows = np.asarray(choice["action"]["values"], np.float32)
            choice["action"] |= {"values": rows, "data": rows}
    return pack_message(said)


def _plain(value: object, name: str) -> object:
    """A value without arrays; `name` is what it is called, of an entry of `images` that."""
    match value:
        case dict():
            entries = cast(dict[object, object], value)
            odd = next((key for key in entries if not isinstance(key, str)), None)
            if odd is not None:
                raise BadInput(f"{cut(repr(odd))} is not a field name; expected text.")
            return {str(key): _plain(entry, name if name == "images" else str(key)) for key, entry in entries.items()}
        case list():
            return [_plain(entry, name) for entry in cast(list[object], value)]
        case np.ndarray():
            array = cast(npt.NDArray[Any], value)
            if name in PICTURES:
                return _picture(array, name)
            if array.size > MAX_NUMBERS:
                raise BadInput(
                    f"{cut(name)} has {array.size:,} values; the maximum is {MAX_NUMBERS:,}.", param=cut(name)
                )
            return _plain(array.tolist(), name)
        case np.generic():
            return _plain(cast(np.generic, value).item(), name)
        case bytes():
            raise BadInput(
                f"{cut(name)} is bytes; expected an array, a text or a number.",
                param=cut(name),
                hint="Send an image as a uint8 array or as a data URI.",
            )
        case _:
            return value


def _picture(pixels: npt.NDArray[Any], name: str) -> str:
    if pixels.ndim == 4:
        if len(pixels) != 1:
            raise too_many_pictures(name, len(pixels))
        pixels = pixels[0]
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    is_picture = pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] in (3, 4))
    if pixels.dtype != np.uint8 or not is_picture or not pixels.size:
        raise BadInput(
            f"{name} is an array of {pixels.dtype} and shape {list(pixels.shape)}; expected uint8 and [H, W, 3].",
            param=name,
        )
    png = io.BytesIO()
    Image.fromarray(pixels).save(png, "PNG", compress_level=1)  # it is read again at once: speed before size
    return f"data:image/png;base64,{base64.b64encode(png.getvalue()).decode()}"
