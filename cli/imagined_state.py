"""What the verbs that imagine are told of the body: its state, as JSON."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from studio.errors import BadInput

StateOption = Annotated[
    str | None,
    typer.Option(envvar="ORRERY_STATE", help="The body's state as a JSON list, for embodiments that use it."),
]


def state_field(text: str | None) -> dict[str, object]:
    """The request's field; none where nothing was said. Raises BadInput where it is no JSON."""
    if text is None:
        return {}
    try:
        return {"state": json.loads(text)}
    except ValueError:
        raise BadInput(f"The state is {text!r:.80}; expected a JSON list of numbers.", param="state") from None
