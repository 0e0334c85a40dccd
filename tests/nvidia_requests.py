"""Requests as NVIDIA's README and notebooks for Cosmos 3 send them, field by field.

Source: github.com/NVIDIA/cosmos, README.md at 54bf140 and 03e80fe, cookbooks/cosmos3/generator/{audiovisual,transfer,
action}/ (README.md and run_*_with_vllm_omni.ipynb). Fields of curl's --form-string and of requests' data= are texts.
"""

import json
from typing import Any

NEGATIVE = "blurry, distorted, low quality"
TEMPLATES = {"use_resolution_template": False, "use_duration_template": False, "guardrails": True}
CLIP = {"num_inference_steps": "35", "guidance_scale": "6.0", "flow_shift": "10.0", "seed": "0"}

TEXT_TO_VIDEO = {
    "prompt": "A small warehouse robot moves a blue box across a clean floor.",
    "negative_prompt": NEGATIVE,
    "size": "1280x720",
    "num_frames": "189",
    "fps": "24",
    **CLIP,
    "extra_params": json.dumps(TEMPLATES),
}

IMAGE_TO_VIDEO = {**TEXT_TO_VIDEO, "prompt": "The car drives on."}

VIDEO_TO_VIDEO = {
    "prompt": "Continue the same driving scene with smooth natural motion.",
    "negative_prompt": "blurry, distorted, low quality, jittery, deformed",
    "size": "832x480",
    "num_frames": "61",
    "fps": "10",
    **CLIP,
    "seed": "2222",
    "extra_params": json.dumps(
        {**TEMPLATES, "condition_frame_indexes_vision": [0, 1], "condition_video_keep": "first"}
    ),
}

WITH_SOUND = {**TEXT_TO_VIDEO, "generate_sound": "true"}


def transfer(control_path: str) -> dict[str, str]:
    return {
        "prompt": "The same street in snow.",
        "negative_prompt": NEGATIVE,
        "size": "1280x720",
        "num_frames": "121",
        "fps": "30",
        "num_inference_steps": "50",
        "guidance_scale": "3.0",
        "flow_shift": "10.0",
        "seed": "2026",
        "extra_params": json.dumps(
            {
                **TEMPLATES,
                "depth": {"control_path": control_path},
                "resolution": "720",
                "control_guidance": 1.5,
                "num_video_frames_per_chunk": 121,
                "max_frames": 121,
            }
        ),
    }


ACTING = {"num_inference_steps": "30", "guidance_scale": "1.0", "flow_shift": "10.0", "seed": "0"}


def forward_dynamics(num_actions: int = 60) -> dict[str, str]:
    return {
        "prompt": "You are an autonomous vehicle planning system.",
        "num_frames": str(num_actions + 1),
        "fps": "10",
        "size": "1920x1080",
        **ACTING,
        "extra_params": json.dumps(
            {
                "action_mode": "forward_dynamics",
                "domain_name": "av",
                "action_chunk_size": num_actions,
                "image_size": 480,
                "view_point": "ego_view",
                "action": [[0.01 * step, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] for step in range(num_actions)],
                "guardrails": False,
            }
        ),
    }


INVERSE_DYNAMICS = {
    "prompt": "You are an autonomous vehicle planning system.",
    "num_frames": "61",
    "fps": "10",
    **ACTING,
    "extra_params": json.dumps(
        {
            "action_mode": "inverse_dynamics",
            "domain_name": "av",
            "action_chunk_size": 60,
            "image_size": 480,
            "view_point": "ego_view",
            "raw_action_dim": 9,
            "guardrails": False,
        }
    ),
}

POLICY = {
    "model": "nvidia/Cosmos3-Nano-Policy-DROID",
    "prompt": "Pick up the object and place it in the target container.",
    "num_frames": "17",
    "fps": "15",
    "size": "736x544",
    **ACTING,
    "flow_shift": "5.0",
    "extra_params": json.dumps(
        {
            "action_mode": "policy",
            "domain_name": "droid_lerobot",
            "raw_action_dim": 10,
            "action_chunk_size": 16,
            "image_size": 480,
            "view_point": "concat_view",
            "guardrails": False,
        }
    ),
}

TEXT_TO_IMAGE: dict[str, Any] = {
    "prompt": "A warehouse robot folds a blue cloth on a clean workbench.",
    "size": "1280x720",
    "n": 1,
    "num_inference_steps": 35,
    "guidance_scale": 6.0,
    "flow_shift": 10.0,
    "seed": 0,
    "extra_args": {"use_resolution_template": False, "guardrails": True},
}


def smaller(form: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The same form, of a size and number of steps that a test has time for."""
    return {**form, "num_inference_steps": "2", **changes}


def with_params(form: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The same form with other values in its `extra_params`."""
    return {**form, "extra_params": json.dumps({**json.loads(form["extra_params"]), **changes})}
