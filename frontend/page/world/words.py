"""What the world page says beside what every page does."""

from __future__ import annotations

PLACEHOLDER = "What is seen, and what happens?"
POLICY_PLACEHOLDER = "What should be done?"

WORDS: dict[str, str] = {
    "empty.world": "Choose a first picture and draw what is done: Generate shows what comes of it.",
    "empty.inverse": "Choose a clip: Generate finds the actions between its frames.",
    "empty.policy": "Choose what is seen now and say what should be done: Generate plans the actions.",
    "needed.image": "What is seen first",
    "needed.image_empty": "The picture before the first action.",
    "needed.video": "Clip",
    "needed.video_empty": "The clip whose actions are asked for.",
    "body.title": "Embodiment",
    "body.help": "whose actions they are",
    "body.width": "Values of an action",
    "body.values": "{values} values an action",
    "body.state": "state of {values}",
    "state.title": "State now",
    "state.help": "rad; gripper 1 is closed",
    "state.rest": "rest pose",
    "state.joint": "joint {joint}",
    "state.gripper": "gripper",
    "actions.title": "Actions",
    "actions.length": "{count} rows · {seconds} s",
    "actions.length_one": "1 row · {seconds} s",
    "actions.value": "Value that is drawn",
    "actions.rows": "Rows",
    "actions.column": "value {column}",
    "actions.load": "Load",
    "actions.shapes": "Shape of this value",
    "actions.help": "Drag a point, or focus it and use the arrows. Shift takes its neighbours out, or in.",
    "actions.point": "Value of one row",
    "actions.at": "row {row}: {value}",
    "actions.unreadable": "That file holds no actions.",
    "actions.unreadable_hint": "JSON with a list of rows, or lines of numbers.",
    "actions.wrong_width": "The file has {came} values a row; this embodiment has {wanted}.",
    "shape.hold": "hold",
    "shape.ramp": "ramp",
    "shape.wave": "wave",
    "shape.pulse": "pulse",
    "shape.zero": "zero",
}
