"""A scripted OpenAI-compatible server, and answers that hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from scripted_endpoint import ANSWER, CLIP, ScriptedEndpoint, scripted_endpoint
from studio.captions import Controls


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with scripted_endpoint() as scripted:
        yield scripted


@pytest.fixture
def clip() -> Controls:
    return CLIP


@pytest.fixture
def answer() -> dict[str, Any]:
    """An upsampler's answer about the clip."""
    return json.loads(json.dumps(ANSWER))
