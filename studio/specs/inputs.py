"""The files that a sample names: found beside its spec, and known by the ids that a server will give them."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from studio.errors import BadInput
from studio.requests import shown
from studio.specs.action_files import read_actions
from studio.specs.entries import read_text

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
"""What a file's name says; the first four are the framework's own (inference/common/args.py, IMAGE_EXTENSIONS)."""

REMOTE = ("http://", "https://")


@dataclass(frozen=True)
class Attachment:
    """A file that is sent before its request.

    Attributes:
        id: what a server calls an upload: `u` and the first 16 hexadecimal digits of its sha256.
        path: the file.
        said: how the sample names it.
        sha256: of the file, hexadecimal.
    """

    id: str
    path: Path
    said: str
    sha256: str

    @classmethod
    def of(cls, path: Path, said: str, param: str) -> Attachment:
        """A file by its content. Raises BadInput when it cannot be read."""
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise BadInput(f"{path} cannot be read: {error.strerror or error}.", param=param) from None
        return cls(f"u{digest[:16]}", path, said, digest)


class Inputs:
    """The files of one sample.

    Args:
        folder: where relative paths start.
        fetched: files of the web by their address, as they lie here now.
        scratch: a folder for pictures that are taken from clips; made when it is needed.

    Every method raises BadInput when there is no such file, or it cannot be read.
    """

    def __init__(self, folder: Path, fetched: Mapping[str, Path], scratch: Path) -> None:
        self.attachments: dict[str, Attachment] = {}
        self._folder = folder
        self._fetched = fetched
        self._scratch = scratch

    def media(self, said: str, param: str) -> str:
        """The id of a picture or clip that will be sent."""
        return self._attached(Attachment.of(self.find(said, param), said, param))

    def picture(self, said: str, param: str) -> str:
        """The id of a picture that will be sent; of a clip, its first frame."""
        if is_picture(said):
            return self.media(said, param)
        clip = Attachment.of(self.find(said, param), said, param)
        self._scratch.mkdir(parents=True, exist_ok=True)
        picture = self._scratch / f"{clip.id}-first.png"
        if not picture.is_file():
            descriptor, name = tempfile.mkstemp(dir=self._scratch, suffix=".part")
            os.close(descriptor)
            try:
                save_first_frame(clip.path, Path(name), param)
                Path(name).replace(picture)
            finally:
                Path(name).unlink(missing_ok=True)
        return self._attached(Attachment.of(picture, said, param))

    def actions(self, said: str, param: str) -> list[list[float]]:
        """The rows of a file of actions."""
        return read_actions(self.find(said, param), param)

    def text(self, said: str, param: str) -> str:
        """The text of a file; of a .json file its value on one line, as the framework hands it on."""
        path = self.find(said, param)
        text = read_text(path, param)
        if path.suffix.lower() != ".json":
            return text.strip()
        try:
            return json.dumps(json.loads(text), ensure_ascii=False)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"{path} is not JSON: {error}.", param=param) from None

    def find(self, said: str, param: str) -> Path:
        """Where a file lies."""
        if said.startswith(REMOTE):
            assert said in self._fetched, "remote files must be downloaded first"
            return self._fetched[said]
        if "://" in said:
            raise BadInput(
                f"{param} is {shown(said)}; files of this kind are not downloaded.",
                param=param,
                hint="Download it first, and give the file.",
            )
        try:
            path = self._folder / Path(said).expanduser()
            if path.is_file():
                return path
        except (OSError, RuntimeError, ValueError):  # too long for a file system, nobody's home, half a character
            pass
        raise BadInput(
            f"{param} is {shown(said)}; the file was not found.",
            param=param,
            hint=f"It was looked up in {self._folder.absolute()}.",
        )

    def _attached(self, attachment: Attachment) -> str:
        self.attachments[attachment.id] = attachment
        return attachment.id


def is_picture(said: str) -> bool:
    """Whether a file's name is a picture's."""
    return Path(said.partition("?")[0]).suffix.lower() in PICTURES


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
            f"{clip.name} is a video; reading its first frame needs PyAV.",
            param=param,
            hint="Install it with pip install av, or use an image.",
        ) from None
    try:
        with av.open(str(clip)) as container:
            frame = next(container.decode(video=0), None)
    except (av.error.FFmpegError, IndexError) as error:
        raise BadInput(f"{clip} is not a readable video: {error}.", param=param) from None
    if frame is None:
        raise BadInput(f"{clip} has no frame.", param=param)
    image = Image.fromarray(frame.to_ndarray(format="rgb24"))
    # Counter-clockwise, as PIL turns: what the container's display matrix asks of a player.
    image.rotate(frame.rotation % 360, expand=True).save(picture, "PNG")
