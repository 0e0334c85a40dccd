"""Chromium against a real server: every request that is not local is refused, every console error is kept."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from browser.studio_page import StudioPage
from running import RunningServer, running

CHROMIUM = "/usr/bin/chromium-headless-shell"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Nothing but this machine has an address. Routing the requests instead would switch the cache off.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

# How long a page may take to show what is expected of it: Playwright's own five seconds are short for two busy cores.
expect.set_options(timeout=20_000)

DESKTOP: dict[str, Any] = {
    "viewport": {"width": 1440, "height": 900},
    "color_scheme": "light",
    "reduced_motion": "reduce",
}

OpenPage = Callable[..., StudioPage]


# Scoped to this folder: while it is open, its event loop keeps asyncio.run from working in the same thread.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """The server of all journeys; jobs of one test stay for the next."""
    with running(tmp_path_factory.mktemp("browser")) as server:
        server.wait_ready()
        yield server


@pytest.fixture
def fresh_studio(tmp_path: Path) -> Iterator[RunningServer]:
    """A server of one test, with nothing made yet."""
    with running(tmp_path) as server:
        server.wait_ready()
        yield server


@pytest.fixture(scope="package")
def desktop(browser: Browser) -> Iterator[BrowserContext]:
    """One profile for most pages: its cache is warm, as a daily user's is."""
    context = browser.new_context(**DESKTOP)
    yield context
    context.close()


@pytest.fixture
def open_page(browser: Browser, desktop: BrowserContext, studio: RunningServer) -> Iterator[OpenPage]:
    """Opens pages; at the end none of them may have asked outside or complained.

    With `beside`, a further tab that keeps what the first one stored; with other options of Playwright's new_context, a
    profile of its own.
    """
    opened: list[StudioPage] = []

    def open_one(
        server: RunningServer = studio, *, allowed: tuple[str, ...] = (), beside: bool = False, **options: Any
    ) -> StudioPage:
        context = browser.new_context(**{**DESKTOP, **options}) if options else desktop
        page = StudioPage(context, server.url, allowed)
        opened.append(page)
        if not (options or beside):
            page.forget()
        return page

    yield open_one
    complaints = [page.close() for page in opened]
    for page in opened:
        if page.page.context is not desktop:
            page.page.context.close()
    assert not any(complaints), complaints
