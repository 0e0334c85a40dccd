"""Spec files in a folder of their own, and what they become."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from studio.errors import StudioError
from studio.specs import CheckpointDefaults, Sample, check_fields, make_samples, parse_overrides, read_entries

Read = Callable[..., tuple[list[Sample], list[StudioError]]]


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A folder with a picture, a clip in name only, a control and eight actions of nine values."""
    Image.new("RGB", (32, 24), (200, 10, 10)).save(tmp_path / "start.png")
    (tmp_path / "clip.mp4").write_bytes(b"a clip")
    (tmp_path / "depth.mp4").write_bytes(b"a control")
    (tmp_path / "actions").mkdir()
    (tmp_path / "actions" / "rows.json").write_text(json.dumps(np.full((8, 9), 0.25).tolist()))
    return tmp_path


@pytest.fixture
def read(specs: Path) -> Read:
    """Samples and errors of one sample's fields, or of files."""

    def read(*said: Any, overrides: tuple[str, ...] = (), checkpoint: CheckpointDefaults | None = None, **fields: Any):
        patterns = [str(specs / name) for name in said]
        if not patterns:
            (specs / "spec.json").write_text(json.dumps(fields))
            patterns = [str(specs / "spec.json")]
        entries = read_entries(patterns, parse_overrides(overrides))
        if errors := check_fields(entries):
            return [], errors
        return make_samples(entries, fetched={}, scratch=specs / ".inputs", checkpoint=checkpoint)

    return read


@pytest.fixture
def one(read: Read) -> Callable[..., Sample]:
    """The one sample that fields mean."""

    def one(**fields: Any) -> Sample:
        samples, errors = read(**fields)
        assert errors == []
        assert len(samples) == 1
        return samples[0]

    return one


@pytest.fixture
def asked(one: Callable[..., Sample]) -> Callable[..., dict[str, Any]]:
    """What fields ask of the server, without what it fills in."""
    return lambda **fields: one(**fields).request.model_dump(mode="json", exclude_unset=True)


@pytest.fixture
def refused(read: Read) -> Callable[..., str]:
    """Why fields are refused."""

    def refused(**fields: Any) -> str:
        samples, errors = read(**fields)
        assert samples == []
        assert len(errors) == 1
        return str(errors[0])

    return refused
