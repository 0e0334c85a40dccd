"""Pictures and clips: read from any file, written whole or not at all, and served as they were written."""

from backend.media.clip_reader import read_clip, require_frames
from backend.media.clip_writer import write_clip
from backend.media.facts import MediaFacts
from backend.media.frame_rate import frame_rate
from backend.media.inspection import inspect_upload
from backend.media.pictures import read_picture
from backend.media.recipe import read_recipe, write_recipe
from backend.media.store import MediaStore

__all__ = [
    "MediaFacts",
    "MediaStore",
    "frame_rate",
    "inspect_upload",
    "read_clip",
    "read_picture",
    "read_recipe",
    "require_frames",
    "write_clip",
    "write_recipe",
]
