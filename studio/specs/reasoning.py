"""Samples of words as requests: reasoner, which answers a prompt about nothing, a picture or a clip."""

from __future__ import annotations

from typing import Any

from studio.errors import BadInput
from studio.specs.draft import Draft
from studio.specs.inputs import Inputs, is_picture
from studio.specs.modes import KIND_OF_MODE
from studio.specs.prompts import prompt_of
from studio.specs.spec import Spec


def reasoning(spec: Spec, inputs: Inputs) -> Draft:
    """A request for words: one message, what is looked at before the question, and no system prompt, as the framework
    asks (`generate_reasoner_text` without a prompt builder). Without `do_sample` the likeliest token is always taken.
    """
    draft = Draft(KIND_OF_MODE["reasoner"])
    said = "prompt" if spec.prompt is not None else "prompt_path"
    words = prompt_of(spec, inputs)
    if not words.strip():
        raise BadInput(f"{said} is empty; the reasoner needs words.", param=said, hint="Write at least one.")
    content: list[dict[str, Any]] = [{"type": "text", "text": words}]
    if spec.vision_path is not None:
        kind = "image" if is_picture(spec.vision_path) else "video"
        content.insert(0, {"type": kind, kind: inputs.media(spec.vision_path, "vision_path")})
        draft.names("messages.0.content.0", "vision_path")
    draft.put("messages", [{"role": "user", "content": content}], said)
    draft.put("video_fps", spec.video_fps, "video_fps")
    draft.put("sampling.max_tokens", spec.max_new_tokens, "max_new_tokens")
    draft.put("sampling.temperature", spec.temperature if spec.do_sample else 0.0, "temperature")
    draft.put("sampling.top_k", (spec.top_k or 0) if spec.do_sample else 0, "top_k")
    draft.put("sampling.top_p", (spec.top_p or 1.0) if spec.do_sample else 1.0, "top_p")
    draft.put("sampling.repetition_penalty", spec.repetition_penalty, "repetition_penalty")
    draft.put("sampling.presence_penalty", spec.presence_penalty, "presence_penalty")
    draft.put("sampling.seed", spec.seed, "seed")
    if (spec.num_outputs or 1) > 1:
        draft.notes.append(f"num_outputs is {spec.num_outputs}; the reasoner answers once.")
    return draft
