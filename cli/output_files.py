"""Where the results of one request go: a file and what lies beside it, numbered files, or stdout."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from studio.client import StudioClient
from studio.errors import BadInput
from studio.jobs import Job
from studio.media import MediaReference
from studio.requests import SUFFIXES, Request, suffixes_of

STDOUT = "-"
NAMED_BY = tuple(suffix for made, suffixes in SUFFIXES.items() if made != "latents" for suffix in suffixes)
"""What an output's name may end in: pictures, clips, actions."""

_ID = re.compile(r"-(\d+)(?:-(actions|array|latents))?$")

_ARRAY = "array"
"""Actions a second time, for programs."""


@dataclass(frozen=True)
class OutputFiles:
    """The files that were asked for.

    Attributes:
        output: `out.mp4`, which becomes `out-0.mp4`, `out-1.mp4`… for several results; None is stdout.
        suffixes: of the files of one result.
        force: whether a file that is there is replaced.
    """

    output: Path | None
    suffixes: tuple[str, ...]
    force: bool

    def name(self, index: int, count: int, suffix: str) -> Path:
        """The file of one artefact. Actions beside something else are `out.actions.json`."""
        assert self.output is not None
        stem = self.output.stem if count == 1 else f"{self.output.stem}-{index}"
        if suffix == ".json" and self.output.suffix.lower() != ".json":
            suffix = ".actions.json"
        if suffix == self.output.suffix.lower():
            suffix = self.output.suffix
        return self.output.with_name(stem + suffix)

    def check(self, count: int) -> None:
        """Raises BadInput when the results cannot go where they should."""
        if self.output is None:
            if count != 1:
                raise BadInput(
                    f"{count} images cannot be written to stdout.", param="output", hint="Set a file with -o."
                )
            return
        if self.output.is_dir():
            raise BadInput(f"{self.output} is a folder; expected the name of a file.", param="output")
        if self.output.suffix.lower() not in self.suffixes:
            raise BadInput(
                f"The output is {str(self.output)!r}; the result is {' and '.join(self.suffixes)}.",
                param="output",
                hint=f"End its name in {self.suffixes[0]}.",
            )
        for path in (self.name(index, count, suffix) for index in range(count) for suffix in self.suffixes):
            check_file(path, force=self.force)

    async def save(self, client: StudioClient, job: Job) -> None:
        """Fetch everything that a job made, and say what it is."""
        self.check(job.request.count)
        if self.output is None:
            sys.stdout.buffer.write(await client.media(job.results[0]))
            sys.stdout.buffer.flush()
            return
        for reference in job.results:
            path = self.name(index_of(reference), job.request.count, suffix_of(reference))
            await client.save_media(reference, path)
            print(f"{path}  {described(reference)}")


def plan_files(output: str, request: Request, *, force: bool) -> OutputFiles:
    """The files that `-o` names, checked before any work is done.

    Raises:
        BadInput: the folder is missing, a file is in the way, or its name is that of something else.
    """
    path = None if output == STDOUT else Path(output).expanduser()
    files = OutputFiles(path, suffixes_of(request), force)
    files.check(request.count)
    return files


def check_file(path: Path, *, force: bool) -> None:
    """Raises BadInput when one file cannot go there."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder; expected the name of a file.", param="output")
    if not path.parent.is_dir():
        raise BadInput(
            f"The folder {path.parent} of {path.name} was not found.", param="output", hint="Create it first."
        )
    if path.exists() and not force:
        raise BadInput(f"{path} already exists.", param="output", hint="Replace it with --force, or use another name.")


def index_of(reference: MediaReference) -> int:
    """Which of a job's results an artefact belongs to."""
    found = _ID.search(reference.id)
    return int(found[1]) if found else 0


def suffix_of(reference: MediaReference) -> str:
    """What its file's name ends in."""
    found = _ID.search(reference.id)
    return SUFFIXES[reference.type][1 if found and found[2] == _ARRAY else 0]


def described(reference: MediaReference) -> str:
    """A few words about an artefact, as in `320x192  17 frames  seed 7`."""
    if reference.num_actions is not None:
        about = f"{reference.num_actions} actions of {reference.action_width}"
    elif reference.width is None:
        about = reference.type
    else:
        about = f"{reference.width}x{reference.height}"
        about += f"  {reference.num_frames} frames" if reference.num_frames else ""
    return about if reference.seed is None else f"{about}  seed {reference.seed}"
