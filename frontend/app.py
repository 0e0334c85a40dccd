"""Puts the pages on a server: the one entry of this room, called by `backend.application`."""

# pyright: reportUnknownMemberType=false
# Gradio annotates its own functions only in part.

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import cast

import gradio as gr
from fastapi import FastAPI

from frontend import text
from frontend.bench import draw_bench
from frontend.gradio_files import ASSETS, Opening, opening_of
from frontend.packing import page_texts
from frontend.panels import PANELS
from frontend.part_pages import draw_keeping_page, draw_robot_page
from frontend.places import FORMS, KEEPING, ROBOT, Place
from frontend.shell import Pieces, Shell, head_end_of, head_of, shell_of
from frontend.static_files import FOLDER, KeptFiles, static_path
from frontend.theme import build_theme
from studio.client import StudioClient

PART_PAGES: dict[Place, Callable[[Place], None]] = {ROBOT: draw_robot_page, **dict.fromkeys(KEEPING, draw_keeping_page)}
"""Those that are made of parts alone."""


def mount(app: FastAPI, *, base_url: Callable[[], str], has_token: bool = False) -> FastAPI:
    """Mount every page at its path, the first one at "/"; call it after the API's own routes are in.

    Args:
        app: the server.
        base_url: where it will answer, as in `http://127.0.0.1:7860`; asked when a handler runs, not now.
        has_token: whether it wants a token, which the requests that are copied from the page then name.

    Returns:
        The same app.
    """

    def connect(caller: gr.Request) -> StudioClient:
        return StudioClient(base_url(), forwarded=cast("Mapping[str, str]", caller.headers))

    places = (*FORMS, *PART_PAGES)
    texts = page_texts(places)
    static = static_path(texts)
    app.mount(static, KeptFiles(FOLDER, texts), name="ui")
    blocks = gr.Blocks(title=f"{text.STUDIO} · {places[0].title}", analytics_enabled=False, fill_width=True)
    for place in places[1:]:
        blocks.route(place.title, place.path)
    # Entered once for all pages: each time it is left, Gradio makes an app of a hundred routes, a fifth of a second.
    with blocks:
        for panel in PANELS:
            blocks.current_page = panel.place.path.strip("/")
            draw_bench(blocks, panel, connect)
        for place, draw_part_page in PART_PAGES.items():
            blocks.current_page = place.path.strip("/")
            draw_part_page(place)
    openings = _openings(blocks)
    theirs = {name: text for opening in openings.values() for name, text in opening.texts().items()}
    app.mount("/assets", KeptFiles(ASSETS, theirs), name="assets")
    lifespan = app.router.lifespan_context
    with warnings.catch_warnings():
        # Said of every app with two pages, whatever ssr_mode is.
        warnings.filterwarnings("ignore", "SSR mode is not supported with multi-page apps", UserWarning)
        gr.mount_gradio_app(
            app,
            blocks,
            path="/",
            theme=build_theme(),
            ssr_mode=False,
            run_history=False,
            footer_links=[],
            favicon_path=str(FOLDER / "icon.svg"),
        )
    # No event of ours is queued: what Gradio would start with the server only looks for some, every millisecond.
    app.router.lifespan_context = lifespan
    pages: dict[str, Pieces] = {}
    for place in places:
        opening = openings[place.path]
        head = head_of(place, static, opening, has_token=has_token)
        pages[place.path] = Pieces(head, head_end_of(opening, blocks.theme_hash), shell_of(place))
    app.add_middleware(Shell, pages=pages)
    return app


def _openings(blocks: gr.Blocks) -> dict[str, Opening]:
    """By path, what each page has of Gradio."""
    components: dict[str, set[str]] = {}
    for block in blocks.blocks.values():
        components.setdefault(f"/{block.page}", set()).add(block.get_block_name())
    known = {names: opening_of(names) for names in map(frozenset, components.values())}
    return {path: known[frozenset(names)] for path, names in components.items()}
