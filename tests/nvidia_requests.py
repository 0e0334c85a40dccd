"""NVIDIA's requests for vLLM-Omni as forms: those of its README that `published_curls` has, and those of its notebooks.

Source of the others: github.com/NVIDIA/cosmos, cookbooks/cosmos3/generator/action/ (README.md and
run_*_with_vllm_omni.ipynb) at 54bf140 and 03e80fe. Fields of curl's --form-string and of requests' data= are texts.
"""

import json
from typing import Any

import published_curls as published
from curl_commands import Curl


def form_of(curl: Curl) -> dict[str, Any]:
    """What a command sends beside its files."""
    return {**curl.fields, "extra_params": json.dumps(curl.params)}


TEXT_TO_VIDEO = form_of(published.OMNI_T2V)
IMAGE_TO_VIDEO = {**TEXT_TO_VIDEO, "prompt": "The car drives on."}
VIDEO_TO_VIDEO = form_of(published.OMNI_V2V)
WITH_SOUND = {**TEXT_TO_VIDEO, "generate_sound": "true"}


def transfer(control_path: str) -> dict[str, Any]:
    return with_params(form_of(published.OMNI_TRANSFER), depth={"control_path": control_path})


ACTING = {**published.ACTING, "flow_shift": "10.0", "seed": "0"}


def forward_dynamics(num_actions: int = 60) -> dict[str, str]:
    return {
        "prompt": published.AV_TASK,
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
                "action": published.TRAJECTORY[:num_actions],
                "guardrails": False,
            }
        ),
    }


INVERSE_DYNAMICS = {
    "prompt": published.AV_TASK,
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
    "prompt": published.PICK_TASK,
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
    **published.OMNI_T2I.fields,
    "prompt": "A warehouse robot folds a blue cloth on a clean workbench.",
    "extra_args": published.OMNI_T2I.params,
}


def smaller(form: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The same form, of a size and number of steps that a test has time for."""
    return {**form, "num_inference_steps": "2", **changes}


def with_params(form: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The same form with other values in its `extra_params`."""
    return {**form, "extra_params": json.dumps({**json.loads(form["extra_params"]), **changes})}
