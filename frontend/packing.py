"""A page's own modules as one script and its style sheets as one: a browser asks twice and not ninety times.

In the script each module is a function that is called once, where the first import of it stood, and gives back what it
exports: `import { say as told } from "../data/facts.js";` becomes `const { say: told } = in_data_facts;`.
Comments on lines of their own are left out: an eighth of what would be sent. What is vendored stays a file of its own,
which every page imports and a browser keeps.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from frontend.places import STYLES, Place

SOURCES = Path(__file__).parent / "page"
"""The scripts and style sheets, a folder a room. A module is named by its path below it, as in `parts/icons.js`."""

VENDORED = "vendor/preact.js"
"""Preact, its signals and htm."""

VENDORED_FILE = posixpath.basename(VENDORED)
"""The file under which every page finds them."""

IMPORT = re.compile(r'^import (?:(\{[^}]*\}|\* as \w+) from )?"(\.[./a-z_]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:const|function\*?|class) (\w+))", re.MULTILINE)
_NOTE = re.compile(r"^ *(?://.*|/\*\*(?:.|\n)*?\*/)\n", re.MULTILINE)
_GROUP = re.compile(r"""["`]([a-z_]+)\.""")
_LEFT = re.compile(r"^(?:import|export)\b", re.MULTILINE)


def script_name(place: Place) -> str:
    """The file under which the page finds its script and all that this imports."""
    return f"page-{posixpath.basename(place.script)}"


def styles_name(place: Place) -> str:
    """The file under which the page finds all its style sheets."""
    return f"page-{place.name}.css"


def source_of(name: str) -> str:
    """What stands in a script or a style sheet."""
    return (SOURCES / name).read_text(encoding="utf-8")


def styles_of(names: Iterable[str]) -> str:
    """Several style sheets as one, in their order."""
    return "\n".join(source_of(f"{name}.css") for name in names)


def page_texts(places: Iterable[Place]) -> dict[str, bytes]:
    """By name, the script and the style sheet of every page, and what all scripts import."""
    texts = {VENDORED_FILE: source_of(VENDORED).encode()}
    for place in places:
        texts[styles_name(place)] = styles_of((*STYLES, *place.styles)).encode()
        if script_name(place) not in texts:
            texts[script_name(place)] = packed(place.script).encode()
    return texts


def imported(by: str, path: str) -> str:
    """The name of the module that `by` imports: `ask/chat.js` finds `parts/icons.js` as `../parts/icons.js`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(by), path))


def reachable(script: str) -> dict[str, str]:
    """A module and every one that it imports: source by name, each after those that it imports."""
    found: dict[str, str] = {}
    begun: list[str] = []

    def visit(name: str) -> None:
        assert name not in begun, f"{name} imports itself by way of others: {begun}"
        begun.append(name)
        source = source_of(name)
        for _, path in IMPORT.findall(source):
            if imported(name, path) not in found:
                visit(imported(name, path))
        begun.pop()
        found[name] = source

    visit(script)
    return found


def packed(script: str) -> str:
    """The module and every one that it imports as one, which exports each: `parts/icons.js` as `parts_icons`."""
    modules = reachable(script)
    names = ", ".join(f"in_{_identifier(name)} as {_identifier(name)}" for name in modules)
    return "".join(_function(name, source) for name, source in modules.items()) + f"export {{ {names} }};\n"


def words_of(script: str, words: Mapping[str, str]) -> dict[str, str]:
    """Of all words those whose group a page's script names, as it names that of `say(`queue.${state}`)`."""
    groups = _groups_of(script)
    return {key: said for key, said in words.items() if key.partition(".")[0] in groups}


@cache
def _groups_of(script: str) -> frozenset[str]:
    return frozenset(_GROUP.findall(packed(script)))


def _identifier(name: str) -> str:
    return name.removesuffix(".js").replace("/", "_")


def _function(name: str, source: str) -> str:
    if name == VENDORED:
        return f'import * as in_{_identifier(name)} from "./{VENDORED_FILE}";\n'

    def taken(found: re.Match[str]) -> str:
        names, path = found.groups()
        if not names:
            return ""
        target = f"in_{_identifier(imported(name, path))}"
        return f"const {names.removeprefix('* as ').replace(' as ', ': ')} = {target};"

    source = _NOTE.sub("", source)
    exported = ", ".join(exported for _, exported in _EXPORT.findall(source))
    body = _EXPORT.sub(r"\1", IMPORT.sub(taken, source))
    assert not _LEFT.search(body), f"{name} imports or exports in a way that is not known here"
    return f"const in_{_identifier(name)} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"
