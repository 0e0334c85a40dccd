"""What a clip is, read back from its bytes."""

import io

import av


def clip_facts(content: bytes) -> tuple[int, int, int, bool]:
    """Frames, width, height, and whether there is sound that can be heard out."""
    with av.open(io.BytesIO(content)) as clip:
        picture = clip.streams.video[0]
        heard = bool(clip.streams.audio) and sum(1 for _ in clip.decode(audio=0)) > 0
        clip.seek(0)
        return sum(1 for _ in clip.decode(video=0)), picture.width, picture.height, heard
