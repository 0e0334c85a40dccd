"""What people may order, as it comes over a wire: parsed here, once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from robot.loop import commands
from robot.run import Run
from studio.errors import BadInput
from studio.requests import Frozen, shown


class Start(Frozen):
    """Begin a run."""

    command: Literal["start"]
    run: Run


class Instruct(Frozen):
    """Another instruction for the run that is on."""

    command: Literal["instruct"]
    prompt: Annotated[str, Field(max_length=4096)]


class Confirm(Frozen):
    """A person answers for a check of the self-test."""

    command: Literal["confirm"]
    check: Annotated[str, Field(max_length=80)]


class Mark(Frozen):
    """Whether an episode worked; null takes it back."""

    command: Literal["mark"]
    episode: Annotated[int, Field(ge=0)]
    success: bool | None


class ResetScene(Frozen):
    """Another scene, where there is a simulated one."""

    command: Literal["reset_scene"]
    seed: Annotated[int, Field(ge=0, lt=2**31)]


class Simple(Frozen):
    """Everything that needs no more than its name."""

    command: Literal[
        "hold",
        "resume",
        "stop",
        "finish",
        "approve",
        "reject",
        "step",
        "heartbeat",
        "release",
        "self_test",
        "home",
        "recover",
        "episodes",
    ]


Order = Annotated[Start | Instruct | Confirm | Mark | ResetScene | Simple, Field(discriminator="command")]

_ADAPTER: TypeAdapter[Start | Instruct | Confirm | Mark | ResetScene | Simple] = TypeAdapter(Order)

PASSED_ON: dict[str, commands.Command] = {
    "hold": commands.Hold(),
    "finish": commands.Finish(),
    "approve": commands.Approve(),
    "reject": commands.Reject(),
    "step": commands.StepOnce(),
    "release": commands.Release(),
}
"""Orders that are the loop's alone."""


def parse_order(message: dict[str, Any]) -> Start | Instruct | Confirm | Mark | ResetScene | Simple:
    """The order in a message.

    Raises:
        BadInput: it is none.
    """
    try:
        return _ADAPTER.validate_python(message)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in first["loc"]) or "command"
        raise BadInput(f"{path} is {shown(first.get('input'))}: {first['msg']}.", param=path) from None
