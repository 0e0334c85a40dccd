"""What a sample asks for, by the framework's names, and what of it is served."""

from __future__ import annotations

from studio.errors import BadInput, NotAllowed
from studio.requests import KINDS, nearest, shown
from studio.specs.inputs import is_picture
from studio.specs.spec import Spec

ALIASES = {"policy": "wam"}
"""`policy` is what the serving stacks call it."""

KIND_OF_MODE: dict[str, str] = {
    **{mode: kind.name for kind in KINDS.values() for mode in kind.modes if mode not in ALIASES},
    "reasoner": "reason",
}
"""The request that each mode becomes; any of the clips' modes with a control is `transfer_video`."""

NOT_SERVED: dict[str, str] = {
    "image2image": "pictures are made from words alone, so far",
    "audio_image2video": "sound is made and not taken from a file, so far",
}

CLIPS = KINDS["generate_video"].modes


def mode_of(spec: Spec) -> str:
    """The mode of a sample, as the framework infers it where it is not said: from `vision_path` and `num_frames`.

    Raises:
        NotAllowed: it is not served.
        BadInput: there is no such mode.
    """
    mode = spec.model_mode or f"{_source(spec.vision_path)}2{'image' if spec.num_frames == 1 else 'video'}"
    mode = ALIASES.get(mode, mode)
    if mode in NOT_SERVED:
        raise NotAllowed(f"model_mode {mode} is not served here: {NOT_SERVED[mode]}.", param="model_mode")
    if mode not in KIND_OF_MODE:
        raise BadInput(f"model_mode is {shown(mode)}.", param="model_mode", hint=nearest(mode, KIND_OF_MODE))
    return mode


def _source(vision_path: str | None) -> str:
    if vision_path is None:
        return "text"
    return "image" if is_picture(vision_path) else "video"
