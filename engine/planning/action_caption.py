"""The structured caption that the model was trained on wherever there are actions.

Source: diffusers 0.42, `Cosmos3OmniPipeline._build_action_json_prompt`: names, order, rounding and spacing.
"""

from __future__ import annotations

import json

from engine.planning.trained_strings import FRAMING
from studio.requests.embodiments import ViewName

RATIOS = ("1,1", "4,3", "3,4", "16,9", "9,16")


def action_caption(task: str, view: ViewName, num_frames: int, fps: float, canvas: tuple[int, int]) -> str:
    """JSON of the task, the camera and the clip.

    Args:
        canvas: (width, height) of the padded canvas.
    """
    width, height = canvas
    duration_s = num_frames / fps
    minutes, seconds = divmod(round(duration_s), 60)
    task = task.strip()
    if task and task[-1] not in ".!?":
        task += "."
    caption = {
        "cinematography": {"framing": FRAMING[view]},
        "actions": [{"time": f"0:00-{minutes}:{seconds:02d}", "description": task}],
        "duration": f"{int(duration_s)}s",
        "fps": float(fps),
        "resolution": {"H": height, "W": width},
        "aspect_ratio": min(RATIOS, key=lambda ratio: abs(_number(ratio) - width / height)),
    }
    return json.dumps(caption)


def _number(ratio: str) -> float:
    across, down = ratio.split(",")
    return int(across) / int(down)
