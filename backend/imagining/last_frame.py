"""The last frame of a predicted video, as a picture of the store: what the policy is shown next."""

from __future__ import annotations

import io

from PIL import Image

from backend.library.uploads import Uploads
from backend.media import DECODERS, MediaStore, read_timeline
from backend.media.clip_reader import stream_frames
from studio.media import MediaReference


async def keep_last_frame(video: str, store: MediaStore, uploads: Uploads) -> str:
    """Id of the picture, kept like an upload that was made from the video.

    Raises:
        MediaNotFound: the video is not there.
        BadInput: it cannot be decoded.
        QuotaExceeded, DiskFull, StorageError: the picture does not go in.
    """
    reference = await DECODERS.beside(lambda: _keep(video, store))
    return (await uploads.record(reference, title="last frame", source_id=video)).id


def _keep(video: str, store: MediaStore) -> MediaReference:
    path = store.file(video)
    timeline = read_timeline(path)
    frame = next(iter(stream_frames(path, timeline, [len(timeline.ticks) - 1])))
    picture = io.BytesIO()
    Image.fromarray(frame).save(picture, "PNG")
    picture.seek(0)
    return store.put_upload(picture)
