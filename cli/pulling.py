"""A pull as a bar on stderr."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, cast

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from studio.errors import Unexpected
from studio.jobs import Failure


def follow(command: list[str], title: str) -> str:
    """Run `python -m studio.pulling`, show how far it is, and return the folder.

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
                last = cast(dict[str, Any], json.loads(line))
                if "done" in last:
                    bars.update(task, completed=last["done"], total=last["total"])
        finally:
            process.terminate()
    if "error" in last:
        raise Failure.model_validate(last["error"]).error()
    if "folder" not in last:
        raise Unexpected("It ended without a word.")
    return str(last["folder"])
