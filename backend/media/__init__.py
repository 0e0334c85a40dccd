"""Pictures, clips and actions: read from any file, written whole or not at all, and served as they were written."""

from backend.media.apart import DECODERS, run_apart
from backend.media.clip_reader import require_frames, stream_clip, stream_frames
from backend.media.clip_writer import write_clip
from backend.media.control_origin import ControlOrigin, origin_of
from backend.media.controls import compute_control
from backend.media.facts import MediaFacts
from backend.media.inspection import inspect_upload
from backend.media.pictures import decode_picture, is_picture, read_picture
from backend.media.recipe import read_recipe, write_recipe
from backend.media.sound import read_sound
from backend.media.store import MediaStore
from backend.media.timeline import frame_rate, read_timeline

__all__ = [
    "DECODERS",
    "ControlOrigin",
    "MediaFacts",
    "MediaStore",
    "compute_control",
    "decode_picture",
    "frame_rate",
    "inspect_upload",
    "is_picture",
    "origin_of",
    "read_picture",
    "read_recipe",
    "read_sound",
    "read_timeline",
    "require_frames",
    "run_apart",
    "stream_clip",
    "stream_frames",
    "write_clip",
    "write_recipe",
]
