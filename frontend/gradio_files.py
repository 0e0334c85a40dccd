"""Which of Gradio's own scripts and style sheets a page begins with.

They are a chain of some forty, each asked for once the one before has run; announced in the served HTML they are all
fetched at once. Their names hold hashes and change with every version, so what a page needs is read out of the scripts:
each has a table of names at its top, and wherever it loads another script it lists, by number in that table, the script
and all that comes with it. One of them does so for every component, by name:
`html:{component:()=>v(()=>import(`./Index-CwZFw7rD.js`),__vite__mapDeps([120,1,2]),…`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import gradio

_TEMPLATES = Path(gradio.__file__).parent / "templates" / "frontend"
ASSETS = _TEMPLATES / "assets"
"""What Gradio serves as `/assets`. Every name holds a hash of the content."""

_LINKED = re.compile(r'(?:src|href)="\./assets/([\w.-]+\.(?:js|css))"')
_TABLE = re.compile(r"m\.f=\[([^\]]*)\]")
_LOADED = re.compile(r"__vite__mapDeps\(\[([\d,]+)\]\)")
_COMPONENT = re.compile(
    r"(\w+):\{(?:(?:base|example):(?:(?!component:).)*?)?"
    r"component:\(\)=>\w+\(\(\)=>import\([^)]*\)(?:\.then\([^)]*\))?,__vite__mapDeps\(\[([\d,]+)\]\)"
)
_DRAWING = re.compile(r"Blocks-[\w-]+\.js")
"""What the page's script loads to draw components; it may also load a form for a login, which no page of ours has."""


@dataclass(frozen=True)
class Opening:
    """What a page has of Gradio before it can be used.

    Attributes:
        linked: what Gradio's own HTML asks for. All are names in `ASSETS`.
        scripts: those and all that they load, in about the order in which they run.
        styles: what the scripts load, in the order in which it applies.
    """

    linked: tuple[str, ...]
    scripts: tuple[str, ...]
    styles: tuple[str, ...]

    @property
    def sheet(self) -> str:
        """The file under which all of the styles are found as one."""
        return f"page-{hashlib.sha256(self._joined()).hexdigest()[:8]}.css"

    def texts(self) -> dict[str, bytes]:
        """By name, what the page asks for."""
        asked = {name: (ASSETS / name).read_bytes() for name in (*self.linked, *self.scripts)}
        return {**asked, self.sheet: self._joined()}

    def _joined(self) -> bytes:
        return b"\n".join((ASSETS / name).read_bytes() for name in self.styles)


def opening_of(components: Collection[str]) -> Opening:
    """What a page begins with.

    Args:
        components: by Gradio's names what stands on it, as in `html`.

    Returns:
        What is linked alone where the scripts look otherwise than they did: a page finds the rest by itself, later.
    """
    linked = _LINKED.findall((_TEMPLATES / "index.html").read_text())
    entries = [name for name in linked if name.endswith(".js")]
    begun = [files for entry in entries for files in _loads(entry)]
    found = dict.fromkeys([*entries, *(name for files in begun for name in files)])
    for script, *_ in begun:
        drawing = [files for files in _loads(script) if _DRAWING.fullmatch(files[0])]
        drawn = [files for name, files in _components(script) if name in components]
        found |= dict.fromkeys(name for files in (*drawing, *drawn) for name in files)
    there = [name for name in found if (ASSETS / name).is_file()]
    return Opening(
        linked=tuple(linked),
        scripts=tuple(name for name in there if name.endswith(".js")),
        styles=tuple(name for name in there if name.endswith(".css") and name not in linked),
    )


def _loads(script: str) -> Iterator[list[str]]:
    """For each script that this one loads: its name, then what comes with it."""
    source = _source(script)
    names = _names(source)
    return filter(None, (_listed(numbers, names) for numbers in _LOADED.findall(source)))


def _components(script: str) -> Iterator[tuple[str, list[str]]]:
    """For each component that this script knows: the name, and the files that draw it."""
    source = _source(script)
    names = _names(source)
    return ((component, _listed(numbers, names)) for component, numbers in _COMPONENT.findall(source))


def _source(script: str) -> str:
    path = ASSETS / script
    return path.read_text() if path.is_file() else ""


def _names(source: str) -> list[str]:
    table = _TABLE.search(source)
    return [name.strip('"').removeprefix("./") for name in table.group(1).split(",")] if table else []


def _listed(numbers: str, names: list[str]) -> list[str]:
    return [names[int(number)] for number in numbers.split(",") if int(number) < len(names)]
