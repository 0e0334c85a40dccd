"""Latents of clips on disk: encoded once for all trainings that see the same pixels through the same VAE."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save
from torch import Tensor

from engine.vae import ClipCoder, read_vae
from studio.errors import BadInput
from tuning.generator.clips import Clip
from tuning.state import typed_writing

Stamp = tuple[int, int]
"""Size and time of a file."""


@dataclass
class Sources:
    """The files of a data set, and whether they are still what they were.

    Attributes:
        stamps: of every file that was read.
        hashes: SHA-256 of its bytes.
    """

    stamps: dict[Path, Stamp] = field(default_factory=dict[Path, Stamp])
    hashes: dict[Path, str] = field(default_factory=dict[Path, str])

    def hash(self, path: Path) -> str:
        """SHA-256 of a file; read once."""
        if path not in self.hashes:
            self.stamps[path] = _stamp(path)
            with path.open("rb") as file:
                self.hashes[path] = hashlib.file_digest(file, "sha256").hexdigest()
        return self.hashes[path]

    def check(self) -> None:
        """Raises BadInput where one of them is not what it was."""
        for path, stamp in self.stamps.items():
            if not path.is_file() or _stamp(path) != stamp:
                raise BadInput(
                    f"{path} has changed while it was trained on.",
                    param="data",
                    hint="Begin another training for the changed data; the saves so far stay.",
                )


def _stamp(path: Path) -> Stamp:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


class LatentCache:
    """Latents by what they are of.

    Args:
        folder: of the cache, shared by all trainings.
        vae: folder of the VAE.
        device, dtype: where and in what clips are encoded, as the engine encodes them.
    """

    def __init__(self, folder: Path, vae: Path, device: torch.device, dtype: torch.dtype, sources: Sources) -> None:
        self._folder, self._vae, self._device, self._dtype, self._sources = folder, vae, device, dtype, sources
        digest = hashlib.sha256(str(dtype).encode())
        for path in sorted(vae.glob("*")):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        self._vae_hash = digest.hexdigest()

    def key(self, clip: Clip) -> str:
        """SHA-256 over the file's bytes, the frames, the canvas, the rate and the VAE."""
        said = {
            "file": self._sources.hash(clip.window.path),
            "frames": clip.indexes,
            "canvas": clip.canvas,
            "fps": clip.fps,
            "vae": self._vae_hash,
        }
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def fill(self, clips: Sequence[Clip], told: Callable[[int], None]) -> None:
        """Encode what is not there yet.

        Args:
            told: how many are there.

        Raises:
            BadInput: a file cannot be decoded any more.
            DiskFull, StorageError: latents could not be written.
        """
        coder: ClipCoder | None = None
        for done, clip in enumerate(clips):
            told(done)
            path = self._path(clip)
            if path.is_file():
                continue
            coder = coder or ClipCoder(read_vae(self._vae, self._device, self._dtype).vae)
            with torch.inference_mode():
                latents = coder.encode(np.ascontiguousarray(clip.frames())).float().cpu()
            with typed_writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                part = path.with_suffix(".part")
                part.write_bytes(save({"latents": latents.contiguous()}))
                part.replace(path)
        told(len(clips))

    def read(self, clip: Clip) -> Tensor:
        """Normalised latents float32 [C, T, rows, columns] of a clip that `fill` was given."""
        return load_file(self._path(clip))["latents"]

    def _path(self, clip: Clip) -> Path:
        key = self.key(clip)
        return self._folder / key[:2] / f"{key}.safetensors"
