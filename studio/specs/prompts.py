"""What a sample says in words: plain, from a file, or as a structured caption with the clip's own figures in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from studio.errors import BadInput
from studio.requests import shown
from studio.requests.fields import AspectRatio, Resolution
from studio.rules import canvas
from studio.specs.draft import RequestDraft
from studio.specs.inputs import Inputs
from studio.specs.spec import Spec

FRAMEWORK_NEGATIVE = "neg_prompts.json"
"""The framework finds this one in its own defaults/, wherever the spec lies."""

TEMPLATES = {
    "duration_template": ("The video is {duration:.1f} seconds long and is of {fps:.0f} FPS.",),
    "resolution_template": (
        "This video is of {height}x{width} resolution.",
        "This image is of {height}x{width} resolution.",
    ),
}
"""What the model was trained on (inference/defaults/*/sample_args.json), and what is appended here."""


def prompt_of(spec: Spec, inputs: Inputs) -> str:
    """The prompt. Raises BadInput when there is none, or its file cannot be read."""
    if spec.prompt is not None:
        return spec.prompt
    if spec.prompt_path is not None:
        return inputs.text(spec.prompt_path, "prompt_path")
    raise BadInput("prompt is missing.", param="prompt", hint="Send prompt, or prompt_path.")


def put_negative_prompt(draft: RequestDraft, spec: Spec, inputs: Inputs) -> None:
    """The negative prompt; a file counts where the sample itself gives no words."""
    said = spec.negative_prompt
    if said or spec.negative_prompt_file is None:
        draft.put("negative_prompt", said, "negative_prompt")
        return
    try:
        text = inputs.text(spec.negative_prompt_file, "negative_prompt_file")
    except BadInput:
        if spec.negative_prompt_file != FRAMEWORK_NEGATIVE:
            raise
        draft.notes.append(
            f"{FRAMEWORK_NEGATIVE} is part of the framework and not shipped; no negative prompt is used."
        )
    else:
        draft.put("negative_prompt", text, "negative_prompt_file")


def put_prompt(
    draft: RequestDraft,
    spec: Spec,
    inputs: Inputs,
    *,
    resolution: Resolution,
    aspect_ratio: AspectRatio,
    num_frames: int,
    fps: float,
) -> None:
    """The prompt of a picture or clip, and whether sentences about its size and length follow it.

    A structured caption takes the figures into itself instead, over whatever it said of them, in the form that the
    model was trained on (inference/inference.py, `_format_json_prompt_with_template`).
    """
    prompt = prompt_of(spec, inputs)
    switches = {"use_duration_template": "duration_template", "use_resolution_template": "resolution_template"}
    caption = _caption(prompt)
    if caption is None:
        for switch, said in switches.items():
            draft.put(switch, _switch(spec, said), said)
    else:
        width, height = canvas(resolution, aspect_ratio)
        caption = {name: value for name, value in caption.items() if name not in ("duration", "fps")}
        if num_frames > 1:
            caption |= {"duration": f"{int(num_frames / fps)}s", "fps": float(fps)}
        caption |= {"resolution": {"H": height, "W": width}, "aspect_ratio": aspect_ratio.replace(":", ",")}
        prompt = json.dumps(caption)
        draft.put("resolution", resolution, "resolution")
        for switch, said in switches.items():
            draft.put(switch, False, said)
    draft.put("prompt", prompt, "prompt" if spec.prompt is not None else "prompt_path")


def _caption(prompt: str) -> Mapping[str, Any] | None:
    """A prompt that is a JSON object; a list or a number is plain text."""
    try:
        value: object = json.loads(prompt)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


def _switch(spec: Spec, name: str) -> bool | None:
    said = getattr(spec, name)
    if said is None:
        return None
    if said and said not in TEMPLATES[name]:
        raise BadInput(
            f"{name} is {shown(said)}; only the sentence that the model was trained on is supported.",
            param=name,
            hint="Remove it, or set it to an empty text for no sentence.",
        )
    return bool(said)
