"""What a vote is about: one question an axis, and the answers that there are."""

from __future__ import annotations

from typing import Literal

Axis = Literal["prompt", "physics", "geometry", "sound", "correct", "overall"]
Choice = Literal["left", "right", "tie", "bad"]
"""Which side is better; `tie` is equally good, `bad` is neither good enough."""

MEDIA_AXES: tuple[Axis, ...] = ("prompt", "physics", "geometry", "overall")
SOUND_AXES: tuple[Axis, ...] = ("prompt", "physics", "geometry", "sound", "overall")
ANSWER_AXES: tuple[Axis, ...] = ("correct", "overall")

QUESTIONS: dict[Axis, str] = {
    "prompt": "which one shows more of what the prompt asks for",
    "physics": "in which one objects move, touch, fall and change more as they would in reality",
    "geometry": "in which one robot, hands and objects keep their shape, size and number better",
    "sound": "in which one sounds come more exactly when what makes them is seen",
    "correct": "which answer says more that is true of what is asked about, and less that is not",
    "overall": "which one is better, all in all",
}
"""As a reasoner is asked."""


def axes_of(kind: str, *, sound: bool = False) -> tuple[Axis, ...]:
    """The axes of a pair.

    Args:
        kind: `image`, `video` or `answer`.
        sound: whether both sides can be heard.
    """
    if kind == "answer":
        return ANSWER_AXES
    return SOUND_AXES if sound else MEDIA_AXES
