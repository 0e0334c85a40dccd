"""The bodies that Cosmos 3 was trained to act with: which weights they take and how wide their actions are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

EmbodimentName = Literal[
    "av",
    "camera_pose",
    "hand_pose",
    "pusht",
    "libero",
    "umi",
    "bridge_orig_lerobot",
    "droid_lerobot",
    "droid_joint_position",
    "robomind-franka",
    "galbot",
    "robomind-franka-dual",
    "robomind-ur",
    "agibotworld",
    "agibot_gear_gripper",
    "agibot_gear_gripper_ext",
    "fractal",
]
ViewName = Literal["ego_view", "third_person_view", "wrist_view", "concat_view", "droid_view"]


@dataclass(frozen=True)
class Embodiment:
    """One body.

    Attributes:
        domain: index of its action weights in the model.
        width: values of one action; none where it depends on the data set.
        view: the camera it is shown from, unless a request says otherwise.
        state_width: values of the state that its policy is given; 0 for none.
        flipped: values that the model knows as 1 - value.
        columns: names of an action's values; empty where hands or the data set decide.
    """

    domain: int
    width: int | None
    view: ViewName = "ego_view"
    state_width: int = 0
    flipped: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()


_POSE = ("x", "y", "z", *(f"rotation_{number}" for number in range(1, 7)))
_ARM = (*_POSE, "gripper")
_JOINTS = (*(f"joint_{number}" for number in range(1, 8)), "gripper")

EMBODIMENTS: dict[EmbodimentName, Embodiment] = {
    "av": Embodiment(1, 9, columns=_POSE),
    "camera_pose": Embodiment(2, 9, columns=_POSE),
    "hand_pose": Embodiment(3, 57),
    "pusht": Embodiment(4, 2, columns=("x", "y")),
    "libero": Embodiment(5, None),
    "umi": Embodiment(6, 10, columns=_ARM),
    "bridge_orig_lerobot": Embodiment(7, 10, columns=_ARM),
    "droid_lerobot": Embodiment(8, 10, columns=_ARM),
    "droid_joint_position": Embodiment(8, 8, "droid_view", state_width=8, flipped=(7,), columns=_JOINTS),
    "robomind-franka": Embodiment(8, 10, columns=_ARM),
    "galbot": Embodiment(9, 30),
    "robomind-franka-dual": Embodiment(12, 20),
    "robomind-ur": Embodiment(13, 10, columns=_ARM),
    "agibotworld": Embodiment(15, 29),
    "agibot_gear_gripper": Embodiment(15, 29),
    "agibot_gear_gripper_ext": Embodiment(15, 29),
    "fractal": Embodiment(20, 10, columns=_ARM),
}
"""Domains and widths: diffusers 0.42, `pipelines/cosmos/pipeline_cosmos3_omni.py` (`_EMBODIMENT_TO_DOMAIN_ID`,
`_EMBODIMENT_TO_RAW_ACTION_DIM`), made of poses of 9 values (translation and six of rotation), grippers of 1 and
hands of 15. "droid_joint_position" is that of NVIDIA's cosmos-framework
(`scripts/action_policy_server_robolab.py`): seven absolute joint positions in rad and the gripper, 0 open to 1 closed,
which the model knows as openness; its policy starts from the same eight values of the present."""

assert set(EMBODIMENTS) == set(get_args(EmbodimentName))


def action_width(name: EmbodimentName, given: int | None) -> int:
    """Values of one action; `given` says it for a body whose width depends on the data set.

    Raises:
        ValueError: none is given where it must be, or another one than the body has.
    """
    width = EMBODIMENTS[name].width
    if width is None and given is None:
        raise ValueError(f"the action width of {name} depends on its data set; send action_width")
    if width is not None and given not in (None, width):
        raise ValueError(f"action_width is {given}; an action of {name} has {width} values")
    return width if width is not None else given or 0
