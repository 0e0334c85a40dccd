"""A web page of one comparison that needs no server: every module and word of it inside, media beside it.

Browsers load no module from a file. These stand in the page as data, and an import map leads from one to the other.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from frontend import text
from frontend.packing import reachable
from frontend.places import PLAYHEAD_STYLES
from frontend.static_files import FOLDER
from studio.comparisons import METRICS

ENTRY = "offline_page.js"
STYLES = ("tokens", "shell", "controls", "form", "keeping", *PLAYHEAD_STYLES, "compare")


def offline_page(title: str, comparison: Mapping[str, Any]) -> str:
    """The HTML.

    Args:
        comparison: a `studio.comparisons.Comparison` as JSON, its addresses relative to the page, with `layouts` of
            spritesheets and `actions` by media id.
    """
    modules = {f"orrery/{name}": _data(_module(name)) for name in sorted(reachable(ENTRY))}
    words = {
        key: said for key, said in text.WORDS.items() if key.startswith(("playhead.", "plot.", "compare.", "media."))
    }
    facts = {
        "page": "offline",
        "title": title,
        "words": words,
        "places": {},
        "pages": {},
        "metrics": [asdict(metric) for metric in METRICS.values()],
        "canvases": {},
        "kinds": {},
        "bodies": {},
    }
    styles = "\n".join((FOLDER / f"{name}.css").read_text() for name in STYLES)
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{styles}</style>",
            f'<script type="application/json" id="o-facts">{_json({**facts, "starters": []})}</script>',
            f'<script type="application/json" id="o-comparison">{_json(comparison)}</script>',
            f'<script type="importmap">{_json({"imports": modules})}</script>',
            '</head><body class="gradio-container"><main class="o-offline">'
            f"<h1>{html.escape(title)}</h1><o-playhead></o-playhead></main>",
            f'<script type="module">import "orrery/{ENTRY}";</script>',
            "</body></html>",
        ]
    )


def _module(name: str) -> str:
    """A module whose imports go through the map."""
    return re.sub(r'((?:from|import) )"\./([a-z_]+\.js)"', r'\1"orrery/\2"', (FOLDER / name).read_text())


def _data(source: str) -> str:
    return f"data:text/javascript;base64,{base64.b64encode(source.encode()).decode()}"


def _json(value: object) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
