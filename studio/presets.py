"""Presets: checkpoints and their defaults as data. A user's own, in the data folder, win over the shipped ones."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast

from pydantic import Field, ValidationError

from studio.errors import BadInput
from studio.requests import REQUESTS, AspectRatio, Frozen, Resolution, explain, nearest
from studio.requests.action_fields import ActionTier
from studio.requests.embodiments import EmbodimentName


class CapabilityOverlay(Frozen):
    """What a preset knows better than the checkpoint's own configuration."""

    kinds: tuple[str, ...] | None = None
    resolutions: tuple[Resolution, ...] | None = None
    video_resolutions: tuple[Resolution, ...] | None = None
    aspect_ratios: tuple[AspectRatio, ...] | None = None
    num_frames: tuple[int, int] | None = None
    fps: tuple[float, float] | None = None
    sound: bool | None = None
    embodiments: tuple[EmbodimentName, ...] | None = None
    action_resolutions: tuple[ActionTier, ...] | None = None
    num_actions: tuple[int, int] | None = None
    max_prompt_tokens: int | None = None


class Example(Frozen):
    """A prompt worth trying, with the fields that go with it."""

    title: str
    values: dict[str, Any]


class CheckpointPreset(Frozen):
    """One file of `presets/checkpoints/`.

    Attributes:
        id: the name that people type.
        title: the name that people read.
        summary: one sentence for the page.
        repository: on the Hugging Face hub; empty for a checkpoint that is built here or lies in a folder.
        built_here: the engine builds it on first start.
        random_weights: it was never trained.
        weights_gb: size of its weights on disk, 10^9 bytes.
        defaults: request fields by kind, laid under what a person sends.
        examples: by kind.
    """

    id: str
    title: str
    summary: str
    repository: str = ""
    built_here: bool = False
    random_weights: bool = False
    weights_gb: float | None = None
    capabilities: CapabilityOverlay = CapabilityOverlay()
    defaults: dict[str, dict[str, Any]] = Field(default_factory=dict)
    examples: dict[str, tuple[Example, ...]] = Field(default_factory=dict)


def complete(preset: CheckpointPreset, payload: Mapping[str, Any]) -> dict[str, Any]:
    """A request's JSON with the preset's defaults laid under it, nested objects field by field.

    Over `{"sampling": {"seed": 7}}` and defaults `{"sampling": {"num_inference_steps": 20}}` this gives both.
    """
    kind = payload.get("kind")
    return laid_over(preset.defaults.get(kind, {}) if isinstance(kind, str) else {}, payload)


def laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of both; where both say something the second wins, and of nested objects field by field."""
    merged = {**under, **over}
    for name, value in under.items():
        given = over.get(name)
        if isinstance(value, Mapping) and isinstance(given, Mapping):
            merged[name] = laid_over(cast(Mapping[str, Any], value), cast(Mapping[str, Any], given))
    return merged


def load_presets(user_folder: Path | None = None) -> dict[str, CheckpointPreset]:
    """Every checkpoint preset by id, shipped ones first.

    Raises:
        BadInput: a file cannot be read, is not TOML, or says something that a preset cannot; the message names it.
    """
    found: dict[str, CheckpointPreset] = {}
    folders = [files("presets").joinpath("checkpoints")]
    if user_folder is not None and user_folder.is_dir():
        folders.append(user_folder)
    for folder in folders:
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if entry.name.endswith(".toml"):
                preset = read_preset(entry.name, _content(entry))
                found[preset.id] = preset
    return found


def _content(entry: Traversable) -> bytes:
    try:
        return entry.read_bytes()
    except OSError as error:
        raise BadInput(
            f"The preset {entry.name} cannot be read: {error.strerror or error}.", hint=f"It is {entry}."
        ) from None


def read_preset(name: str, raw: bytes) -> CheckpointPreset:
    """One preset file; its defaults must complete to a legal request of their kind.

    Raises:
        BadInput: see `load_presets`.
    """
    try:
        preset = CheckpointPreset.model_validate(tomllib.loads(raw.decode()))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"The preset {name} is not TOML: {error}.") from None
    except ValidationError as error:
        why = explain(error, CheckpointPreset)
        raise BadInput(f"The preset {name} is not one: {why.message}", hint=why.hint) from None
    for kind in preset.defaults:
        if kind not in REQUESTS:
            raise BadInput(
                f"The preset {name} has defaults for {kind!r}, which is no request.", hint=nearest(kind, REQUESTS)
            )
        _check_defaults(name, kind, preset.defaults[kind])
    return preset


def _check_defaults(name: str, kind: str, defaults: Mapping[str, Any]) -> None:
    """Raises BadInput for what a request of this kind would refuse; what only a person can say may be missing."""
    try:
        REQUESTS[kind].model_validate({"kind": kind, **defaults})
    except ValidationError as error:
        if all(entry["type"] == "missing" and len(entry["loc"]) == 1 for entry in error.errors(include_url=False)):
            return
        why = explain(error, REQUESTS[kind])
        raise BadInput(f"The preset {name}, {kind}: {why.message}", hint=why.hint) from None
