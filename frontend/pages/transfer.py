"""The transfer page: a clip that follows the outlines, the blur or the depth of another one."""

from __future__ import annotations

from frontend.panel import FormPart, Panel
from frontend.places import TRANSFER
from studio.requests import TransferVideo

TRANSFER_PANEL = Panel(
    TRANSFER,
    TransferVideo,
    parts=(FormPart("@controls", "o-controls", ("source_video", "controls", "num_source_frames")),),
    early=("aspect_ratio", "resolution", "num_frames", "num_chunk_frames"),
    rare=("fps",),
)
