"""A page's own modules as one script and its style sheets as one: a browser asks twice and not ninety times.

In the script each module is a function that is called once, where the first import of it stood, and gives back what it
exports: `import { make, mark as set } from "./nodes.js";` becomes `const { make, mark: set } = in_nodes;`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from frontend.places import STYLES, Place
from frontend.static_files import FOLDER

_IMPORT = re.compile(r'^import (?:(\{[^}]*\}|\* as \w+) from )?"\./([a-z_]+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:const|function\*?|class) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b", re.MULTILINE)


def script_name(place: Place) -> str:
    """The file under which the page finds its script and all that this imports."""
    return f"page-{place.script}"


def styles_name(place: Place) -> str:
    """The file under which the page finds all its style sheets."""
    return f"page-{place.name}.css"


def page_texts(places: Iterable[Place]) -> dict[str, bytes]:
    """By name, the script and the style sheet of every page."""
    texts: dict[str, bytes] = {}
    for place in places:
        styles = [(FOLDER / f"{name}.css").read_text() for name in (*STYLES, *place.styles)]
        texts[styles_name(place)] = "\n".join(styles).encode()
        if script_name(place) not in texts:
            texts[script_name(place)] = packed(place.script).encode()
    return texts


def reachable(script: str) -> dict[str, str]:
    """A module of `frontend/static` and every one that it imports: source by name, each after those that it imports."""
    found: dict[str, str] = {}
    begun: list[str] = []

    def visit(name: str) -> None:
        assert name not in begun, f"{name} imports itself by way of others: {begun}"
        begun.append(name)
        source = (FOLDER / name).read_text()
        for _, imported in _IMPORT.findall(source):
            if f"{imported}.js" not in found:
                visit(f"{imported}.js")
        begun.pop()
        found[name] = source

    visit(script)
    return found


def packed(script: str) -> str:
    """The module and every one that it imports as one, which exports each of them by name: `nodes` for `nodes.js`."""
    modules = {name.removesuffix(".js"): source for name, source in reachable(script).items()}
    names = ", ".join(f"in_{name} as {name}" for name in modules)
    return "".join(_function(name, source) for name, source in modules.items()) + f"export {{ {names} }};\n"


def _function(name: str, source: str) -> str:
    exported = ", ".join(exported for _, exported in _EXPORT.findall(source))
    body = _EXPORT.sub(r"\1", _IMPORT.sub(_taken, source))
    assert not _LEFT.search(body), f"{name}.js imports or exports in a way that is not known here"
    return f"const in_{name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"


def _taken(found: re.Match[str]) -> str:
    names, module = found.groups()
    if not names:
        return ""
    return f"const {names.removeprefix('* as ').replace(' as ', ': ')} = in_{module};"
