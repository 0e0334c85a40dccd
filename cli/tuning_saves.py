"""The saves of a tuning as a server has them: `NAME@STEP`, an adapter or a checkpoint each, and what it began with."""

from __future__ import annotations

from typing import NamedTuple

from studio.client import StudioClient
from studio.errors import BadInput
from studio.evaluation.curves import SAVE
from studio.requests import nearest, shown
from studio.tuning.lineage import Lineage


class Save(NamedTuple):
    """One save.

    Attributes:
        reasoner: the checkpoint that answers or makes; none is the default one.
        adapter: that it wears; none where the save is a checkpoint.
    """

    step: int
    name: str
    reasoner: str | None
    adapter: str | None


class Saves(NamedTuple):
    """All saves of one tuning.

    Attributes:
        base: the checkpoint that it began with; none is the default one.
        saves: by rising step.
    """

    base: str | None
    saves: tuple[Save, ...]


async def saves_of(client: StudioClient, name: str, base: str | None = None) -> Saves:
    """The saves that are called `NAME@STEP`.

    Args:
        client: of the server.
        name: of the tuning.
        base: the checkpoint that it began with; none is what the saves' lineage says.

    Raises:
        BadInput: there are none.
    """
    adapters = (await client.adapters()).adapters
    checkpoints = (await client.checkpoints()).checkpoints
    lineages: dict[str, Lineage | None] = {one.name: one.lineage for one in adapters}
    lineages |= {one.id: one.lineage for one in checkpoints}
    found = {one: match for one in lineages if (match := SAVE.fullmatch(one))}
    own = sorted((int(match["step"]), one) for one, match in found.items() if match["training"] == name)
    if not own:
        tunings = {match["training"] for match in found.values()}
        raise BadInput(f"There are no saves {shown(name)}@STEP.", param="saves", hint=nearest(name, tunings))
    said = (lineage.recipe.checkpoint for _, one in own if (lineage := lineages[one]) is not None)
    begins = base or next(said, None)
    worn = {one.name for one in adapters}
    return Saves(
        begins,
        tuple(Save(step, one, begins, one) if one in worn else Save(step, one, one, None) for step, one in own),
    )
