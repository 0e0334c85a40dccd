"""Latents of videos on disk: encoded once for all trainings that see the same pixels through the same VAE."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save
from torch import Tensor

from backend.media.scratch import keep, scratch
from engine.planning.action import Fit
from engine.vae import ClipCoder, read_vae
from tuning.sources import Sources


class Encodable(Protocol):
    """What latents are of."""

    @property
    def fitted(self) -> Fit | None:
        """How its frames lie in the canvas that is encoded; none where they are that canvas."""
        ...

    def identity(self, sources: Sources) -> dict[str, object]:
        """What decides over its pixels, as JSON."""
        ...

    def frames(self) -> NDArray[np.uint8]:
        """uint8 [4k + 1, height, width, 3]. Raises BadInput."""
        ...


class LatentCache:
    """Latents by what they are of.

    Args:
        folder: of the cache, shared by all trainings.
        vae: folder of the VAE.
        device, dtype: where and in what clips are encoded, as the engine encodes them.
        pixels_per_cell: along the side of one latent cell.
    """

    def __init__(
        self,
        folder: Path,
        vae: Path,
        device: torch.device,
        dtype: torch.dtype,
        sources: Sources,
        *,
        pixels_per_cell: int = 16,
    ) -> None:
        self._pixels_per_cell = pixels_per_cell
        self._folder, self._vae, self._device, self._dtype, self._sources = folder, vae, device, dtype, sources
        digest = hashlib.sha256(str(dtype).encode())
        for path in sorted(vae.glob("*")):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        self._vae_hash = digest.hexdigest()

    def key(self, clip: Encodable) -> str:
        """SHA-256 over what decides over the pixels, and the VAE."""
        said = {**clip.identity(self._sources), "vae": self._vae_hash}
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def fill(self, clips: Sequence[Encodable], told: Callable[[int], None]) -> None:
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
                latents = coder.encode(np.ascontiguousarray(clip.frames()), clip.fitted).float().cpu()
            if clip.fitted is not None:
                columns, rows = clip.fitted.cells(self._pixels_per_cell)
                latents = latents[..., :rows, :columns]
            with scratch(path.parent) as (part,):
                part.write_bytes(save({"latents": latents.contiguous()}))
                keep((part, path))
        told(len(clips))

    def read(self, clip: Encodable) -> Tensor:
        """Normalised latents float32 [C, T, rows, columns] of a clip that `fill` was given."""
        return load_file(self._path(clip))["latents"]

    def _path(self, clip: Encodable) -> Path:
        key = self.key(clip)
        return self._folder / key[:2] / f"{key}.safetensors"
