"""A page whose cookie counts no longer."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from browser.studio_page import StudioPage
from running import running

GONE = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE")
"""What a page is told that asks before, or while, or after the server closes its doors."""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_page_that_is_no_longer_known_leads_to_the_login(tmp_path: Path, browser: Browser):
    with browser.new_context() as context:
        with running(tmp_path, ORRERY_TOKEN="first") as server:
            page = StudioPage(context, server.url, allowed=("401", "WebSocket", *GONE))
            page.page.goto(server.url)
            page.page.get_by_label("Token").fill("first")
            page.page.keyboard.press("Enter")
            page.wait_usable()
        port = str(urlsplit(server.url).port)
        with running(tmp_path, ORRERY_TOKEN="second", ORRERY_PORT=port):
            expect(page.page).to_have_url(re.compile("/login$"), timeout=60_000)
            assert page.close() == []
