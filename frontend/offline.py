"""A web page of one comparison that needs no server: every module and word of it inside, media beside it.

Browsers load no module from a file. These stand in the page as data, and an import map leads from one to the other.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from frontend import text
from frontend.packing import IMPORT, imported, reachable, styles_of
from frontend.places import PLAYHEAD_STYLES
from studio.comparisons import METRICS

ENTRY = "playhead/offline_page.js"
STYLES = (
    "frame/tokens",
    "frame/components",
    "frame/shell",
    "parts/controls",
    "form/form",
    "parts/keeping",
    *PLAYHEAD_STYLES,
    "compare/compare",
)


def offline_page(title: str, comparison: Mapping[str, Any]) -> str:
    """The HTML.

    Args:
        comparison: a `studio.comparisons.Comparison` as JSON, its addresses relative to the page, with `layouts` of
            spritesheets and `actions` by media id.
    """
    modules = {f"orrery/{name}": _data(_module(name, source)) for name, source in reachable(ENTRY).items()}
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
        "titles": {},
        "kinds": {},
        "bodies": {},
    }
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{styles_of(STYLES)}</style>",
            f'<script type="application/json" id="o-facts">{_json({**facts, "starters": []})}</script>',
            f'<script type="application/json" id="o-comparison">{_json(comparison)}</script>',
            f'<script type="importmap">{_json({"imports": modules})}</script>',
            '</head><body class="gradio-container"><main class="o-offline">'
            f"<h1>{html.escape(title)}</h1><o-playhead></o-playhead></main>",
            f'<script type="module">import "orrery/{ENTRY}";</script>',
            "</body></html>",
        ]
    )


def _module(name: str, source: str) -> str:
    """A module whose imports go through the map."""
    return IMPORT.sub(lambda found: found[0].replace(f'"{found[2]}"', f'"orrery/{imported(name, found[2])}"'), source)


def _data(source: str) -> str:
    return f"data:text/javascript;base64,{base64.b64encode(source.encode()).decode()}"


def _json(value: object) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
