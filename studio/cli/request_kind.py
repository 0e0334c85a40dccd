"""What a command line asks for, where it does not say so: read off the output's name and the flags that are set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from studio.cli.output_files import STDOUT, SUFFIXES
from studio.cli.request_flags import MADE
from studio.errors import BadInput
from studio.requests import nearest, shown


def kind_of(kind: str | None, output: str, said: Mapping[str, object]) -> str:
    """The request kind.

    Controls make a transfer and actions a prediction of frames. With an embodiment, a clip asks for its actions and a
    picture for a policy's. Else a .png is a picture, as is stdout, and an .mp4 a clip.

    Args:
        kind: what was said, or None.
        output: as in `out.mp4`, or `-`.
        said: flags by the field that they set; None is unsaid.

    Raises:
        BadInput: there is no such kind, or the output is neither a picture, nor a clip, nor actions.
    """
    if kind is not None:
        if kind not in MADE:
            raise BadInput(f"--kind is {shown(kind)}.", param="kind", hint=nearest(kind, MADE))
        return kind
    suffix = Path(output).suffix.lower()
    if output != STDOUT and suffix not in SUFFIXES and not Path(output).is_dir():
        raise BadInput(
            f"The output is {output!r}; pictures are .png files, clips .mp4 files, actions .json or .npy files.",
            param="output",
            hint="End its name in one of them.",
        )
    given = {name for name, value in said.items() if value is not None}
    if "controls" in given:
        return "transfer_video"
    if "actions" in given:
        return "predict_video"
    if "embodiment" in given or suffix in (".json", ".npy"):
        return "predict_actions" if "source_video" in given else "run_policy"
    return "generate_video" if suffix == ".mp4" else "generate_image"
