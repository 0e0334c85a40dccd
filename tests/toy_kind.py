"""A kind of request that the studio does not have: what a new one takes. `tests/wire/test_new_kind.py` brings it in."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from studio.requests import KINDS, FormHint, Generation, Kind, Sampling
from studio.requests.fields import AdapterField, CheckpointName, Count, MediaId, NegativePrompt, Prompt, Shape, Size
from studio.requests.model import Takes

EXAMPLE: dict[str, Any] = {"prompt": "A chair.", "sketch": "u0123456789abcdef"}


class PaintSketch(Generation):
    """A sketch and words to a picture."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    kind: Annotated[Literal["paint_sketch"], FormHint(hidden=True)] = "paint_sketch"
    checkpoint: CheckpointName = None
    prompt: Prompt
    sketch: Annotated[
        MediaId, Field(title="Sketch", description="what is painted"), FormHint(hidden=True), Takes("image")
    ]
    softness: Annotated[int, Field(ge=0, le=9, title="Softness", description="of the brush")] = 3
    aspect_ratio: Shape = "1:1"
    resolution: Size = "256"
    sampling: Sampling = Field(default_factory=Sampling)
    count: Count = 1
    negative_prompt: NegativePrompt = ""
    adapter: AdapterField = None


PAINT_SKETCH = Kind(PaintSketch, "painted sketch", planner="sketch", always=("image",))


def plan_sketch(request: PaintSketch, setting: Any, media: Any) -> Any:
    """Words about the sketch are all that this model can follow."""
    from engine.planning.video import plan_image
    from studio.requests import GenerateImage

    (seen,) = media.frames["sketch"]
    shade = "dark" if seen.mean() < 128 else "light"
    said = request.model_dump(include={"aspect_ratio", "resolution", "sampling", "negative_prompt"})
    words = f"{request.prompt} A {shade} sketch, softness {request.softness}."
    return plan_image(GenerateImage(prompt=words, **said), setting)


def in_every_process(folder: Path) -> dict[str, str]:
    """The environment of processes that know it; Python runs a `sitecustomize` before all else."""
    (folder / "sitecustomize.py").write_text("import toy_kind\ntoy_kind.bring_in()\n")
    paths = [str(folder), str(Path(__file__).parent), *filter(None, sys.path)]
    return {"PYTHONPATH": ":".join(paths)}


def bring_in() -> None:
    """Its row for everybody, its planner for the engine."""
    KINDS["paint_sketch"] = PAINT_SKETCH
    if "backend.worker" in sys.orig_argv:
        from engine.planning.planners import PLANNERS

        PLANNERS["sketch"] = plan_sketch
