"""`orrery serve`: become the server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any

from cli.flags import model_flags, with_flags
from cli.target import SERVER_COMMAND, server_environment
from studio.settings import ServerSettings

FLAGS = {name: name.replace("_", "-") for name in ServerSettings.model_fields}


@with_flags
def serve(said: Annotated[Mapping[str, Any], model_flags(ServerSettings, FLAGS)]) -> None:
    """Start the server and the page."""
    os.execve(SERVER_COMMAND[0], SERVER_COMMAND, server_environment(os.environ, said))
