"""`orrery adapters`: the LoRA adapters that a request may name. Works without a server."""

from __future__ import annotations

from pathlib import Path

from cli.flags import JsonOption, TargetFlags, with_flags
from cli.printed import print_table
from cli.target import ask, running_server
from studio.catalogue import AdapterInfo, AdapterList
from studio.tuning.lineage import lineage_of


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
    rows = [(adapter.name, f"{adapter.size_bytes / 1e6:.1f} MB", _origin(adapter)) for adapter in found.adapters]
    columns = ("name", "size", "tuned by") if any(adapter.lineage for adapter in found.adapters) else ("name", "size")
    print_table(columns, [row[: len(columns)] for row in rows])


def _origin(adapter: AdapterInfo) -> str:
    """As in `4e7a00c3d2b1, step 100, from pocket`; empty of one that was not tuned here."""
    if (made := adapter.lineage) is None:
        return ""
    return f"{made.tuning}, step {made.step}, from {made.recipe.checkpoint}"


def _in_folder(folder: Path) -> AdapterList:
    """Files `name.safetensors`, and folders with such files in them."""
    found: dict[str, AdapterInfo] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        files = sorted(path.glob("*.safetensors")) if path.is_dir() else [path]
        if files and files[0].suffix == ".safetensors":
            name = path.name.removesuffix(".safetensors")
            lineage = lineage_of(path) if path.is_dir() else None
            size_bytes = sum(file.stat().st_size for file in files)
            found.setdefault(name, AdapterInfo(name=name, size_bytes=size_bytes, lineage=lineage))
    return AdapterList(adapters=tuple(found[name] for name in sorted(found)))
