"""How soon a page can be used with 10,000 artefacts in the library: `make studio-opening` prints the table.

Server and browser share two cores. Beside the times stands how much of these cores the machine's host withheld.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright
from sqlalchemy import select

from backend.database import open_database
from backend.database.tables import ArtefactRow
from browser.conftest import ARGUMENTS, CHROMIUM, DESKTOP
from library_rows import fill
from running import RunningServer

NUM_ARTEFACTS, NUM_LOADS, NUM_CORES, BAR_S = 10_000, 5, 2, 1.0

USABLE = {
    "/": "button:enabled:has-text('Generate')",
    "/library": ".o-tile[data-id] img[src]",
    "/queue": "o-queue b",
    "/checkpoints": ".o-checkpoint",
    "/arena": "o-arena-vote[data-state]",
}
"""By path, what is there once a person can begin."""


def opened(page: Page, url: str, path: str) -> float:
    """Seconds from asking for a page until it can be used."""
    began = time.perf_counter()
    page.goto(f"{url}{path}", wait_until="commit")
    expect(page.locator(USABLE[path]).first).to_be_visible(timeout=30_000)
    expect(page.locator("o-header")).to_have_attribute("data-state", "open", timeout=30_000)
    return time.perf_counter() - began


def put_files(media: Path, names: Sequence[str]) -> None:
    """A picture and its thumbnail for each: the same ones under all names."""
    pixels = np.random.default_rng(1).integers(0, 255, (180, 320, 3), np.uint8)
    media.mkdir()
    for suffix in (".png", ".webp"):
        Image.fromarray(pixels).save(media / f"one{suffix}")
        for name in names:
            (media / name[:2]).mkdir(exist_ok=True)
            os.link(media / f"one{suffix}", media / name[:2] / f"{name}{suffix}")


def ticks(cores: set[int]) -> tuple[int, int]:
    """All ticks of these cores since start, and those that the host withheld: /proc/stat, the eighth column."""
    lines = (line.split() for line in Path("/proc/stat").read_text().splitlines())
    rows = [[int(value) for value in row[1:9]] for row in lines if row[0] in {f"cpu{core}" for core in cores}]
    return sum(map(sum, rows)), sum(row[7] for row in rows)


def main() -> None:
    """Measure it on the first two cores that there are, and print it."""
    cores = set(sorted(os.sched_getaffinity(0))[:NUM_CORES])
    os.sched_setaffinity(0, cores)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        data = Path(folder) / "data"
        data.mkdir()
        database = open_database(data / "orrery.db")
        with database.transaction() as session:
            fill(session, NUM_ARTEFACTS)
            put_files(data / "media", session.scalars(select(ArtefactRow.id)).all())
        database.close()
        server = RunningServer(data).start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            server.wait_ready()
            sys.stdout.write(f"{NUM_ARTEFACTS} artefacts, {len(cores)} cores, the bar is {BAR_S} s\n")
            for path in USABLE:
                before = ticks(cores)
                context = browser.new_context(**DESKTOP)
                page = context.new_page()
                cold, *warm = (opened(page, server.url, path) for _ in range(1 + NUM_LOADS))
                context.close()
                every, stolen = (after - was for was, after in zip(before, ticks(cores), strict=True))
                share = 100 * stolen / max(every, 1)
                sys.stdout.write(
                    f"{path:<13} first {cold:5.2f} s  then {statistics.median(warm):5.2f} s (least {min(warm):5.2f})"
                    f"  host withheld {share:4.1f} %\n"
                )
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
