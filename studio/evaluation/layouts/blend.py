"""Data sets that are blended by weight, as the training file of the Reason 2 recipe for driving names them.

    [custom.dataset]
    dataset_root = "/data/av"
    subdirectories = ["cv_annotated", "human_annotated", "reason1_sft"]
    weights = [0.3, 0.5, 0.2]
    meta_file = "meta.json"

    [custom.vision]
    nframes = 16

Every subdirectory has its rows in `meta_file`. As many as possible are drawn of each such that their numbers have the
ratio of the weights; the subdirectory is an item's category.
"""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import Field

from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Settings
from studio.evaluation.layouts.conversations import Exchange, conversations_as_benchmark
from studio.evaluation.layouts.llava import META, exchanges_of
from studio.evaluation.layouts.rows import Origin, read_text
from studio.evaluation.schema import AnnotationSchema
from studio.requests import Frozen, parse_as

SEED = 42
"""Of the recipe."""


class _Parts(Frozen):
    dataset_root: str
    subdirectories: Annotated[tuple[str, ...], Field(min_length=1)]
    weights: tuple[Annotated[float, Field(ge=0)], ...]
    meta_file: str = META


def holds_blend(path: Path) -> bool:
    """Whether a TOML file is of this layout. Raises BadInput: it is no TOML."""
    return isinstance(_table(_toml(path), "dataset"), dict)


def root_of(path: Path) -> Path:
    """The folder that media are relative to. Raises BadInput."""
    return path.parent / _parts(path).dataset_root


def read_blend(path: Path, schema: AnnotationSchema) -> Benchmark:
    """The blend that a training file names. Raises BadInput."""
    parts, root = _parts(path), root_of(path)
    origin = Origin(path.name)
    if len(parts.weights) != len(parts.subdirectories) or not sum(parts.weights):
        raise origin.fault(
            f"weights has {len(parts.weights)} numbers for {len(parts.subdirectories)} subdirectories; expected one "
            "for each, and one above 0.",
            "custom.dataset.weights",
        )
    found: list[list[Exchange]] = []
    for name in parts.subdirectories:
        meta = root / name / parts.meta_file
        if not meta.is_file():
            raise origin.fault(f"{meta} was not found.", "custom.dataset.subdirectories")
        found.append([_within(name, exchange) for exchange in exchanges_of(meta, prefix=name, category=name)])
    drawn = [
        exchange
        for exchanges, count in zip(found, _counts([len(one) for one in found], parts.weights), strict=True)
        for exchange in _drawn(exchanges, count)
    ]
    return conversations_as_benchmark(drawn, root, path.name, schema, _settings(path))


def _within(subdirectory: str, exchange: Exchange) -> Exchange:
    """The same under the subdirectory's name: ids and rows of several sets may be equal."""
    origin = exchange.origin._replace(file=f"{subdirectory}/{exchange.origin.file}")
    return exchange._replace(origin=origin, id=f"{subdirectory}/{exchange.id}" if exchange.id else "")


def _counts(available: list[int], weights: tuple[float, ...]) -> list[int]:
    """As many of each as possible in the ratio of the weights: of 10, 4 and 9 at 1 : 1 : 2 these are 4, 4 and 8."""
    most = min(count / weight for count, weight in zip(available, weights, strict=True) if weight)
    # The product may fall short of a whole number by a rounding error.
    return [int(most * weight + 1e-9) for weight in weights]


def _drawn(exchanges: list[Exchange], count: int) -> list[Exchange]:
    """So many of them in their order, always the same."""
    chosen = set(random.Random(SEED).sample(range(len(exchanges)), count))
    return [exchange for at, exchange in enumerate(exchanges) if at in chosen]


def _settings(path: Path) -> Settings:
    vision = cast(dict[str, Any], _table(_toml(path), "vision") or {})
    names = {"nframes": "num_frames", "fps": "fps", "min_pixels": "min_pixels", "max_pixels": "max_pixels"}
    given = {ours: vision[theirs] for theirs, ours in names.items() if theirs in vision}
    try:
        return parse_as(Settings, {**given, "max_tokens": 4096})
    except BadInput as error:
        raise Origin(path.name).fault(error.message, "custom.vision", error.hint) from None


def _parts(path: Path) -> _Parts:
    try:
        return parse_as(_Parts, cast(dict[str, Any], _table(_toml(path), "dataset") or {}))
    except BadInput as error:
        raise Origin(path.name).fault(error.message, f"custom.dataset.{error.param}", error.hint) from None


def _table(document: dict[str, Any], name: str) -> Any:
    custom: Any = document.get("custom")
    return cast(dict[str, Any], custom).get(name) if isinstance(custom, dict) else None


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Origin(path.name).fault(f"it is not TOML: {error}.") from None
