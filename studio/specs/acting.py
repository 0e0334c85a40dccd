"""Samples of actions as requests: forward_dynamics, inverse_dynamics and wam, which is the policy."""

from __future__ import annotations

from studio.errors import BadInput
from studio.requests import nearest, shown
from studio.requests.actions import whole_groups_of_rows
from studio.requests.embodiments import EMBODIMENTS, EmbodimentName
from studio.specs.clips import put_sampling
from studio.specs.draft import RequestDraft
from studio.specs.inputs import Inputs, is_picture
from studio.specs.prompts import prompt_of, put_negative_prompt
from studio.specs.spec import KIND_OF_MODE, Spec

DOMAINS = {
    "embodiment_b": "galbot",
    "embodiment_c_gripper": "agibot_gear_gripper",
    "embodiment_c_gripper_ext": "agibot_gear_gripper_ext",
}
"""The framework's later names of bodies that diffusers knows by their own
(data/generator/action/utils/domain_utils.py; the same domain and width)."""


def acting(mode: str, spec: Spec, inputs: Inputs) -> RequestDraft:
    """A request for actions, or for what they lead to.

    `image_size` is the tier; `resolution`, `aspect_ratio` and `num_frames` say nothing here, as in the framework.
    """
    draft = RequestDraft(KIND_OF_MODE[mode])
    domain = embodiment_of(spec.domain_name)
    draft.put("embodiment", domain, "domain_name")
    draft.put("view", spec.view_point, "view_point")
    draft.put("resolution", spec.image_size, "image_size")
    draft.put("fps", spec.fps, "fps")
    draft.put("prompt", prompt_of(spec, inputs), "prompt" if spec.prompt is not None else "prompt_path")
    put_sampling(draft, spec)
    put_negative_prompt(draft, spec, inputs)
    if spec.vision_path is None:
        raise BadInput(f"vision_path is missing; {mode} needs it.", param="vision_path", hint="Send vision_path.")
    width = spec.raw_action_dim
    if mode == "inverse_dynamics":
        if is_picture(spec.vision_path):
            raise BadInput(
                f"vision_path is {shown(spec.vision_path)}, an image; inverse_dynamics needs a video.",
                param="vision_path",
            )
        draft.put("source_video", inputs.media(spec.vision_path, "vision_path"), "vision_path")
    else:
        draft.put("start_image", inputs.picture(spec.vision_path, "vision_path"), "vision_path")
    if mode == "forward_dynamics":
        rows = _rows(draft, spec, inputs)
        if EMBODIMENTS[domain].width is None:
            width = width or len(rows[0])
        try:
            whole_groups_of_rows(rows, EMBODIMENTS[domain].width or width or 0)
        except ValueError as error:
            raise BadInput(f"action_path: {error}.", param="action_path") from None
        draft.put("actions", rows, "action_path")
    else:
        draft.put("num_actions", spec.action_chunk_size, "action_chunk_size")
    draft.put("action_width", width, "raw_action_dim")
    return draft


def embodiment_of(domain_name: str | None) -> EmbodimentName:
    """The body that a `domain_name` means. Raises BadInput when it is missing, or none of ours."""
    said = (domain_name or "").lower().strip()
    name = DOMAINS.get(said, said)
    if not said:
        raise BadInput(
            "domain_name is missing.", param="domain_name", hint=f"Known embodiments: {', '.join(EMBODIMENTS)}."
        )
    for known in EMBODIMENTS:
        if name == known:
            return known
    raise BadInput(f"domain_name is {shown(said)}.", param="domain_name", hint=nearest(name, EMBODIMENTS))


def _rows(draft: RequestDraft, spec: Spec, inputs: Inputs) -> tuple[tuple[float, ...], ...]:
    if spec.action_path is None:
        raise BadInput(
            "action_path is missing; forward_dynamics needs actions.",
            param="action_path",
            hint="Send action_path.",
        )
    rows = inputs.actions(spec.action_path, "action_path")
    chunk = spec.action_chunk_size or len(rows)
    if len(rows) > chunk:
        draft.notes.append(f"action_path has {len(rows)} actions; the first {chunk} are used (action_chunk_size).")
    return tuple(tuple(row) for row in rows[:chunk])
