"""Samples of pictures and clips as requests: text2image, text2video, image2video, video2video, and transfer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from studio.errors import BadInput
from studio.requests import KINDS
from studio.requests.fields import AspectRatio, Resolution
from studio.requests.transfer_video import COMPUTED_HINTS, HintName
from studio.specs.draft import RequestDraft, put_chunks
from studio.specs.inputs import Inputs, is_picture
from studio.specs.prompts import put_negative_prompt, put_prompt
from studio.specs.spec import UNSEEN, CheckpointDefaults, Hint, Spec

PRESETS = {"edge": "preset_edge_threshold", "blur": "preset_blur_strength"}


def picture(spec: Spec, inputs: Inputs, checkpoint: CheckpointDefaults) -> RequestDraft:
    """text2image. A number of frames, said for all samples, says nothing to a picture."""
    draft = RequestDraft("generate_image")
    _put_canvas(draft, spec)
    put_prompt(draft, spec, inputs, **_figures(draft, spec, checkpoint, num_frames=1))
    _put_the_rest(draft, spec, inputs)
    return draft


def clip(mode: str, spec: Spec, inputs: Inputs, checkpoint: CheckpointDefaults) -> RequestDraft:
    """text2video, image2video and video2video. What a clip starts from is a picture or a clip by its file's name."""
    draft = RequestDraft("generate_video")
    _put_canvas(draft, spec)
    num_frames = draft.whole_groups(spec.num_frames, "num_frames")
    draft.put("num_frames", num_frames, "num_frames")
    draft.put("fps", spec.fps, "fps")
    draft.put("sound", spec.enable_sound, "enable_sound")
    put_prompt(draft, spec, inputs, **_figures(draft, spec, checkpoint, num_frames=num_frames or 0))
    _put_start(draft, mode, spec, inputs)
    _put_the_rest(draft, spec, inputs)
    return draft


def transfer(
    spec: Spec, hints: Mapping[HintName, Hint], inputs: Inputs, checkpoint: CheckpointDefaults
) -> RequestDraft:
    """A clip that follows controls. It is as long as they are, unless a length or a limit is said."""
    draft = RequestDraft("transfer_video")
    _put_canvas(draft, spec)
    chunk = put_chunks(draft, spec)
    put_prompt(draft, spec, inputs, **_figures(draft, spec, checkpoint, num_frames=chunk or 0))
    _put_the_rest(draft, spec, inputs)
    controls = [_control(draft, index, name, hint, spec, inputs) for index, (name, hint) in enumerate(hints.items())]
    draft.put("controls", controls, "controls")
    if spec.vision_path and (any("video" not in control for control in controls) or _keeps_frames(spec)):
        draft.put("source_video", inputs.media(spec.vision_path, "vision_path"), "vision_path")
    draft.names("source_video", "vision_path")
    draft.notes += [f"{name} is set, but only the result is written." for name in UNSEEN if getattr(spec, name)]
    return draft


def _keeps_frames(spec: Spec) -> bool:
    return bool(spec.num_first_chunk_conditional_frames)


def _control(draft: RequestDraft, index: int, name: HintName, hint: Hint, spec: Spec, inputs: Inputs) -> dict[str, Any]:
    for key in ("weight", "video", "hint"):
        draft.names(f"controls.{index}.{key}", f"{name}.{'control_path' if key == 'video' else key}")
    draft.names(f"controls.{index}", name)
    preset = PRESETS.get(name)
    for other in PRESETS.values():
        if other != preset and getattr(hint, other) is not None:
            raise BadInput(
                f"{name}.{other} cannot be combined with {name}.", param=f"{name}.{other}", hint="Remove it."
            )
    strength = getattr(hint, preset) if preset else None
    control: dict[str, Any] = {"hint": name}
    if hint.weight is not None:
        control["weight"] = hint.weight
    if hint.control_path is not None:
        control["video"] = inputs.media(hint.control_path, f"{name}.control_path")
    elif spec.vision_path is None or name not in COMPUTED_HINTS:
        why = (
            "and there is no vision_path to compute it from" if name in COMPUTED_HINTS else "and it cannot be computed"
        )
        raise BadInput(
            f"{name} has no control_path, {why}.",
            param=f"{name}.control_path",
            hint="Set control_path to its video.",
        )
    elif strength == "none":  # blurred by nothing: the clip itself
        control["video"] = inputs.media(spec.vision_path, "vision_path")
    elif strength is not None:
        control["strength"] = strength
    return control


def _put_start(draft: RequestDraft, mode: str, spec: Spec, inputs: Inputs) -> None:
    if mode == "text2video":
        return
    if spec.vision_path is None:
        raise BadInput(f"vision_path is missing; {mode} needs it.", param="vision_path", hint="Send vision_path.")
    media = inputs.media(spec.vision_path, "vision_path")
    if is_picture(spec.vision_path):
        if spec.condition_frame_indexes_vision not in (None, (0,)):
            raise BadInput(
                f"condition_frame_indexes_vision is {list(spec.condition_frame_indexes_vision)}; {spec.vision_path} "
                "is an image.",
                param="condition_frame_indexes_vision",
                hint="An image has only frame 0.",
            )
        draft.put("start_image", media, "vision_path")
        return
    kept = spec.condition_frame_indexes_vision or ((0,) if mode == "image2video" else None)
    draft.put("source_video", media, "vision_path")
    draft.put("condition_frames", kept, "condition_frame_indexes_vision")
    draft.put("condition_end", spec.condition_video_keep, "condition_video_keep")


def _put_canvas(draft: RequestDraft, spec: Spec) -> None:
    draft.put("resolution", spec.resolution, "resolution")
    draft.put("aspect_ratio", spec.aspect_ratio, "aspect_ratio")


def _put_the_rest(draft: RequestDraft, spec: Spec, inputs: Inputs) -> None:
    put_sampling(draft, spec)
    put_negative_prompt(draft, spec, inputs)


def put_sampling(draft: RequestDraft, spec: Spec) -> None:
    """Steps, guidance and noise, and how many results."""
    draft.put("sampling.num_inference_steps", spec.num_steps, "num_steps")
    draft.put("sampling.guidance_scale", spec.guidance, "guidance")
    draft.put("sampling.guidance_interval", spec.guidance_interval, "guidance_interval")
    draft.put("sampling.flow_shift", spec.shift, "shift")
    draft.put("sampling.seed", spec.seed, "seed")
    draft.put("count", spec.num_outputs, "num_outputs")


def _figures(draft: RequestDraft, spec: Spec, checkpoint: CheckpointDefaults, *, num_frames: int) -> dict[str, Any]:
    """What a structured caption says of the clip: what is said here, else the preset's, else the request's own."""
    fields, defaults = KINDS[draft.kind].model.model_fields, checkpoint.defaults.get(draft.kind, {})

    def known(name: str, said: object) -> object:
        return said if said is not None else defaults.get(name, fields[name].default)

    return {
        "resolution": cast(Resolution, known("resolution", None if spec.resolution == "704" else spec.resolution)),
        "aspect_ratio": cast(AspectRatio, known("aspect_ratio", spec.aspect_ratio)),
        "num_frames": num_frames,
        "fps": spec.fps or 24.0,
    }
