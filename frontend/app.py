"""Puts the pages on a server: the one entry of this room, called by `backend.serve`."""

# pyright: reportUnknownMemberType=false
# Gradio annotates its own functions only in part.

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import cast

import gradio as gr
from fastapi import FastAPI

from frontend.pages.image import draw_image_page
from frontend.pages.robot import draw_robot_page
from frontend.places import IMAGE, ROBOT
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
    with blocks.route(ROBOT.title, ROBOT.path):
        draw_robot_page(ROBOT)
    blocks.queue(default_concurrency_limit=None)
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
    pages = {place.path: (head_of(place, static), shell_of(place)) for place in (IMAGE, ROBOT)}
    app.add_middleware(Shell, pages=pages)
    return app
