"""What is sent: parameters and bodies whose own classes have no example."""

from __future__ import annotations

from typing import Any

JOB, MEDIA, OTHER_MEDIA = "5b3090214d6b", "u0123456789abcdef", "u123456789abcdef0"

PARAMETERS: dict[str, Any] = {
    "job_id": JOB,
    "video_id": JOB,
    "batch_id": "7f21c09be4aa",
    "media_id": MEDIA,
    "preset_id": "a1b2c3d4e5f6",
    "comparison_id": "7f21c09be4aa",
    "refinement_id": "3d0c5a81fe27",
    "question_id": "c41f7be2a905",
    "pair_id": f"{MEDIA}.{OTHER_MEDIA}",
    "vote_id": "90ab12cd34ef",
    "kind": "generate_image",
    "episode": 0,
    "view": "wrist",
}
"""By the name of a parameter in a path; `name` is another thing in every route, see `NAMES`."""

NAMES = {"/v1/models/": "speck", "/v1/tasks/": "grounding", "/v1/robots/": "simulated", "/v1/checkpoints/": "speck"}

BODIES: dict[str, Any] = {
    "PATCH /v1/jobs/{job_id}": {"priority": "high"},
    "POST /v1/jobs/{job_id}/move": {"before": "0c1d2e3f4a5b"},
    "POST /v1/jobs/{job_id}/duplicate": {"changes": {"sampling": {"seed": 8}}},
    "POST /v1/media": {"file": "first.png"},
    "POST /v1/recipes/read": {"file": "picture.png"},
    "PATCH /v1/library/{media_id}": {"starred": True, "tags": ["table"]},
    "POST /v1/library/change": {"ids": [MEDIA], "add_tags": ["table"]},
    "POST /v1/library/trash": {"ids": [MEDIA]},
    "DELETE /v1/library/trash": {"ids": [MEDIA]},
    "POST /v1/library/restore": {"ids": [MEDIA]},
    "POST /v1/library/archive": {"ids": [MEDIA]},
    "POST /v1/library/import": {"file": "library.zip"},
    "DELETE /v1/library": {"confirm": "delete everything"},
    "POST /v1/controls": {"source_video": MEDIA, "hint": "edge", "strength": "low", "resolution": "480"},
    "POST /v1/presets": {"name": "Quick look", "kind": "generate_video", "values": {"num_frames": 17}},
    "POST /v1/actions/generations": {
        "prompt": "Lift the red cube.",
        "domain_name": "umi",
        "input_reference": "now.png",
    },
    "POST /v1/refinements/{refinement_id}/branches": {"node": 0, "words": "The cube is blue.", "rewrites": 1},
    "POST /v1/arena/votes": {
        "pair": f"{MEDIA}.{OTHER_MEDIA}",
        "left": MEDIA,
        "voter": "ada",
        "choices": {"prompt": "left", "overall": "tie"},
    },
    "POST /v1/arena/judgements": {"judge": "speck", "contest": "checkpoint"},
    "POST /v1/arena/questions": {"questions": [{"text": "What does the arm hold?"}], "reasoners": ["speck"]},
    "POST /v1/arena/questions/{question_id}/grades": {"judge": "speck"},
    "POST /v1/tasks/{name}": {"media": MEDIA, "words": {"subject": "cups"}},
}
"""By method and path."""
