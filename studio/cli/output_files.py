"""Where results go: one file, numbered files, or stdout."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from studio.client import StudioClient
from studio.errors import BadInput
from studio.jobs import Job
from studio.media import MediaReference

STDOUT = "-"
KINDS = {".png": "generate_image", ".mp4": "generate_video"}
"""What a file's name asks for."""


def kind_of(output: str) -> str:
    """The request kind that `-o` names; stdout takes a picture.

    Raises:
        BadInput: the name is neither a picture's nor a clip's.
    """
    path = Path(output).expanduser()
    if output == STDOUT or path.is_dir():
        return KINDS[".png"]
    if path.suffix.lower() not in KINDS:
        raise BadInput(
            f"The output is {output!r}; pictures are .png files and clips .mp4 files.",
            param="output",
            hint="End its name in .png or .mp4.",
        )
    return KINDS[path.suffix.lower()]


@dataclass(frozen=True)
class OutputFiles:
    """The files that were asked for.

    Attributes:
        output: `out.png`, which becomes `out-0.png`, `out-1.png`… for several results; None is stdout.
        force: whether a file that is there is replaced.
    """

    output: Path | None
    force: bool

    def names(self, count: int) -> list[Path]:
        """The files of so many results."""
        assert self.output is not None
        if count == 1:
            return [self.output]
        return [self.output.with_stem(f"{self.output.stem}-{index}") for index in range(count)]

    def check(self, count: int) -> None:
        """Raises BadInput when the results cannot go where they should."""
        if self.output is None:
            if count != 1:
                raise BadInput(f"{count} pictures do not fit on stdout.", param="output", hint="Name a file with -o.")
            return
        if not self.output.parent.is_dir():
            raise BadInput(
                f"The folder {self.output.parent} of {self.output.name} is not there.",
                param="output",
                hint="Make it first.",
            )
        for path in self.names(count):
            if path.is_dir():
                raise BadInput(f"{path} is a folder; expected a file name that ends in .png or .mp4.", param="output")
            if path.exists() and not self.force:
                raise BadInput(f"{path} is there already.", param="output", hint="Give --force, or another name.")

    async def save(self, client: StudioClient, job: Job) -> None:
        """Fetch a job's results and say what they are; latents lie beside their clip."""
        made = [reference for reference in job.results if reference.type != "latents"]
        latents = [reference for reference in job.results if reference.type == "latents"]
        self.check(len(made))
        if self.output is None:
            sys.stdout.buffer.write(await client.media(made[0]))
            sys.stdout.buffer.flush()
            return
        names = self.names(len(made))
        for path, reference in zip(names, made, strict=True):
            await client.save_media(reference, path)
            print(f"{path}  {_size(reference)}  seed {reference.seed}")
        for path, reference in zip(names, latents, strict=False):
            beside = path.with_suffix(".safetensors")
            await client.save_media(reference, beside)
            print(f"{beside}  latents")


def _size(reference: MediaReference) -> str:
    frames = f"  {reference.num_frames} frames" if reference.num_frames else ""
    return f"{reference.width}x{reference.height}{frames}"


def plan_files(output: str, count: int, *, force: bool) -> OutputFiles:
    """The files that `-o` names, checked before any work is done.

    Raises:
        BadInput: the folder is missing, or a file is in the way.
    """
    files = OutputFiles(None if output == STDOUT else Path(output).expanduser(), force)
    files.check(count)
    return files
