"""`orrery checkpoints`: what can be named, what of it is here, and whether it is whole. Works without a server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.options import DataOption
from cli.tables import print_table

VERIFY_COMMAND = (sys.executable, "-m", "engine.verify")
PULL_COMMAND = (sys.executable, "-P", "-m", "studio.pulling")

JsonOption = Annotated[bool, typer.Option("--json", envvar="ORRERY_JSON", help="As JSON.")]

checkpoints = typer.Typer(help="What can be named, what of it is here, and whether it is whole.")


@checkpoints.callback(invoke_without_command=True)
def listed(context: typer.Context, json: JsonOption = False, data: DataOption = None) -> None:
    """What can be named, what of it is here, and whether it is whole. Without a sub-command: the list."""
    context.obj = (json, data)
    if context.invoked_subcommand is None:
        _list(json, data)


@checkpoints.command("list")
def list_all(context: typer.Context, json: JsonOption = False, data: DataOption = None) -> None:
    """The checkpoints that can be named, and which of them are on this machine."""
    said_json, said_data = _said(context)
    _list(json or said_json, data or said_data)


@checkpoints.command()
def verify(
    context: typer.Context,
    checkpoint: Annotated[str, typer.Argument(metavar="NAME|FOLDER", help="A checkpoint that is on this machine.")],
    values: Annotated[
        bool, typer.Option("--values", envvar="ORRERY_VALUES", help="Read every value too, and find what is no number.")
    ] = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Account for every tensor: 0 when all is whole, 1 when something is wrong, 2 when it cannot be looked at."""
    import subprocess

    said_json, said_data = _said(context)
    flags = [flag for flag, is_set in (("--values", values), ("--json", json or said_json)) if is_set]
    folder = _installed(checkpoint, data or said_data)
    raise typer.Exit(subprocess.run([*VERIFY_COMMAND, *flags, "--", str(folder)], check=False).returncode)


@checkpoints.command()
def pull(
    context: typer.Context,
    checkpoint: Annotated[str, typer.Argument(metavar="NAME", help="A checkpoint with a preset.")],
    data: DataOption = None,
) -> None:
    """Fetch a checkpoint from the Hugging Face hub, from where it was left off; HF_TOKEN may hold a token."""
    from cli.pulling import follow
    from studio.checkpoints import find_checkpoint
    from studio.data_folder import DataFolder
    from studio.errors import BadInput, CheckpointNotFound
    from studio.presets import load_presets
    from studio.pulling import arguments
    from studio.requests import nearest
    from studio.settings import chosen_data_folder

    _, said_data = _said(context)
    folder = DataFolder(chosen_data_folder(data or said_data))
    presets = load_presets(folder.presets)
    if checkpoint not in presets:
        raise CheckpointNotFound(
            f"There is no checkpoint {checkpoint!r}.", param="checkpoint", hint=nearest(checkpoint, presets)
        )
    if not presets[checkpoint].repository:
        way_here = find_checkpoint(checkpoint, presets, folder.checkpoints).way_here
        raise BadInput(f"{checkpoint} is on no hub.", param="checkpoint", hint=way_here)
    preset = presets[checkpoint]
    print(follow([*PULL_COMMAND, *arguments(preset)], preset.title))


def _said(context: typer.Context) -> tuple[bool, Path | None]:
    """What stood between `checkpoints` and the sub-command."""
    return context.obj


def _installed(name: str, data: Path | None) -> Path:
    from studio.checkpoints import find_checkpoint
    from studio.data_folder import DataFolder
    from studio.errors import CheckpointNotFound
    from studio.presets import load_presets
    from studio.settings import chosen_data_folder

    folder = DataFolder(chosen_data_folder(data))
    found = find_checkpoint(name, load_presets(folder.presets), folder.checkpoints)
    if found.folder is None or not found.installed:
        raise CheckpointNotFound(
            f"{found.id} is not on this machine.",
            param="checkpoint",
            hint=found.way_here,
        )
    return found.folder


def _list(json: bool, data: Path | None) -> None:
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
        return info.id, "yes" if info.installed else "no", size, info.precision or "", info.summary

    print_table(("id", "installed", "size", "precision", "summary"), [row(info) for info in found.checkpoints])
