"""Which folder of a host holds a checkpoint of the server, and whether it is the same one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from backend.media.facts import sha256_of
from backend.messages import LoadCheckpoint
from studio.checkpoints import find_checkpoint, shard_header
from studio.data_folder import DataFolder
from studio.errors import BrokenCheckpoint, CheckpointNotFound
from studio.presets import CheckpointPreset, load_presets

Fingerprint = Mapping[str, str]
"""Of each file of a checkpoint that the engine reads: of JSON the sha256, of weights their size and their header's."""


@dataclass(frozen=True)
class LoadThere:
    """Load the checkpoint that the server has in its folder; each host finds its own copy.

    Attributes:
        id: a preset's, or the name of a folder.
        order: as the server's own worker would get it.
        fingerprint: none of a checkpoint that is built where it is missing.
    """

    id: str
    order: LoadCheckpoint
    fingerprint: Fingerprint | None


def there(checkpoint: str, order: LoadCheckpoint) -> LoadThere:
    """What the server tells a host. Raises BrokenCheckpoint: its own copy cannot be read."""
    return LoadThere(checkpoint, order, None if order.build else fingerprint(order.folder))


def fingerprint(folder: Path) -> Fingerprint:
    """What tells two copies apart in seconds: tensors themselves are not read. Raises BrokenCheckpoint."""
    found: dict[str, str] = {}
    for path in sorted((*folder.glob("*.json"), *folder.glob("*/*.json"))):
        try:
            found[str(path.relative_to(folder))] = sha256_of(path)
        except OSError as error:
            raise BrokenCheckpoint(f"{path} cannot be read: {error.strerror}.", param="checkpoint") from None
    for path in sorted(folder.glob("*/*.safetensors")):
        header = json.dumps(shard_header(path), sort_keys=True).encode()
        digest = hashlib.sha256(header).hexdigest()
        found[str(path.relative_to(folder))] = f"{path.stat().st_size}:{digest}"
    return found


def installed(presets: Mapping[str, CheckpointPreset], data: DataFolder) -> tuple[str, ...]:
    """Ids of the checkpoints whose files are on this host."""
    return tuple(name for name in presets if find_checkpoint(name, presets, data.checkpoints).installed)


def find_here(wanted: LoadThere, data: DataFolder, host: str, device: str) -> LoadCheckpoint:
    """The order for a worker of this host.

    Args:
        data: the host's.
        host: its name, for people.
        device: where the engine computes here.

    Raises:
        CheckpointNotFound: no folder of this host has the checkpoint.
        BrokenCheckpoint: one has it, and it is another version.
        BadInput: a preset of this host cannot be read.
    """
    presets = load_presets(data.presets)
    folders = [wanted.order.folder] if wanted.order.folder.is_dir() else []
    if wanted.id in presets:
        found = find_checkpoint(wanted.id, presets, data.checkpoints)
        if found.folder is not None and (found.installed or wanted.order.build):
            folders.append(found.folder)
    if not folders:
        raise CheckpointNotFound(
            f"{wanted.id} is not on the host {host}.",
            param="checkpoint",
            hint=f"Pull it there: orrery checkpoints pull {wanted.id}.",
        )
    if wanted.fingerprint is None:
        return LoadCheckpoint(folders[-1], wanted.order.build, device)
    differing = ""
    for folder in folders:
        own = fingerprint(folder)
        if own == wanted.fingerprint:
            return LoadCheckpoint(folder, wanted.order.build, device)
        names = sorted({*own, *wanted.fingerprint})
        differing = next(name for name in names if own.get(name) != wanted.fingerprint.get(name))
    raise BrokenCheckpoint(
        f"{wanted.id} on the host {host} is not the server's version: {differing} differs.",
        param="checkpoint",
        hint="Pull the same revision on both hosts.",
    )
