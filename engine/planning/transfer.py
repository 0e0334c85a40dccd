"""The plan of a transfer: controls beside the target, three branches, and a plan for each chunk of a long clip."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from engine.planning.plan import BranchPrompt, Continuation, Plan
from engine.planning.segments import Given, VisionSegment, check_denoised
from engine.planning.setting import Media, Setting
from engine.planning.trained_strings import TRANSFER_SYSTEM_PROMPT
from engine.towers import Average
from studio.requests.frames import frames_up_to, latent_frames
from studio.requests.transfer_video import HINT_ORDER, Control, TransferVideo
from studio.rules import canvas


def plan_transfer(request: TransferVideo, setting: Setting, media: Media) -> Plan:
    """The plan of the first chunk, which leads on to the others; `count` is the caller's.

    Args:
        media: a clip for each control by its hint ("edge"), all of one length, and "source_video" where one is named.

    Raises:
        PromptTooLong: the prompt or the negative prompt has too many tokens.
        NotAllowed: the checkpoint's own schedule is asked for and cannot be sampled.
        BadInput: every frame is kept.
    """
    return transfer_plan(request, canvas(request.resolution, request.aspect_ratio), setting, media)


def transfer_plan(request: TransferVideo, size: tuple[int, int], setting: Setting, media: Media) -> Plan:
    """The same on a canvas (width, height) of any size."""
    assert request.count == 1
    width, height = size
    controls = tuple(sorted(request.controls, key=lambda control: HINT_ORDER.index(control.hint)))
    assert all(media.frames[control.hint].shape[1:] == (height, width, 3) for control in controls)
    length = len(media.frames[controls[0].hint])
    planner = _Chunks(request, size, setting, media, controls, length)
    kept = None
    if request.source_video is not None and request.num_source_frames:
        kept = media.frames["source_video"][: min(request.num_source_frames, planner.num_frames)]
    return planner.plan(0, kept)


@dataclass(frozen=True)
class _Chunks:
    """What the plans of all chunks have in common.

    Attributes:
        controls: in the model's order.
        length: frames of each control.
    """

    request: TransferVideo
    size: tuple[int, int]
    setting: Setting
    media: Media
    controls: tuple[Control, ...]
    length: int

    @property
    def total(self) -> int:
        """Frames of the whole clip."""
        return self.request.num_made_frames(self.length)

    @property
    def num_frames(self) -> int:
        """Frames of each chunk, 4k+1; what the last one makes beyond the clip's end is not shown."""
        return self.request.num_frames_at_once(self.length)

    @property
    def stride(self) -> int:
        """Frames from one chunk's start to the next one's."""
        return self.num_frames - self.request.num_overlap_frames

    @property
    def num_chunks(self) -> int:
        """93 frames in chunks of 93 are 1, 94 are 2."""
        left = self.total - self.num_frames
        return 1 + math.ceil(left / self.stride) if left > 0 else 1

    def plan(self, chunk: int, kept: np.ndarray | Tensor | None) -> Plan:
        """One chunk.

        Args:
            kept: frames it starts with, uint8 [n, height, width, 3] or float32 [n, 3, height, width] in -1..1.
        """
        segments = (*self._controls(chunk), self._target(kept))
        check_denoised(segments, "num_source_frames")
        skipped = 0 if chunk == 0 or kept is None else len(kept)
        start = chunk * self.stride
        return Plan.under(
            (
                BranchPrompt(self.request.prompt, "prompt"),
                BranchPrompt(self.request.prompt, "prompt", controls=False),
                BranchPrompt(self.request.negative_prompt, "negative_prompt"),
            ),
            segments,
            self.setting,
            self.request.sampling,
            canvas=self.size,
            system=TRANSFER_SYSTEM_PROMPT,
            average=self._average(segments),
            shown=(skipped, min(self.num_frames, self.total - start)),
            continuation=self._continuation(chunk + 1),
        )

    def _continuation(self, chunk: int) -> Continuation | None:
        if chunk == self.num_chunks:
            return None
        return Continuation(
            num_plans=self.num_chunks - chunk,
            num_tail_frames=self.request.num_overlap_frames,
            plan=lambda tail: self.plan(chunk, tail),
        )

    def _controls(self, chunk: int) -> list[VisionSegment]:
        start = chunk * self.stride
        segments: list[VisionSegment] = []
        for control in self.controls:
            frames = self.media.frames[control.hint]
            order = reflected(range(len(frames)), self.total)[start : min(start + self.num_frames, self.total)]
            latents = self.media.encode(frames[reflected(order, self.num_frames)])
            given = Given(tuple(range(latents.shape[1])), latents)
            segments.append(self._segment(given, is_control=True))
        return segments

    def _target(self, kept: np.ndarray | Tensor | None) -> VisionSegment:
        if kept is None or not len(kept):
            return self._segment(None)
        num_latents = latent_frames(len(kept))
        latents = self.media.encode(kept[: frames_up_to(num_latents - 1)])
        return self._segment(Given(tuple(range(num_latents)), latents))

    def _segment(self, given: Given | None, *, is_control: bool = False) -> VisionSegment:
        return VisionSegment(
            shape=self.setting.latent_shape(*self.size, latent_frames(self.num_frames)),
            patch=self.setting.config.latent_patch_size,
            fps=self.request.fps,
            given=given,
            is_control=is_control,
        )

    def _average(self, segments: tuple[VisionSegment, ...]) -> Average | None:
        """With one control both ways of attention are the same."""
        if len(self.controls) == 1 or self.request.control_attention == "joint":
            return None
        whole = sum(control.weight for control in self.controls)
        return Average(
            lengths=tuple(segment.num_tokens for segment in segments if segment.is_control),
            weights=tuple(control.weight / whole for control in self.controls),
        )


def reflected(order: Sequence[int], length: int) -> list[int]:
    """Frames of a clip, continued to `length` by going back from its end: 0 1 2 are 0 1 2 2 1 1 2 2 1 1.

    All that there is so far is appended backwards, but for its first frame, until it suffices; a single frame is
    repeated. Source: diffusers 0.42, `Cosmos3TransferSetupStep`.
    """
    frames = list(order)
    while len(frames) < length:
        back = min(len(frames) - 1, length - len(frames))
        frames += frames[::-1][:back] if back > 0 else frames[-1:] * (length - len(frames))
    return frames
