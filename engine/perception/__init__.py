"""What a picture shows, for controls and for measuring: its depth, and the objects in it. Models of others, through
transformers.

    depth      Depth Anything V2: a frame to its inverse depth
    objects    SAM 2: the objects of a first frame, followed through a video
    painting   both as the controls of a transfer
    likeness   how two videos agree in them
"""

from engine.perception.depth import DepthModel
from engine.perception.likeness import MaskLikeness, MaskOverlaps, si_rmse
from engine.perception.objects import Following, ObjectModel
from engine.perception.painting import Painter, painter_of

__all__ = [
    "DepthModel",
    "Following",
    "MaskLikeness",
    "MaskOverlaps",
    "ObjectModel",
    "Painter",
    "painter_of",
    "si_rmse",
]
