"""Benchmarks out of thin air."""

from collections.abc import Callable
from typing import Any

import pytest

from studio.evaluation import Benchmark


@pytest.fixture
def benchmark_of() -> Callable[..., Benchmark]:
    """A benchmark of a form from its items' fields; ids are `0`, `1`, … unless they are given."""

    def make(form: str, *items: dict[str, Any], **fields: Any) -> Benchmark:
        rows = [{"id": str(number), **item} for number, item in enumerate(items)]
        return Benchmark.model_validate({"name": "test", "form": form, "items": rows, **fields})

    return make
