"""What the world page says beside what every page does."""

from __future__ import annotations

PLACEHOLDER = "What is in view, and what happens?"
POLICY_PLACEHOLDER = "What should be done?"

WORDS: dict[str, str] = {
    "empty.world": "Select a start image and draw the actions: Generate predicts the video.",
    "empty.inverse": "Select a video: Generate estimates the actions between its frames.",
    "empty.policy": "Select the current camera image and write an instruction: Generate plans the actions.",
    "needed.image": "Start image",
    "needed.image_empty": "The image before the first action.",
    "needed.video": "Source video",
    "needed.video_empty": "The video whose actions are estimated.",
    "body.title": "Embodiment",
    "body.help": "the robot's action space",
    "body.width": "Values per action",
    "body.values": "{values} values per action",
    "body.state": "{values} state values",
    "state.title": "Current state",
    "state.help": "rad; gripper: 1 is closed",
    "state.rest": "rest pose",
    "state.joint": "joint {joint}",
    "state.gripper": "gripper",
    "actions.title": "Actions",
    "actions.length": "{count} rows · {seconds} s",
    "actions.length_one": "1 row · {seconds} s",
    "actions.value": "Plotted value",
    "actions.rows": "Rows",
    "actions.column": "value {column}",
    "actions.load": "Load",
    "actions.shapes": "Curve shape for this value",
    "actions.help": "Drag a point, or focus it and use the arrow keys. With Shift, a drag moves it alone; the arrow "
    "keys move its neighbours too.",
    "actions.point": "Value of one row",
    "actions.at": "row {row}: {value}",
    "actions.unreadable": "No actions found in that file.",
    "actions.unreadable_hint": "Expected: JSON with a list of rows, or lines of numbers.",
    "actions.wrong_width": "The file has {came} values per row; this embodiment needs {wanted}.",
    "shape.hold": "hold",
    "shape.ramp": "ramp",
    "shape.wave": "wave",
    "shape.pulse": "pulse",
    "shape.zero": "zero",
}
