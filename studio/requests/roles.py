"""What a field of a request stands for beside its value: something that is taken, or the wish for something made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

InputType = Literal["image", "video", "actions"]

OutputType = Literal["image", "video", "sound", "actions", "latents"]


@dataclass(frozen=True)
class Takes:
    """The field names a picture or a clip of the media store, or holds rows of actions."""

    type: InputType


@dataclass(frozen=True)
class Makes:
    """The field, a switch, asks for this beside what is always made."""

    type: OutputType
