"""Latents of clips on disk: encoded once for all trainings that see the same pixels through the same VAE."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save
from torch import Tensor

from backend.media.scratch import keep, scratch
from engine.vae import ClipCoder, read_vae
from tuning.generator.clips import Clip
from tuning.sources import Sources


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
            with scratch(path.parent) as (part,):
                part.write_bytes(save({"latents": latents.contiguous()}))
                keep((part, path))
        told(len(clips))

    def read(self, clip: Clip) -> Tensor:
        """Normalised latents float32 [C, T, rows, columns] of a clip that `fill` was given."""
        return load_file(self._path(clip))["latents"]

    def _path(self, clip: Clip) -> Path:
        key = self.key(clip)
        return self._folder / key[:2] / f"{key}.safetensors"
