"""Where pictures go: one file, numbered files, or stdout."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from studio.client import StudioClient
from studio.errors import BadInput
from studio.jobs import Job

STDOUT = "-"


@dataclass(frozen=True)
class PictureFiles:
    """The files that were asked for.

    Attributes:
        output: `out.png`, which becomes `out-0.png`, `out-1.png`… for several pictures; None is stdout.
        force: whether a file that is there is replaced.
    """

    output: Path | None
    force: bool

    def names(self, count: int) -> list[Path]:
        """The files of so many pictures."""
        assert self.output is not None
        if count == 1:
            return [self.output]
        return [self.output.with_stem(f"{self.output.stem}-{index}") for index in range(count)]

    def check(self, count: int) -> None:
        """Raises BadInput when the pictures cannot go where they should."""
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
                raise BadInput(f"{path} is a folder; expected a file name that ends in .png.", param="output")
            if path.exists() and not self.force:
                raise BadInput(f"{path} is there already.", param="output", hint="Give --force, or another name.")

    async def save(self, client: StudioClient, job: Job) -> None:
        """Fetch a job's pictures and say what they are."""
        self.check(len(job.results))
        if self.output is None:
            sys.stdout.buffer.write(await client.media(job.results[0]))
            sys.stdout.buffer.flush()
            return
        for path, reference in zip(self.names(len(job.results)), job.results, strict=True):
            await client.save_media(reference, path)
            print(f"{path}  {reference.width}x{reference.height}  seed {reference.seed}")


def plan_files(output: str, count: int, *, force: bool) -> PictureFiles:
    """The files that `-o` names, checked before any work is done.

    Raises:
        BadInput: the folder is missing, a file is in the way, or the name is no picture's.
    """
    files = PictureFiles(None if output == STDOUT else Path(output).expanduser(), force)
    if files.output is not None and files.output.suffix.lower() != ".png" and not files.output.is_dir():
        raise BadInput(
            f"The output is {output!r}; pictures are PNG files.", param="output", hint="End its name in .png."
        )
    files.check(count)
    return files
