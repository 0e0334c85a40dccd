"""The rules of the house that no linter knows."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("studio", "engine", "backend", "frontend", "robot", "pocket", "guardrail")
FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
SOURCES = {path.relative_to(ROOT).as_posix(): path.read_text() for path in FILES}

MAX_LINES = 400
DRAWERS = {"util", "utils", "helper", "helpers", "common", "misc", "base", "core", "manager"}
DRAWER_CLASSES = ("Manager", "Helper", "Handler", "Util", "Utils")
MAY_CATCH_EVERYTHING = {"backend/worker/loop.py", "robot/loop/loop.py"}
"""A job that breaks is reported and the worker lives on; a tick that breaks ends with a stopped arm."""


@cache
def nodes(name: str) -> list[ast.AST]:
    """Everything in the syntax tree of a file."""
    return list(ast.walk(ast.parse(SOURCES[name])))


@pytest.mark.parametrize("name", SOURCES)
def test_a_file_has_at_most_400_lines(name: str):
    assert SOURCES[name].count("\n") <= MAX_LINES


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_is_named_like_a_drawer(name: str):
    classes = [node.name for node in nodes(name) if isinstance(node, ast.ClassDef)]

    assert not DRAWERS & set(Path(name).with_suffix("").parts)
    assert not [found for found in classes if found.endswith(DRAWER_CLASSES)]


@pytest.mark.parametrize("name", SOURCES)
def test_only_the_named_places_catch_everything(name: str):
    broad = [
        node.lineno
        for node in nodes(name)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")))
    ]

    assert not broad or name in MAY_CATCH_EVERYTHING


@pytest.mark.parametrize("name", [name for name in SOURCES if not name.startswith(("engine/", "pocket/train/"))])
def test_torch_stays_in_the_engine(name: str):
    imported = {
        alias.name.partition(".")[0] for node in nodes(name) if isinstance(node, ast.Import) for alias in node.names
    } | {(node.module or "").partition(".")[0] for node in nodes(name) if isinstance(node, ast.ImportFrom)}

    assert not imported & {"torch", "diffusers", "transformers"}


def test_every_folder_of_code_is_a_package_that_says_what_it_is_for():
    folders = {path.parent for path in FILES}

    for folder in folders:
        docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
        assert docstring, folder
        assert len(docstring) > 10, folder


def test_presets_hold_no_code():
    assert [path.name for path in (ROOT / "presets").rglob("*.py")] == ["__init__.py"]
    assert len(ast.parse((ROOT / "presets" / "__init__.py").read_text()).body) == 1


def test_no_file_ends_open():
    for name, source in SOURCES.items():
        for mark in ("TODO", "FIXME", "XXX", "NotImplementedError"):
            assert mark not in source, (name, mark)
