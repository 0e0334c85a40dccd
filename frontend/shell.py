"""The head, the rail and the header in the served HTML itself.

Gradio adds `head=` and its components from JavaScript, half a second after the first byte; what stands here is painted
before that, in the right theme.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from itertools import groupby
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frontend import element_ids, text
from frontend.fields import titles_of
from frontend.gradio_files import Opening
from frontend.icons import icon
from frontend.packing import VENDORED_FILE, script_name, source_of, styles_name, words_of
from frontend.places import FORMS, PLACES, QUEUE, ROBOT, Place
from frontend.starters import STARTERS
from studio.catalogue import KindList
from studio.comparisons import METRICS
from studio.requests import KINDS
from studio.requests.embodiments import EMBODIMENTS
from studio.rules import CANVASES

BOOT = "frame/boot.js"
"""Stands in the head itself, because it must run before the first paint."""

_FRAMED = re.compile(rb"<script>[^<]*iframeResizer[^<]*</script>")
"""Gradio's, which fetches what tells a page around it how tall this one is. No page around ours asks for that."""


class Pieces(NamedTuple):
    """What is put into a served page: at the top of its head, at the end of it, and at the top of its body."""

    head: str
    head_end: str
    body: str


def head_of(place: Place, static: str, opening: Opening, *, has_token: bool = False) -> str:
    """What goes to the top of `<head>`.

    Args:
        place: the page.
        static: the path under which the page's own files are served.
        opening: what it has of Gradio, to be fetched at once.
        has_token: whether the server wants a token.
    """
    title = f"{text.STUDIO} · {place.title}"
    facts = {
        "page": place.name,
        "title": title,
        "kind": place.kind,
        "has_token": has_token,
        "words": words_of(place.script, text.WORDS),
        "canvases": CANVASES,
        "places": {entry.name: {"title": entry.title, "path": entry.path} for entry in (*FORMS, *PLACES)},
        "pages": {entry.name: [entry.path, entry.kind] for entry in FORMS},
        "titles": titles_of(kind.model for kind in KINDS.values()),
        "kinds": KindList.of_table().model_dump(mode="json")["kinds"],
        "metrics": [asdict(metric) for metric in METRICS.values()],
        "bodies": {name: [body.width, body.state_width, body.columns] for name, body in EMBODIMENTS.items()},
        "starters": STARTERS.get(place.name, ()),
    }
    # A "<" inside JSON could end the script element.
    data = json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c")
    lines = [
        f"<script>{source_of(BOOT)}</script>",
        f"<title>{title}</title>",
        f'<link rel="icon" type="image/svg+xml" href="{static}/icon.svg">',
        f'<link rel="stylesheet" href="{static}/{styles_name(place)}">',
        f'<link rel="preload" as="font" type="font/woff2" crossorigin href="{static}/inter.woff2">',
        f'<link rel="modulepreload" href="{static}/{script_name(place)}">',
        f'<link rel="modulepreload" href="{static}/{VENDORED_FILE}">',
        *(f'<link rel="modulepreload" crossorigin href="/assets/{name}">' for name in opening.scripts),
        f'<script type="application/json" id="{element_ids.FACTS}">{data}</script>',
        f'<script type="module" src="{static}/{script_name(place)}"></script>',
    ]
    return "".join(lines)


def head_end_of(opening: Opening, theme_hash: str) -> str:
    """What goes to the end of `<head>`: Gradio's style sheets, behind ours and where it would put them itself.

    One holds them all. Gradio asks for none that stands here already, and a link that is disabled is not fetched.

    Args:
        opening: what the page has of Gradio.
        theme_hash: names the theme that Gradio asks for before it draws.
    """
    lines = [
        f'<link rel="preload" as="style" href="/theme.css?v={theme_hash}">',
        *(f'<link rel="stylesheet" disabled href="/assets/{name}">' for name in opening.styles),
        f'<link rel="stylesheet" href="/assets/{opening.sheet}">',
    ]
    return "".join(lines)


def shell_of(place: Place) -> str:
    """What goes to the top of `<body>`: skip link, header, rail, help, and where toasts and drops appear.

    The robot's stop stands here too: it must not wait for Gradio, nor end with it.
    """
    stop = _robot_stop() if place == ROBOT else ""
    return (
        '<div class="o-shell">'
        f'<a class="o-skip" href="#{element_ids.MAIN}">{text.SKIP}</a>'
        f"{_header(place)}{_rail(place)}{_keys(place)}{stop}"
        f'<o-drop aria-hidden="true">{text.WORDS["drop.here"]}</o-drop>'
        f'<div class="o-toasts" id="{element_ids.TOASTS}"></div>'
        "</div>"
    )


def _header(place: Place) -> str:
    return (
        '<o-header role="banner" data-state="connecting">'
        f'<button class="o-round o-menu" type="button" aria-label="{text.PAGES}" aria-expanded="false" '
        f'aria-controls="{element_ids.RAIL}">{icon("menu")}</button>'
        f'<h1 class="o-sr">{text.STUDIO}, {place.title}</h1>'
        f'<a class="o-brand" href="/" aria-label="{text.STUDIO}">{icon("orrery", 24)}<b>{text.STUDIO}</b></a>'
        f'<b class="o-here" aria-hidden="true">{place.title}</b>'
        '<span class="o-serving"><span class="o-pop"><button type="button" class="o-pill" data-pill="checkpoint">'
        f'<i class="o-dot" data-state="wait"></i><b>{text.CONNECTING}</b></button></span></span>'
        f'<a class="o-pill" data-pill="queue" href="{QUEUE.path}" hidden>'
        '<span class="o-wide-only"></span><span class="o-narrow-only" aria-hidden="true"></span><small></small></a>'
        '<span class="o-grow"></span>'
        f'<button type="button" class="o-pill" data-pill="guardrail" hidden popovertarget="o-guardrail">'
        f'{icon("shield", 15)}<small>{text.GUARDRAIL}</small><span class="o-wide-only"></span></button>'
        '<div class="o-explains" id="o-guardrail" popover role="region" aria-live="polite"></div>'
        f'<button class="o-round o-wide-only" type="button" data-do="keys" aria-label="{text.HELP}" '
        f'aria-haspopup="dialog" aria-keyshortcuts="?">{icon("keyboard")}</button>'
        f'<button class="o-round" type="button" data-do="theme" aria-label="{text.DARK}" aria-pressed="false">'
        f"{icon('moon')}{icon('sun')}</button>"
        '<p class="o-lost" role="alert" hidden></p>'
        "</o-header>"
    )


def _rail(place: Place) -> str:
    groups: list[str] = []
    for heading, places in groupby(PLACES, key=lambda entry: entry.group):
        links = "".join(_link(entry, here=entry.name in (place.name, place.within)) for entry in places)
        groups.append(f'<h2>{heading}</h2><ul role="list">{links}</ul>')
    settings = (
        f'<button type="button" data-do="settings" aria-haspopup="dialog">{icon("sliders", 17)}'
        f"<span>{text.SETTINGS}</span></button>"
    )
    return (
        f'<o-rail id="{element_ids.RAIL}" role="navigation" aria-label="{text.PAGES}">'
        f"{''.join(groups)}{settings}</o-rail>"
    )


def _link(place: Place, *, here: bool) -> str:
    current = ' aria-current="page"' if here else ""
    return f'<li><a href="{place.path}"{current}>{icon(place.icon, 17)}<span>{place.title}</span></a></li>'


def _robot_stop() -> str:
    return (
        f'<o-robot-stop role="region" aria-label="{text.ROBOT_STOP_LABEL}">'
        '<button type="button" aria-keyshortcuts="Space Escape">'
        f'<b>{text.ROBOT_STOP}</b><small><span class="o-wide-only">{text.ROBOT_STOP_KEYS}</span>'
        f"{text.ROBOT_STOP_HELP}</small></button></o-robot-stop>"
    )


def _keys(place: Place) -> str:
    rows = "".join(
        f"<dt>{' '.join(f'<kbd>{html.escape(key)}</kbd>' for key in keys)}</dt><dd>{html.escape(what)}</dd>"
        for keys, what in (*place.keys, text.PALETTE_KEY)
    )
    title = f"{element_ids.KEYS}-title"
    return (
        f'<dialog class="o-keys" id="{element_ids.KEYS}" aria-labelledby="{title}">'
        f'<header><h2 id="{title}">{text.HELP}</h2><form method="dialog">'
        f'<button class="o-round" aria-label="{text.CLOSE}">{icon("close")}</button></form></header>'
        f"<dl>{rows}</dl></dialog>"
    )


class Shell:
    """ASGI middleware that puts the pieces into the HTML of our own pages and touches nothing else.

    Args:
        app: what it wraps.
        pages: by path, what goes where.
    """

    def __init__(self, app: ASGIApp, pages: Mapping[str, Pieces]) -> None:
        self._app = app
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        page = self._pages.get(scope.get("path", "")) if scope["type"] == "http" and scope["method"] == "GET" else None
        if page is None:
            await self._app(scope, receive, send)
            return
        # What is to be edited must not come compressed.
        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        await self._app({**scope, "headers": plain}, receive, _Insertion(send, page))


class _Insertion:
    """Holds back an HTML reply until it is whole, then sends it with the pieces in place."""

    def __init__(self, send: Send, pieces: Pieces) -> None:
        self._send = send
        self._pieces = pieces
        self._start: Message | None = None
        self._held = bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_html(message):
            self._start = message
            return
        if self._start is None:
            await self._send(message)
            return
        self._held += message.get("body", b"")
        if message.get("more_body"):
            return
        page = self._insert(bytes(self._held))
        headers = [(name, value) for name, value in self._start["headers"] if name.lower() != b"content-length"]
        await self._send({**self._start, "headers": [*headers, (b"content-length", str(len(page)).encode())]})
        await self._send({"type": "http.response.body", "body": page})

    def _insert(self, page: bytes) -> bytes:
        charset, end = b'<meta charset="utf-8" />', b"</head>"
        if charset not in page or b"<body" not in page:
            return page
        page = _FRAMED.sub(b"", page).replace(charset, charset + self._pieces.head.encode(), 1)
        body = page.index(b"<body")
        top = page.index(b">", body) + 1
        before = page[:body].replace(end, self._pieces.head_end.encode() + end, 1)
        return before + page[body:top] + self._pieces.body.encode() + page[top:]


def _is_html(message: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in message.get("headers", [])
    )
