"""The rules of the house that no linter knows; the others are in pyproject.toml and biome.json."""

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("studio", "cli", "engine", "backend", "frontend", "robot", "tuning", "packages/pocket/pocket", "guardrail")
FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
SOURCES = {path.relative_to(ROOT).as_posix(): path.read_text() for path in FILES}

ROOMS_OF_UNIQUE_NAMES = tuple(room for room in ROOMS if room != "cli")
"""Where a class is found by its name."""

MAX_LINES, MAX_FILES = 400, 30
DRAWERS = {"util", "utils", "helper", "helpers", "common", "misc", "base", "core", "manager"}
DRAWER_CLASSES = ("Manager", "Helper", "Handler", "Util", "Utils")


def classes(name: str) -> list[str]:
    """The classes of a file, by their names."""
    return [node.name for node in ast.walk(ast.parse(SOURCES[name])) if isinstance(node, ast.ClassDef)]


def test_a_file_has_at_most_400_lines():
    assert not {name: lines for name, text in SOURCES.items() if (lines := text.count("\n")) > MAX_LINES}


def test_a_folder_has_at_most_30_files():
    sizes = Counter(str(Path(name).parent) for name in SOURCES)
    assert not {folder: size for folder, size in sizes.items() if size > MAX_FILES}


def test_nothing_is_named_like_a_drawer():
    assert not [name for name in SOURCES if DRAWERS & set(Path(name).with_suffix("").parts)]
    assert not [found for name in SOURCES for found in classes(name) if found.endswith(DRAWER_CLASSES)]


def test_every_folder_of_code_is_a_package_that_says_what_it_is_for():
    folders = {path.parent for path in FILES}

    for folder in folders:
        docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
        assert docstring, folder
        assert len(docstring) > 10, folder


def test_presets_hold_no_code():
    assert [path.name for path in (ROOT / "presets").rglob("*.py")] == ["__init__.py"]
    assert len(ast.parse((ROOT / "presets" / "__init__.py").read_text()).body) == 1


def test_nothing_is_left_to_be_written():
    assert not [name for name, text in SOURCES.items() if "NotImplementedError" in text]


@pytest.mark.parametrize("room", ROOMS_OF_UNIQUE_NAMES)
def test_a_room_names_no_two_classes_alike(room: str):
    places: dict[str, list[str]] = {}
    for name in (name for name in SOURCES if name.startswith(f"{room}/")):
        for found in classes(name):
            places.setdefault(found, []).append(name)

    assert not {found: files for found, files in places.items() if len(files) > 1}
