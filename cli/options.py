"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server",
        envvar="ORRERY_SERVER",
        metavar="URL",
        help="A running server. Without it: the one that holds the data folder.",
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", envvar="ORRERY_DATA", metavar="FOLDER", help="The data folder [~/.local/share/orrery]."),
]
TokenOption = Annotated[
    str | None, typer.Option("--token", envvar="ORRERY_TOKEN", metavar="TOKEN", help="The server's token.")
]
EndpointOption = Annotated[
    str | None,
    typer.Option(
        "--endpoint",
        envvar="ORRERY_ENDPOINT",
        metavar="URL",
        help="An OpenAI-compatible server that answers instead, as in http://127.0.0.1:8000/v1; its key is taken from "
        "ORRERY_UPSAMPLER_KEY.",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", envvar="ORRERY_MODEL", metavar="NAME", help="Its model; without it, the first that it lists."
    ),
]
