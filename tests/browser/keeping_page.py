"""The pages that keep things, as a person uses them."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from browser.studio_page import OPEN_MS, StudioPage
from running import RunningServer

READY = {
    "library": "o-library-grid[data-count]",
    "queue": "o-queue b",
    "checkpoints": ".o-checkpoint",
    "ask": "o-ask-chat",
    "compare": "o-compare-form, o-playhead",
    "arena": "o-arena-vote[data-state]",
    "evaluate": "o-evaluate .o-columns",
    "tune": "o-tune .o-columns",
    "refine": "o-refine form",
    "robot": "o-robot-panel [role=tab]",
}
"""By page, what is there once it can be used."""


def visit(page: StudioPage, name: str, query: str = "") -> StudioPage:
    """Open one of the pages and wait until it can be used."""
    page.page.goto(f"{page.url}/{name}{query}")
    return wait_usable(page, name)


def wait_usable(page: StudioPage, name: str) -> StudioPage:
    """Wait until it can be used."""
    expect(page.page.locator("o-header")).to_have_attribute("data-state", "open", timeout=OPEN_MS)
    expect(page.page.locator(READY[name]).first).to_be_attached(timeout=OPEN_MS)
    return page


def make_picture(studio: RunningServer, prompt: str, **fields: Any) -> str:
    """Make a small picture through the API; its id in the library."""
    sampling = {"num_inference_steps": 1, **fields.pop("sampling", {})}
    job = studio.submit(prompt=prompt, resolution="256", aspect_ratio="1:1", sampling=sampling, **fields)
    return studio.wait_job(job["id"])["results"][0]["id"]


def make_actions(studio: RunningServer, start_image: str) -> dict[str, Any]:
    """Ask the policy for eight actions through the API, without their video; the item that they are."""
    job = studio.post(
        "/v1/jobs",
        json={
            "kind": "run_policy",
            "prompt": "push it",
            "embodiment": "pusht",
            "start_image": start_image,
            "num_actions": 8,
            "resolution": "256",
            "decode_video": False,
            "sampling": {"num_inference_steps": 1},
        },
    ).json()
    return next(result for result in studio.wait_job(job["id"])["results"] if result["mime"] == "application/json")


def make_clip(studio: RunningServer, prompt: str) -> str:
    """Make a short clip through the API; its id in the library."""
    answer = studio.post(
        "/v1/jobs",
        json={
            "kind": "generate_video",
            "prompt": prompt,
            "resolution": "256",
            "aspect_ratio": "1:1",
            "num_frames": 9,
            "fps": 12,
            "sound": False,
            "sampling": {"num_inference_steps": 1},
        },
    )
    assert answer.status_code == 202, answer.text
    return studio.wait_job(answer.json()["id"])["results"][0]["id"]


def tile(page: StudioPage, item: str) -> Locator:
    """An item's tile in the grid."""
    return page.page.locator(f".o-tile[data-id='{item}']")


def tiles(page: StudioPage) -> Locator:
    """Every tile that shows an item."""
    return page.page.locator(".o-tile[data-id]")


def search(page: StudioPage, words: str, count: int) -> None:
    """Look for words, and wait until so many are found."""
    page.page.get_by_label("Search the library").fill(words)
    expect(page.page.locator("o-library-grid")).to_have_attribute("data-count", str(count))
    expect(tiles(page)).to_have_count(count)
