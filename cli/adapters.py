"""`orrery adapters`: the LoRA adapters that a request may name. Works without a server."""

from __future__ import annotations

from pathlib import Path

from cli.flags import JsonOption, TargetFlags, with_flags
from cli.printed import print_table
from cli.target import ask, running_server
from studio.catalogue import AdapterInfo, AdapterList


@with_flags
def adapters(target: TargetFlags, json: JsonOption = False) -> None:
    """List the LoRA adapters of the running server, or of the data folder if no server runs."""
    if running_server(target):
        found = ask(target, lambda client: client.adapters())
    else:
        found = _in_folder(target.folder.root / "adapters")
    if json:
        print(found.model_dump_json(indent=2))
        return
    rows = [(adapter.name, f"{adapter.size_bytes / 1e6:.1f} MB") for adapter in found.adapters]
    print_table(("name", "size"), rows)


def _in_folder(folder: Path) -> AdapterList:
    """Files `name.safetensors`, and folders with such files in them."""
    found: dict[str, int] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        files = sorted(path.glob("*.safetensors")) if path.is_dir() else [path]
        if files and files[0].suffix == ".safetensors":
            found.setdefault(path.name.removesuffix(".safetensors"), sum(file.stat().st_size for file in files))
    return AdapterList(adapters=tuple(AdapterInfo(name=name, size_bytes=size) for name, size in sorted(found.items())))
