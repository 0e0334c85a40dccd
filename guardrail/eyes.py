"""What looks at frames: NVIDIA's classifier of what they show, and its blur of faces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class ContentFilter:
    """cosmos-guardrail's SigLIP classifier: safe, or one of six kinds of what is not."""

    def __init__(self) -> None:
        self._model: Any = None
        self._names: dict[int, str] = {}

    def load(self, device: str) -> None:
        """Load it. Raises whatever is wrong."""
        from cosmos_guardrail.cosmos_guardrail import (  # pyright: ignore[reportMissingImports] - in its own environment
            VideoContentSafetyFilter,
        )
        from cosmos_guardrail.cosmos_utils import CLASS_IDX_TO_NAME  # pyright: ignore[reportMissingImports]

        self._model = VideoContentSafetyFilter().to(device).requires_grad_(False)
        self._names = dict(CLASS_IDX_TO_NAME)

    def fault_of(self, frame: NDArray[np.uint8]) -> str | None:
        """What is wrong with uint8 [height, width, 3]; none where it is safe. Raises when it cannot tell."""
        from PIL import Image

        # Neither `is_safe_frames`, which goes on to the next frame when the model breaks, nor its `encode_image`, which
        # breaks on every frame: transformers 5 answers features as an object (cosmos_guardrail.py, 0.3.2).
        encoder = self._model.encoder
        weight = next(encoder.model.parameters())
        given = encoder.processor(images=Image.fromarray(frame), return_tensors="pt")
        found = encoder.model.get_image_features(**given.to(weight.device, dtype=weight.dtype))
        features = getattr(found, "pooler_output", found)
        logits = self._model.model.network(features / features.norm(dim=-1, keepdim=True))
        index = int(logits.argmax(-1))
        return None if index == 0 else self._names.get(index, "something unknown").replace("_", " ")


class FaceBlur:
    """cosmos-guardrail's RetinaFace: faces of at least 20x20 pixels become 5x5 blocks."""

    def __init__(self) -> None:
        self._model: Any = None

    def load(self, device: str) -> None:
        """Load it. Raises whatever is wrong."""
        from cosmos_guardrail.cosmos_guardrail import RetinaFaceFilter  # pyright: ignore[reportMissingImports]

        self._model = RetinaFaceFilter().to(device).requires_grad_(False)

    def blurred(self, frames: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
        """Frames of uint8 [n, height, width, 3] with their faces blurred; none without any. Raises when it cannot tell.

        Args:
            frames: are written to.
        """
        import cv2

        before = frames.copy()
        try:
            done = np.asarray(self._model.postprocess(frames), np.uint8)
        except cv2.error as error:  # an Exception of its own; a face cut off by the picture's edge to nothing raises it
            raise RuntimeError(f"a face could not be blurred: {error}") from error
        return None if np.array_equal(before, done) else done
