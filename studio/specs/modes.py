"""What a sample asks for, by the framework's names, and what of it is served."""

from __future__ import annotations

from studio.errors import BadInput, NotAllowed
from studio.requests import nearest, shown
from studio.specs.inputs import is_picture
from studio.specs.spec import Spec

KINDS: dict[str, str] = {
    "text2image": "generate_image",
    "text2video": "generate_video",
    "image2video": "generate_video",
    "video2video": "generate_video",
    "forward_dynamics": "predict_video",
    "inverse_dynamics": "predict_actions",
    "wam": "run_policy",
    "reasoner": "reason",
}
"""The request that each mode becomes; any of the clips' modes with a control is `transfer_video`."""

NOT_SERVED: dict[str, str] = {
    "image2image": "pictures are made from words alone, so far",
    "audio_image2video": "sound is made and not taken from a file, so far",
}

CLIPS = ("text2video", "image2video", "video2video")

ALIASES = {"policy": "wam"}
"""`policy` is what the serving stacks call it."""


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
    if mode not in KINDS:
        raise BadInput(f"model_mode is {shown(mode)}.", param="model_mode", hint=nearest(mode, KINDS))
    return mode


def _source(vision_path: str | None) -> str:
    if vision_path is None:
        return "text"
    return "image" if is_picture(vision_path) else "video"
