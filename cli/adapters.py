"""`orrery adapters`: the LoRA adapters that a request may name. Works without a server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import DataOption, ServerOption, TokenOption
from cli.tables import print_table

if TYPE_CHECKING:
    from studio.adapters import AdapterList
    from studio.client import StudioClient


def adapters(
    json: Annotated[bool, typer.Option("--json", envvar="ORRERY_JSON", help="As JSON.")] = False,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """List the LoRA adapters of the running server, or of the data folder where none runs."""
    from cli.target import read_target, running_server
    from studio.client import StudioClient

    target = read_target(server, data, token)
    url = running_server(target)
    if url is None:
        found = _lying_in(target.folder.root / "adapters")
    else:
        found = asyncio.run(_asked(StudioClient(url, token=target.token)))
    if json:
        print(found.model_dump_json(indent=2))
        return
    rows = [(adapter.name, f"{adapter.size_bytes / 1e6:.1f} MB") for adapter in found.adapters]
    print_table(("name", "size"), rows)


async def _asked(client: StudioClient) -> AdapterList:
    async with client:
        return await client.adapters()


def _lying_in(folder: Path) -> AdapterList:
    """Files `name.safetensors`, and folders with such files in them."""
    from studio.adapters import AdapterInfo, AdapterList

    found: dict[str, int] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        files = sorted(path.glob("*.safetensors")) if path.is_dir() else [path]
        if files and files[0].suffix == ".safetensors":
            found.setdefault(path.name.removesuffix(".safetensors"), sum(file.stat().st_size for file in files))
    return AdapterList(adapters=tuple(AdapterInfo(name=name, size_bytes=size) for name, size in sorted(found.items())))
