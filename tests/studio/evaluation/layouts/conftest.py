"""Folders in the layouts that are read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[[str, Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A file of the folder: text, JSON of a value, or a line of JSON for each of a list where it ends in `.jsonl`."""

    def put(name: str, content: Any = "") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".jsonl"):
            content = "".join(f"{json.dumps(row)}\n" for row in content)
        elif not isinstance(content, str):
            content = json.dumps(content)
        path.write_text(content)
        return path

    return put
