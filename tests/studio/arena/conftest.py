"""Votes out of thin air."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from studio.arena import Contestant, Vote, pair_id


@pytest.fixture
def vote() -> Callable[..., Vote]:
    """A vote on a pair of two values; each call is another pair unless it is named."""
    number = 0

    def make(left: str, right: str, overall: str = "left", pair: int | None = None, **changes: Any) -> Vote:
        nonlocal number
        number += 1
        ids = sorted(((f"{pair or number:012x}-{left}", left), (f"{pair or number:012x}-{right}", right)))
        by_value = {value: name for name, value in ids}
        said = {
            "id": f"{number:012x}",
            "pair": pair_id(by_value[left], by_value[right]),
            "kind": "image",
            "contest": "checkpoint",
            "domain": "robot",
            "left": Contestant(id=by_value[left], value=left),
            "right": Contestant(id=by_value[right], value=right),
            "choices": {"overall": overall},
            "voter": "ada",
            "created_at": datetime(2026, 1, 1, tzinfo=UTC),
        }
        return Vote.model_validate({**said, **changes})

    return make
