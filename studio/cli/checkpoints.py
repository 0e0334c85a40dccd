"""`orrery checkpoints`: what can be named, and what of it is here. Works without a server."""

from __future__ import annotations

from typing import Annotated

import typer

from studio.cli.options import DataOption
from studio.cli.tables import print_table


def checkpoints(
    json: Annotated[bool, typer.Option("--json", envvar="ORRERY_JSON", help="As JSON.")] = False,
    data: DataOption = None,
) -> None:
    """List the checkpoints that can be named, and which of them are on this machine."""
    from studio.catalogue import CheckpointInfo, list_checkpoints
    from studio.data_folder import DataFolder
    from studio.presets import load_presets
    from studio.settings import chosen_data_folder

    folder = DataFolder(chosen_data_folder(data))
    found = list_checkpoints(load_presets(folder.presets), folder.checkpoints)
    if json:
        print(found.model_dump_json(indent=2))
        return

    def row(info: CheckpointInfo) -> tuple[str, ...]:
        size = "" if info.weights_gb is None else f"{info.weights_gb:g} GB"
        return info.id, "yes" if info.installed else "no", size, info.summary

    print_table(("id", "installed", "size", "summary"), [row(info) for info in found.checkpoints])
