"""The body of `POST /v1/jobs` as the API's documentation shows it: any of the kinds, each with an example.

The route itself takes any object, because what is left out comes from the checkpoint's preset first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from studio.requests import REQUESTS

_ARM = "A robot arm lifts a red cube from a wooden table."
_UPLOAD = "u0123456789abcdef"

EXAMPLES: dict[str, dict[str, Any]] = {
    "generate_image": {
        "prompt": "A robot arm above a red cube on a wooden table.",
        "resolution": "256",
        "aspect_ratio": "1:1",
        "sampling": {"num_inference_steps": 20, "seed": 7},
    },
    "generate_video": {"prompt": _ARM, "start_image": _UPLOAD, "num_frames": 17, "fps": 24, "sound": True},
    "transfer_video": {
        "prompt": _ARM,
        "source_video": _UPLOAD,
        "controls": [{"hint": "edge", "strength": "medium"}, {"hint": "blur", "weight": 0.5}],
    },
    "predict_video": {
        "prompt": _ARM,
        "embodiment": "bridge_orig_lerobot",
        "start_image": _UPLOAD,
        "actions": [[0.0, 0.0, 0.01, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]] * 4,
        "fps": 5,
    },
    "predict_actions": {"prompt": _ARM, "embodiment": "umi", "source_video": _UPLOAD, "num_actions": 16},
    "run_policy": {
        "prompt": "Lift the red cube.",
        "embodiment": "droid_joint_position",
        "start_image": _UPLOAD,
        "state": [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 1.0],
        "num_actions": 32,
        "decode_video": False,
    },
}


def request_body() -> dict[str, Any]:
    """OpenAPI's `requestBody`."""
    schemas = [inlined(model.model_json_schema()) for model in REQUESTS.values()]
    examples = {kind: {"summary": kind, "value": {"kind": kind, **EXAMPLES[kind]}} for kind in REQUESTS}
    return {"required": True, "content": {"application/json": {"schema": {"oneOf": schemas}, "examples": examples}}}


def inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with its own definitions put where they are referred to; none of ours refers to itself."""
    definitions = schema.get("$defs", {})

    def resolved(node: object) -> object:
        if isinstance(node, dict):
            entries = cast(dict[str, object], node)
            reference = entries.get("$ref")
            if isinstance(reference, str):
                beside = {name: value for name, value in entries.items() if name != "$ref"}
                return {**cast(dict[str, object], resolved(definitions[reference.rpartition("/")[2]])), **beside}
            return {name: resolved(value) for name, value in entries.items() if name != "$defs"}
        if isinstance(node, list):
            return [resolved(value) for value in cast(list[object], node)]
        return node

    return cast(dict[str, Any], resolved(dict(schema)))
