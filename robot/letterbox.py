"""A picture of another size, its shape kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def letterbox(image: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """As large as fits, bilinear, in the middle of black; uint8 [height, width, 3].

    This is what openpi-client's `image_tools.resize_with_pad` makes, which openpi's policies were trained with. One of
    that size already comes back as it is.
    """
    if image.shape[:2] == (height, width):
        return image
    ratio = max(image.shape[1] / width, image.shape[0] / height)
    size = (int(image.shape[1] / ratio), int(image.shape[0] / ratio))
    resized = np.asarray(Image.fromarray(image).resize(size, Image.Resampling.BILINEAR))
    top, left = (height - size[1]) // 2, (width - size[0]) // 2
    boxed = np.zeros((height, width, 3), np.uint8)
    boxed[top : top + size[1], left : left + size[0]] = resized
    return boxed
