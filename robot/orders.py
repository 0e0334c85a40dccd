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


class ReadEpisode(Frozen):
    """What an episode was: to be plotted."""

    command: Literal["episode"]
    episode: Annotated[int, Field(ge=0)]


class Send(Frozen):
    """Files of the recordings, sent to the server's ticket: one view of an episode, or without one the whole data set.

    The server's own order: see `robot.parcel`.
    """

    command: Literal["send"]
    ticket: Annotated[str, Field(pattern=r"^[\w-]{1,64}$")]
    episode: Annotated[int, Field(ge=0)] | None = None
    view: Literal["wrist", "exterior_1", "exterior_2"] | None = None


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


AnyOrder = Start | Instruct | Confirm | Mark | ReadEpisode | Send | ResetScene | Simple

_ADAPTER: TypeAdapter[AnyOrder] = TypeAdapter(Annotated[AnyOrder, Field(discriminator="command")])

PASSED_ON: dict[str, commands.Command] = {
    "hold": commands.Hold(),
    "finish": commands.Finish(),
    "approve": commands.Approve(),
    "reject": commands.Reject(),
    "step": commands.StepOnce(),
    "release": commands.Release(),
}
"""Orders that are the loop's alone."""


def parse_order(message: dict[str, Any]) -> AnyOrder:
    """The order in a message.

    Raises:
        BadInput: it is none.
    """
    try:
        return _ADAPTER.validate_python(message)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # The first part is the order's own name, where it has one.
        path = ".".join(str(part) for part in first["loc"][1:]) or "command"
        raise BadInput(f"{path} is {shown(first.get('input'))}: {first['msg']}.", param=path) from None
