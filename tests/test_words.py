"""No string that a user reads has a word that `docs/glossary.md` replaces."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from frontend.places import PLACES
from frontend.text import PROMPTS, WORDS

ROOT = Path(__file__).parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"
ROOMS = ("studio", "engine", "backend", "frontend", "robot", "cli", "tuning", "guardrail", "packages/pocket/pocket")
SAID_TO_MODELS = frozenset({"studio/captions/caption.py"})
"""Descriptions that are a part of prompts: a reasoner reads them, and was trained on them."""
SAID_IN = frozenset({"title", "help", "description", "summary", "hint", "label", "epilog", "metavar"})
"""Arguments that a user reads, whatever is called with them."""


def replaced() -> list[str]:
    """The last column of the glossary's tables."""
    rows = [line.strip("|").split("|") for line in GLOSSARY.read_text().splitlines() if line.startswith("|")]
    cells = [row[-1].strip() for row in rows]
    return [word.strip() for cell in cells if cell not in {"Not", ""} and "---" not in cell for word in cell.split(",")]


REPLACED = re.compile(r"\b(" + "|".join(re.escape(word) + "s?" for word in replaced()) + r")\b", re.IGNORECASE)


def faults(said: str) -> list[str]:
    return [found.group() for found in REPLACED.finditer(said)]


def constants(node: ast.AST) -> Iterator[tuple[int, str]]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.lineno, part.value


def said_by(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """What is raised, and what an argument or a field named in `SAID_IN` is given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield from constants(node.exc)
        elif isinstance(node, ast.keyword) and node.arg in SAID_IN:
            yield from constants(node.value)


def prose(document: str) -> str:
    """A document without code, links' targets and pictures."""
    without_blocks = re.sub(r"^( *)```.*?^\1```", "", document, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>", "", without_blocks)


def test_the_page_says_none_of_them() -> None:
    keys = {meaning: meaning for place in PLACES for _, meaning in place.keys}
    titles = {place.name: place.title for place in PLACES}
    said = WORDS | PROMPTS | keys | titles
    assert {name: found for name, words in said.items() if (found := faults(words))} == {}


def test_no_field_option_or_error_says_one_of_them() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {', '.join(words)}"
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if str(path.relative_to(ROOT)) not in SAID_TO_MODELS
        for line, said in said_by(ast.parse(path.read_text()))
        if (words := faults(said))
    ]
    assert found == []


def test_no_document_says_one_of_them() -> None:
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {', '.join(words)}"
        for path in documents
        if path != GLOSSARY
        for number, line in enumerate(prose(path.read_text()).splitlines(), 1)
        if (words := faults(line))
    ]
    assert found == []
