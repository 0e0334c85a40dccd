"""What the answers mean: the first frame of every connection, so that no client need guess what it drives.

The policy's own contract is that of NVIDIA's cosmos-framework (`scripts/action_policy_server_robolab.py`): absolute
joint positions in rad, nothing normalised, the first row one step after what was seen. The names are RoboArena's
`PolicyServerConfig` where that has one.
"""

from __future__ import annotations

from studio.checkpoints import Checkpoint, read_json
from studio.rules.view_layout import ViewLayout

EMBODIMENT = "droid_joint_position"
NUM_ROWS = 32
ROW_WIDTH = 8
ROWS_PER_SECOND = 15

CANVAS_SIZE = (640, 540)
WRIST_SIZE = (640, 360)
EXTERIOR_SIZE = (320, 180)
"""(width, height). The canvas has the wrist's view above and the exterior ones side by side below."""

OWN_LAYOUT = "embodiments.json"
"""Of a checkpoint that arranges the canvas anew before it looks (`studio.rules.view_layout`); the engine does it."""

MEANINGLESS = "These weights are random. The actions are meaningless; do not drive an arm with them."

SIMULATED = "This policy was trained only on a simulated arm. Do not drive a real arm with it."


def metadata(checkpoint: Checkpoint) -> dict[str, object]:
    """The declaration for a checkpoint, as it is sent."""
    preset = checkpoint.preset
    return {
        "policy": checkpoint.id,
        "title": preset.title,
        "random_weights": preset.random_weights,
        "warning": MEANINGLESS if preset.random_weights else SIMULATED if preset.simulated else "",
        "embodiment": EMBODIMENT,
        "action_space": "joint_position",
        "action_units": "rad",
        "action_shape": [NUM_ROWS, ROW_WIDTH],
        "gripper_open": 0.0,
        "gripper_closed": 1.0,
        "rows_per_second": ROWS_PER_SECOND,
        "seconds_per_row": 1 / ROWS_PER_SECOND,
        "first_row": "next tick",
        "canvas": [CANVAS_SIZE[1], CANVAS_SIZE[0]],
        "sees": _seen(checkpoint),
        "image_resolution": [WRIST_SIZE[1], WRIST_SIZE[0]],
        "needs_wrist_camera": True,
        "n_external_cameras": 2,
        "needs_stereo_camera": False,
        "needs_session_id": False,
        "predicts_video": True,
    }


def own_layout(checkpoint: Checkpoint) -> ViewLayout | None:
    """How a checkpoint arranges the canvas anew; none where it sees it as it is."""
    path = checkpoint.folder / OWN_LAYOUT if checkpoint.folder else None
    own = read_json(path).get(EMBODIMENT, {}).get("layout") if path and path.is_file() else None
    return ViewLayout.model_validate(own) if own else None


def _seen(checkpoint: Checkpoint) -> list[int]:
    """[height, width] of what a checkpoint makes of the canvas; the canvas itself where it says nothing of it."""
    layout = own_layout(checkpoint)
    width, height = layout.size if layout is not None else CANVAS_SIZE
    return [height, width]
