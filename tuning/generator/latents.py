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

from engine.vae import ClipCoder, read_vae
from studio.requests.transfer_video import ComputedHint
from tuning.generator.clips import STRENGTH, Clip, control_frames
from tuning.sources import Sources
from tuning.state import typed_writing


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

    def key(self, clip: Clip, control: ComputedHint | None = None) -> str:
        """SHA-256 over the file's bytes, the frames, the canvas, the rate, the VAE, and what is computed of them."""
        said: dict[str, object] = {
            "file": self._sources.hash(clip.window.path),
            "frames": clip.indexes,
            "canvas": clip.canvas,
            "fps": clip.fps,
            "vae": self._vae_hash,
        }
        if control is not None:
            said |= {"control": control, "strength": STRENGTH}
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def fill(self, clips: Sequence[Clip], told: Callable[[int], None], controls: Sequence[ComputedHint] = ()) -> None:
        """Encode what is not there yet.

        Args:
            controls: of every video, beside the video itself.
            told: how many are there.

        Raises:
            BadInput: a file cannot be decoded any more.
            DiskFull, StorageError: latents could not be written.
        """
        coder: ClipCoder | None = None
        for done, clip in enumerate(clips):
            told(done)
            for control in (None,) if clip.window.is_image else (None, *controls):
                path = self._path(clip, control)
                if path.is_file():
                    continue
                coder = coder or ClipCoder(read_vae(self._vae, self._device, self._dtype).vae)
                frames = clip.frames() if control is None else control_frames(clip.frames(), control)
                with torch.inference_mode():
                    latents = coder.encode(np.ascontiguousarray(frames)).float().cpu()
                _write(path, latents)
        told(len(clips))

    def read(self, clip: Clip, control: ComputedHint | None = None) -> Tensor:
        """Normalised latents float32 [C, T, rows, columns] of a clip that `fill` was given, or of its control."""
        return load_file(self._path(clip, control))["latents"]

    def _path(self, clip: Clip, control: ComputedHint | None) -> Path:
        key = self.key(clip, control)
        return self._folder / key[:2] / f"{key}.safetensors"


def _write(path: Path, latents: Tensor) -> None:
    with typed_writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(save({"latents": latents.contiguous()}))
        part.replace(path)
