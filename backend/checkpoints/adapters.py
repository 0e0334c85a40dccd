"""The LoRA adapters of the data folder, by name: where they lie is nobody's business on the other side of a socket."""

from __future__ import annotations

import re
from pathlib import Path

from studio.catalogue import AdapterInfo, AdapterList
from studio.errors import BadInput
from studio.requests import Adapter, nearest, shown
from studio.tuning.lineage import lineage_of

SUFFIX = ".safetensors"

NAME = re.compile(next(rule.pattern for rule in Adapter.model_fields["name"].metadata if hasattr(rule, "pattern")))
"""Of an adapter, as a request gives it."""


class AdapterFolder:
    """A folder of adapters: `style.safetensors`, or a folder `style` with such a file, are both called "style".

    The folder is read anew each time: an adapter that is put there can be asked for at once.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listing(self) -> AdapterList:
        """Every adapter, by name."""
        found = sorted(self._found().items())
        infos = (
            AdapterInfo(name=name, size_bytes=_size(path), lineage=lineage_of(path) if path.is_dir() else None)
            for name, path in found
        )
        return AdapterList(adapters=tuple(infos))

    def path(self, name: str) -> Path:
        """The file or folder of an adapter; a file's suffix may be said or left out.

        Raises:
            BadInput: there is none of this name; the hint has the nearest one.
        """
        found = self._found()
        for spelt in (name, name.removesuffix(SUFFIX)):
            if spelt in found:
                return found[spelt]
        raise BadInput(
            f"There is no adapter {shown(name)}.",
            param="adapter.name",
            hint=nearest(name, found)
            if found
            else "No adapters are installed. Put LoRA files into adapters/ in the data folder.",
        )

    def _found(self) -> dict[str, Path]:
        if not self._folder.is_dir():
            return {}
        found: dict[str, Path] = {}
        for path in sorted(self._folder.iterdir()):
            if path.is_dir():
                name = path.name if any(path.glob(f"*{SUFFIX}")) else ""
            else:
                name = path.stem if path.suffix == SUFFIX else ""
            if NAME.fullmatch(name):
                found.setdefault(name, path)
        return found


def _size(path: Path) -> int:
    """Bytes of an adapter's weights."""
    files = path.glob(f"*{SUFFIX}") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)
