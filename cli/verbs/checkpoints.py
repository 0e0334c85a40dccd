"""`orrery checkpoints`: what can be named, what of it is here, and whether it is whole. Works without a server."""

from __future__ import annotations

import json as json_text
import os
import subprocess
import sys
from typing import Annotated, Any, cast

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from cli.flags import DataOption, JsonOption, TargetFlags, pass_on, with_flags
from cli.printed import print_table
from cli.target import ask
from studio.catalogue import CheckpointInfo, list_checkpoints
from studio.checkpoints import find_checkpoint
from studio.data_folder import DataFolder
from studio.errors import BadInput, CheckpointNotFound, Unexpected
from studio.jobs import Failure
from studio.perception import perception_models
from studio.presets import load_presets
from studio.pulling import arguments
from studio.requests import nearest
from studio.settings import chosen_data_folder
from studio.system import HostLoad

VERIFY_COMMAND = (sys.executable, "-m", "engine.verify")
PULL_COMMAND = (sys.executable, "-P", "-m", "studio.pulling")

checkpoints = typer.Typer(help="List, download and verify checkpoints.")


@checkpoints.callback(invoke_without_command=True)
def listed(context: typer.Context, json: JsonOption = False, data: DataOption = None) -> None:
    """List, download and verify checkpoints. Without a subcommand, print the list."""
    pass_on(context)
    if context.invoked_subcommand is None:
        list_all(json, data)


@checkpoints.command("list")
def list_all(json: JsonOption = False, data: DataOption = None) -> None:
    """List known checkpoints and which of them are on this machine."""
    folder = DataFolder(chosen_data_folder(data))
    found = list_checkpoints(load_presets(folder.presets), folder.checkpoints)
    if json:
        print(found.model_dump_json(indent=2))
        return

    def row(info: CheckpointInfo) -> tuple[str, ...]:
        size = "" if info.weights_gb is None else f"{info.weights_gb:g} GB"
        return info.id, "yes" if info.installed else "no", size, info.precision or "", info.summary

    print_table(("id", "installed", "size", "precision", "summary"), [row(info) for info in found.checkpoints])


@checkpoints.command()
@with_flags
def hosts(target: TargetFlags, json: JsonOption = False) -> None:
    """List the hosts of the running server's Ray cluster, and which checkpoints are on each."""
    found = ask(target, lambda client: client.system()).hosts
    if json:
        print(json_text.dumps([host.model_dump(mode="json") for host in found], indent=2))
        return

    def row(host: HostLoad) -> tuple[str, ...]:
        engines = ", ".join(f"{engine.checkpoint} {engine.state}" for engine in host.engines)
        place = host.name or f"waits for {host.waits_for}"
        return str(host.replica), place, ", ".join(host.checkpoints), engines

    print_table(("replica", "host", "installed", "engines"), [row(host) for host in found])


@checkpoints.command()
def verify(
    checkpoint: Annotated[str, typer.Argument(metavar="NAME|FOLDER", help="A checkpoint on this machine.")],
    values: Annotated[
        bool,
        typer.Option(
            "--values", envvar="ORRERY_VALUES", help="Also read every value and report those that are not finite."
        ),
    ] = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Check every tensor. Exit code 0: complete; 1: something is wrong; 2: it cannot be read."""
    folder = DataFolder(chosen_data_folder(data))
    found = find_checkpoint(checkpoint, load_presets(folder.presets), folder.checkpoints)
    if found.folder is None or not found.installed:
        raise CheckpointNotFound(f"{found.id} is not on this machine.", param="checkpoint", hint=found.way_here)
    flags = [flag for flag, is_set in (("--values", values), ("--json", json)) if is_set]
    raise typer.Exit(subprocess.run([*VERIFY_COMMAND, *flags, "--", str(found.folder)], check=False).returncode)


@checkpoints.command()
def pull(
    checkpoint: Annotated[
        str, typer.Argument(metavar="NAME", help="A checkpoint with a preset, or a model that computes controls.")
    ],
    data: DataOption = None,
) -> None:
    """Download a checkpoint from the Hugging Face hub, or continue a download; HF_TOKEN may hold a token.

    The models that compute depth and seg controls are depth-anything-v2-small and sam2.1-hiera-large.
    """
    if model := perception_models().get(checkpoint):
        print(_pulled([*PULL_COMMAND, model.repository], model.title))
        return
    folder = DataFolder(chosen_data_folder(data))
    presets = load_presets(folder.presets)
    if checkpoint not in presets:
        raise CheckpointNotFound(
            f"There is no checkpoint {checkpoint!r}.",
            param="checkpoint",
            hint=nearest(checkpoint, (*presets, *perception_models())),
        )
    preset = presets[checkpoint]
    if not preset.repository:
        way_here = find_checkpoint(checkpoint, presets, folder.checkpoints).way_here
        raise BadInput(f"{checkpoint} cannot be downloaded.", param="checkpoint", hint=way_here)
    print(_pulled([*PULL_COMMAND, *arguments(preset)], preset.title))


def _pulled(command: list[str], title: str) -> str:
    """Run `python -m studio.pulling` with a bar on stderr, and return the folder.

    Raises:
        StudioError: why it could not be fetched.
    """
    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
    )
    environment = {**os.environ, "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    last: dict[str, Any] = {}
    with bars, subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        task = bars.add_task(title, total=None)
        try:
            for line in process.stdout:
                last = cast(dict[str, Any], json_text.loads(line))
                if "done" in last:
                    bars.update(task, completed=last["done"], total=last["total"])
        finally:
            process.terminate()
    if "error" in last:
        raise Failure.model_validate(last["error"]).error()
    if "folder" not in last:
        raise Unexpected("The task ended without a message.")
    return str(last["folder"])
