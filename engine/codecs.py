"""Between latents and what people see and hear: everything that the engine encodes and decodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from engine.device import Threads, typed_out_of_memory
from engine.memory import Budget, Shape
from engine.parallel import Leader
from engine.planning import ActionSegment, Plan, Segment, SoundSegment, VisionSegment, is_denoised
from engine.sampling import Chunk, Trajectory
from engine.vae import ClipCoder, PictureDecoder, Sketch, SoundDecoder, decode_in_strips, to_levels
from engine.vae.clip import Frames
from studio.errors import EngineError
from studio.requests.frames import TEMPORAL_STRIDE, frames_up_to


@dataclass(frozen=True)
class Result:
    """What a request came to.

    Attributes:
        frames: uint8 [n, height, width, 3], piece after piece: those of a clip are decoded as they are asked for,
            once; a picture is a single frame. A piece may raise OutOfMemory.
        sound: float32 [2, samples] in -1..1 at 48 kHz, at most 40 ms longer than the frames; none without sound.
        actions: float32 [n, width], where they were asked for; in the body's units: joint positions in rad.
        latents: what was decoded, float32, by modality: "vision" [C, T, rows, columns], "sound" [C, T],
            "action" [T, D], a given state first; of a clip in chunks "vision_0", "vision_1" …
        stopped_at_step: steps done, where they were fewer than asked for; else none.
    """

    frames: Iterator[np.ndarray]
    sound: np.ndarray | None = None
    actions: np.ndarray | None = None
    latents: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    stopped_at_step: int | None = None
    _picture: np.ndarray | None = None

    @classmethod
    def of_picture(cls, image: np.ndarray, stopped_at_step: int | None) -> Result:
        """A picture, uint8 [height, width, 3]."""
        return cls(iter([image[None]]), stopped_at_step=stopped_at_step, _picture=image)

    @property
    def image(self) -> np.ndarray:
        """uint8 [height, width, 3], of a result that is a picture."""
        assert self._picture is not None
        return self._picture


def read_actions(segment: ActionSegment, latents: Tensor) -> np.ndarray | None:
    """Latents [T, D] → the actions that were denoised, float32 [n, width]; none where all were given."""
    if not is_denoised(segment):
        return None
    start = len(segment.given.steps) if segment.given is not None else 0
    actions = latents[start:, : segment.width]
    return (actions if segment.units is None else segment.units.done(actions)).cpu().numpy()


def check_finite(segments: Sequence[Segment], estimates: Sequence[Tensor], finished: Sequence[Tensor] = ()) -> None:
    """Raises EngineError where latents are not finite, and names what they are of.

    A picture has a level for every value: without this, what is not a number would be shown as black.

    Args:
        estimates: of each segment, any shape.
        finished: latents of the chunks before.
    """
    parts = [*finished, *estimates]
    # One answer from the device for all of them.
    are_finite = torch.stack([part.isfinite().all() for part in parts]).tolist()
    if all(are_finite):
        return
    names = ["vision"] * len(finished) + [_MODALITIES[type(segment)] for segment in segments]
    broken = dict.fromkeys(name for name, is_finite in zip(names, are_finite, strict=True) if not is_finite)
    raise EngineError(
        f"The model produced values that are not finite ({', '.join(broken)}).",
        hint="Lower the adapter's scale, use another adapter, or change sampling: a lower guidance scale or more "
        "steps.",
    )


_MODALITIES = {VisionSegment: "vision", SoundSegment: "sound", ActionSegment: "action"}
"""As `Result` calls them."""


SHEET_FRAMES = 4
"""Of a clip that is being made, how many a preview shows: enough to see whether it moves, each large enough to see."""


@dataclass(frozen=True)
class Codecs:
    """The VAE, the sound decoder where there is one, and the sketch for previews."""

    decoder: PictureDecoder
    coder: ClipCoder
    sound: SoundDecoder | None
    sketch: Sketch
    threads: Threads
    device: torch.device
    budget: Budget

    def weights(self) -> Iterator[nn.Parameter]:
        """All of them."""
        yield from self.decoder.vae.parameters()
        if self.sound is not None:
            yield from self.sound.decoder.parameters()

    def modules(self) -> Iterator[nn.Module]:
        """All that have weights."""
        yield self.decoder.vae
        yield self.decoder.single
        if self.sound is not None:
            yield self.sound.decoder

    def preview(self, trajectory: Trajectory) -> np.ndarray:
        """See `Engine.preview`."""
        latents = trajectory.estimates()[trajectory.plan.target]
        frames = [self.sketch.draw(latents[:, index : index + 1]) for index in previewed(latents.shape[1])]
        # Side by side and below each other, so that a sheet of four has the shape of the clip.
        rows = [torch.cat(frames[at : at + 2], dim=2) for at in range(0, len(frames), 2)]
        return to_levels(torch.cat(rows, dim=1)).cpu().numpy()

    def result(self, trajectory: Trajectory, leader: Leader | None = None) -> Result:
        """See `Engine.finish`.

        Args:
            leader: of the ranks that may decode together.
        """
        made, estimates = trajectory.plan, trajectory.estimates()
        check_finite(made.segments, estimates, [chunk.latents for chunk in trajectory.finished])
        stopped = None if trajectory.done else trajectory.step
        vision = estimates[made.target]
        if made.is_picture:
            self._threads_for_pixels(made.canvas, num_frames=1)
            with self._advised(made.canvas, num_frames=1):
                return Result.of_picture(to_levels(self.decoder.decode(vision)).cpu().numpy(), stopped)
        chunks = trajectory.chunks()
        latents, sound, actions = {"vision": vision}, None, None
        if made.continuation is not None or len(chunks) > 1:
            latents = {f"vision_{index}": chunk.latents for index, chunk in enumerate(chunks)}
        for segment, estimate in zip(made.segments, estimates, strict=True):
            match segment:
                case SoundSegment():
                    latents["sound"], sound = estimate, self._waveform(estimate)
                case ActionSegment():
                    latents["action"], actions = estimate, read_actions(segment, estimate)
                case VisionSegment():
                    pass
        arrays = {name: tensor.cpu().numpy() for name, tensor in latents.items()}
        return Result(self._frames(made, chunks, leader), sound, actions, arrays, stopped)

    def pieces(self, plan: Plan, chunk: Chunk, leader: Leader | None = None) -> Iterator[Tensor]:
        """Pixels of a plan's chunk, float32 [3, n, height, width] in -1..1."""
        num_frames = frames_up_to(chunk.latents.shape[1] - 1)
        with self._advised(chunk.canvas, num_frames):
            pieces = self._decoded(plan, chunk, leader)
        while True:
            self._threads_for_pixels(chunk.canvas, TEMPORAL_STRIDE)
            with self._advised(chunk.canvas, num_frames):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    def encode(self, frames: np.ndarray | Frames | Tensor, fit: Callable[[Tensor], Tensor] | None = None) -> Tensor:
        """See `ClipCoder.encode`."""
        height, width = frames.shape[2:] if isinstance(frames, Tensor) else frames.shape[1:3]
        self._threads_for_pixels((width, height), TEMPORAL_STRIDE)
        with typed_out_of_memory(self.device):
            return self.coder.encode(frames, fit)

    def _decoded(self, plan: Plan, chunk: Chunk, leader: Leader | None) -> Iterator[Tensor]:
        num_ranks = 1 if leader is None else leader.decoding_ranks(plan, chunk.latents)
        if leader is not None and num_ranks > 1:
            # Every rank decodes the same pieces: the one with the least memory left decides how long they are.
            least = partial(leader.least_free, num_ranks)
            if at_once := self.budget.latents_at_once(chunk.canvas, num_ranks, least):
                return leader.decode(chunk.latents, num_ranks, at_once)
        if at_once := self.budget.latents_at_once(chunk.canvas):
            return self.coder.decode(chunk.latents, at_once)
        return decode_in_strips(self.coder.decode, chunk.latents)

    @torch.inference_mode()
    def _frames(self, plan: Plan, chunks: Sequence[Chunk], leader: Leader | None) -> Iterator[np.ndarray]:
        """Pieces as they are asked for; on a GPU the next one is decoded while its reader has this one."""
        waiting: Transfer | None = None
        for chunk in chunks:
            start, stop = chunk.shown or (0, None)
            first = 0
            for piece in self.pieces(plan, chunk, leader):
                shown = piece[:, max(start - first, 0) : None if stop is None else max(stop - first, 0)]
                first += piece.shape[1]
                if not shown.shape[1]:
                    continue
                sent = Transfer(to_levels(shown))
                if waiting is not None:
                    yield waiting.take()
                waiting = sent
                if self.device.type == "cpu":
                    yield waiting.take()
                    waiting = None
        if waiting is not None:
            yield waiting.take()

    def _waveform(self, latents: Tensor) -> np.ndarray:
        assert self.sound is not None
        with typed_out_of_memory(self.device):
            return self.sound.decode(latents).cpu().numpy()

    def _advised(self, canvas: tuple[int, int], num_frames: int) -> AbstractContextManager[None]:
        return typed_out_of_memory(self.device, partial(self.budget.advise, Shape(canvas, num_frames)))

    def _threads_for_pixels(self, canvas: tuple[int, int], num_frames: int) -> None:
        self.threads.for_decode(canvas[0] * canvas[1] * num_frames)


def previewed(num_latent_frames: int) -> tuple[int, ...]:
    """Which latent frames a preview shows: four from the first to the last, or the middle one of fewer."""
    if num_latent_frames < SHEET_FRAMES:
        return (num_latent_frames // 2,)
    last = num_latent_frames - 1
    return tuple(round(last * at / (SHEET_FRAMES - 1)) for at in range(SHEET_FRAMES))


class Transfer:
    """Pixels that are being copied to the host while it and the device go on."""

    def __init__(self, tensor: Tensor) -> None:
        self._host, self._arrival = tensor, None
        if tensor.is_cuda:
            self._host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
            self._host.copy_(tensor, non_blocking=True)
            self._arrival = torch.cuda.Event()
            self._arrival.record()

    def take(self) -> np.ndarray:
        """The values, as soon as they are there."""
        if self._arrival is not None:
            self._arrival.synchronize()
        return self._host.numpy()
