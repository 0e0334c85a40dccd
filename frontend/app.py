"""Puts the pages on a server: the one entry of this room, called by `backend.serve`."""

# pyright: reportUnknownMemberType=false
# Gradio annotates its own functions only in part.

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import gradio as gr
from fastapi import FastAPI

from frontend.pages.image import draw_image_page
from frontend.places import IMAGE
from frontend.shell import Shell, head_of, shell_of
from frontend.static_files import FOLDER, KeptFiles, static_path
from frontend.theme import build_theme
from studio.client import StudioClient


def mount(app: FastAPI, *, base_url: Callable[[], str]) -> FastAPI:
    """Mount every page at its path, the first one at "/"; call it after the API's own routes are in.

    Args:
        app: the server.
        base_url: where it will answer, as in `http://127.0.0.1:7860`; asked when a handler runs, not now.

    Returns:
        The same app.
    """

    def connect(caller: gr.Request) -> StudioClient:
        return StudioClient(base_url(), forwarded=cast("Mapping[str, str]", caller.headers))

    static = static_path()
    app.mount(static, KeptFiles(directory=FOLDER), name="ui")
    blocks = draw_image_page(IMAGE, connect)
    blocks.queue(default_concurrency_limit=None)
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
    app.add_middleware(Shell, pages={IMAGE.path: (head_of(IMAGE, static), shell_of(IMAGE))})
    return app
