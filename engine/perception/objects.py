"""SAM 2 (Ravi et al., arXiv 2408.00714): the objects of a video's first frame, followed through the others.

Objects are found as in SAM's automatic mask generator (facebookresearch/sam2, `automatic_mask_generator.py`): a grid of
points is asked about, and of the masks those stay that the model thinks good, that hardly change with the threshold,
and that are no copy of a better one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from engine.perception.pixels import normalized, read_model

POINTS_PER_SIDE = 16
"""Of the grid. The generator's own default is 32; a quarter of the points takes a quarter of the time, and what falls
between them is smaller than 52x30 pixels of 832x480."""
POINTS_AT_ONCE = 64
MIN_PREDICTED_IOU = 0.8
MIN_STABILITY, STABILITY_OFFSET = 0.95, 1.0
MAX_OVERLAP = 0.7
"""As in SAM2AutomaticMaskGenerator: `points_per_batch`, `pred_iou_thresh`, `stability_score_thresh`,
`stability_score_offset`, and `box_nms_thresh`, here of masks instead of their boxes."""

MIN_AREA = 0.001
"""Of the frame, that an object covers: 400 pixels of 832x480."""
MAX_OBJECTS = 24
"""The largest ones are followed; each costs its own pass of the memory in every frame."""

Masks = NDArray[np.bool_]


class ObjectModel:
    """SAM 2 on a device, once for pictures and once for videos, with the same weights."""

    def __init__(self, pictures: Any, videos: Any, device: torch.device) -> None:
        self._pictures = pictures
        self._videos = videos
        self._device = device

    @classmethod
    def load(cls, folder: Path, device: torch.device) -> Self:
        """From a pulled folder. Raises BrokenCheckpoint."""
        from transformers import Sam2Model, Sam2VideoModel  # seconds, which only this feature costs

        videos = read_model(Sam2VideoModel.from_pretrained, folder, device, "SAM 2")
        pictures = read_model(Sam2Model.from_pretrained, folder, device, "SAM 2")
        pictures.vision_encoder = videos.vision_encoder  # nearly all weights: they are held once
        return cls(pictures, videos, device)

    @torch.inference_mode()
    def find(self, frame: NDArray[np.uint8]) -> Masks:
        """The objects of a frame.

        Args:
            frame: uint8 [height, width, 3].

        Returns:
            bool [N, height, width], the largest first; N is 24 at most, and may be 0.
        """
        side = self._videos.config.image_size
        embeddings = self._pictures.get_image_embeddings(_seen(frame, side, self._device))
        offset = side / (2 * POINTS_PER_SIDE)
        ticks = torch.linspace(offset, side - offset, POINTS_PER_SIDE, device=self._device)
        points = torch.cartesian_prod(ticks, ticks)[None, :, None, :]
        found: list[torch.Tensor] = []
        scores: list[torch.Tensor] = []
        for some in points.split(POINTS_AT_ONCE, dim=1):
            labels = torch.ones(some.shape[:3], dtype=torch.int64, device=self._device)
            said = self._pictures(image_embeddings=list(embeddings), input_points=some, input_labels=labels)
            logits, score = said.pred_masks[0].flatten(0, 1).float(), said.iou_scores[0].flatten()
            certain = (logits > STABILITY_OFFSET).flatten(1).sum(1) / (logits > -STABILITY_OFFSET).flatten(1).sum(1)
            good = (score >= MIN_PREDICTED_IOU) & (certain >= MIN_STABILITY)
            good &= (logits > 0).flatten(1).float().mean(1) >= MIN_AREA
            found.append(logits[good])
            scores.append(score[good])
        kept = distinct(torch.cat(found) > 0, torch.cat(scores))
        chosen = torch.cat(found)[kept]
        return _sized(chosen[:MAX_OBJECTS], frame.shape[:2])

    def follow(self, first: Masks) -> Following:
        """Objects of a frame, to be found again in that frame and in those after it."""
        return Following(self._videos, first, self._device)


class Following:
    """Objects on their way through a video.

    Args:
        first: bool [N, height, width] of the first frame.
    """

    def __init__(self, videos: Any, first: Masks, device: torch.device) -> None:
        from transformers import Sam2VideoInferenceSession

        self._videos = videos
        self._first = first
        self._device = device
        self._num_seen = 0
        self._session: Any = Sam2VideoInferenceSession(
            inference_device=device, inference_state_device=device, video_storage_device=device, dtype=torch.float32
        )
        self._session.video_height, self._session.video_width = first.shape[1:]

    @torch.inference_mode()
    def next(self, frame: NDArray[np.uint8]) -> Masks:
        """The same objects in the next frame, the first of all at the beginning; an object that is hidden is empty.

        Args:
            frame: uint8 [height, width, 3].

        Returns:
            bool [N, height, width].
        """
        if not len(self._first):
            return self._first
        side = self._videos.config.image_size
        if self._num_seen == 0:
            # As `Sam2VideoProcessor` does, which takes torchvision.
            whole = torch.from_numpy(self._first)[:, None].float()
            masks = functional.interpolate(whole, (side, side), mode="bilinear", align_corners=False, antialias=True)
            for number, mask in enumerate((masks >= 0.5).float()):
                self._session.add_mask_inputs(self._session.obj_id_to_idx(number), 0, mask[None])
            self._session.obj_with_new_inputs = list(range(len(self._first)))
        seen = _seen(frame, side, self._device)
        said = self._videos(inference_session=self._session, frame=seen, frame_idx=self._num_seen)
        self._num_seen += 1
        self._forget()
        return _sized(said.pred_masks.flatten(0, 1), frame.shape[:2])

    def _forget(self) -> None:
        """What is not looked back at any more: the session keeps four megabytes for each object and frame."""
        config = self._videos.config
        oldest = self._num_seen - max(config.num_maskmem, config.max_object_pointers_in_encoder)
        self._session.processed_frames.clear()
        for outputs in self._session.output_dict_per_obj.values():
            for kept in outputs.values():
                for known in kept.values():
                    known.pop("high_res_masks", None)
            outputs["non_cond_frame_outputs"].pop(oldest, None)


def distinct(masks: torch.Tensor, scores: torch.Tensor) -> list[int]:
    """Places of the masks that are no copy of one with a better score, those of the largest first.

    Args:
        masks: bool [N, height, width].
        scores: float [N].
    """
    flat = masks.flatten(1).float()
    areas = flat.sum(1)
    kept: list[int] = []
    for place in torch.argsort(scores, descending=True, stable=True).tolist():
        both = flat[kept] @ flat[place] if kept else flat.new_zeros(0)
        if not bool((both / (areas[kept] + areas[place] - both) > MAX_OVERLAP).any()):
            kept.append(place)
    return sorted(kept, key=lambda place: -float(areas[place]))


def _seen(frame: NDArray[np.uint8], side: int, device: torch.device) -> torch.Tensor:
    return normalized(frame, (side, side), "bilinear", device)


def _sized(logits: torch.Tensor, size: tuple[int, ...]) -> Masks:
    if not len(logits):
        return np.zeros((0, *size), bool)
    whole = functional.interpolate(logits[:, None].float(), size, mode="bilinear", align_corners=False)
    return (whole[:, 0] > 0).cpu().numpy()
