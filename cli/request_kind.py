"""What a command line asks for, where it does not say so: read off the output's name and the flags that are set."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from pathlib import Path

from cli.output_files import NAMED_BY, STDOUT
from cli.request_flags import field_paths
from studio.errors import BadInput
from studio.requests import KINDS, SUFFIXES, Kind, nearest, shown


def kind_of(kind: str | None, output: str, said: Mapping[str, object]) -> str:
    """The request kind.

    That whose fields the flags are, and whose files the output may be: controls make a transfer and actions a
    prediction of frames; with an embodiment, a clip asks for its actions and a picture for a policy's. Without any, a
    .png is a picture, as is stdout, and an .mp4 a clip.

    Args:
        kind: what was said, or None.
        output: as in `out.mp4`, or `-`.
        said: flags by the field that they set; None is unsaid.

    Raises:
        BadInput: there is no such kind, or the output is neither a picture, nor a clip, nor actions.
    """
    if kind is not None:
        if kind not in KINDS:
            raise BadInput(f"--kind is {shown(kind)}.", param="kind", hint=nearest(kind, KINDS))
        return kind
    suffix = Path(output).suffix.lower()
    if output != STDOUT and suffix not in NAMED_BY and not Path(output).is_dir():
        raise BadInput(
            f"The output is {output!r}; pictures are .png files, clips .mp4 files, actions .json or .npy files.",
            param="output",
            hint="End its name in one of them.",
        )
    given = {name for name, value in said.items() if value is not None}
    return best_kind(given, KINDS.values(), ".png" if output == STDOUT else suffix)


def best_kind(given: Set[str], kinds: Collection[Kind], suffix: str = "") -> str:
    """The kind that goes best with the fields that are given; among equals the one that stands first.

    Fields that whoever has them requires, such as `embodiment`, say most; then the files that are wanted; then whatever
    else is given; then what would be missing.
    """
    fields = [(kind, *field_paths(kind)) for kind in kinds]
    optional = {path for _, known, required in fields for path in known - required}

    def misfit(entry: tuple[Kind, Set[str], Set[str]]) -> tuple[int, bool, int, int]:
        kind, known, required = entry
        unknown = given - known
        makes = any(suffix in SUFFIXES[made.type] for made in kind.makes)
        return len(unknown - optional), not makes, len(unknown), len(required - given)

    return min(fields, key=misfit)[0].name
