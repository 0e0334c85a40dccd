"""The first frame of a clip as a picture, for requests that start from what is seen now."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from studio.errors import BadInput


def save_first_frame(clip: Path, picture: Path, param: str) -> None:
    """Write the first frame of a clip, upright, as PNG.

    Raises:
        BadInput: the clip cannot be read, or PyAV is not installed.
    """
    try:
        import av
        import av.error
    except ModuleNotFoundError:
        raise BadInput(
            f"{clip.name} is a clip, and its first frame cannot be taken without PyAV.",
            param=param,
            hint="Install it with pip install av, or name a picture.",
        ) from None
    try:
        with av.open(str(clip)) as container:
            frame = next(container.decode(video=0), None)
    except (av.error.FFmpegError, IndexError) as error:
        raise BadInput(f"{clip} is no clip that can be read: {error}.", param=param) from None
    if frame is None:
        raise BadInput(f"{clip} has no frame.", param=param)
    image = Image.fromarray(frame.to_ndarray(format="rgb24"))
    # Counter-clockwise, as PIL turns: what the container's display matrix asks of a player.
    image.rotate(frame.rotation % 360, expand=True).save(picture, "PNG")
