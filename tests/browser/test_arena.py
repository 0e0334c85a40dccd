"""The arena as a person uses it: ten blind votes by keyboard, a reload in the middle, the ranking, one taken back."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from browser.conftest import OpenPage
from browser.studio_page import StudioPage
from browser.test_accessibility import serious_violations
from browser.test_shell import PHONE
from engine.speck import build_speck
from running import RunningServer, running, wait_for
from scripted_endpoint import scripted_endpoint

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1200)]

OTHER = 'id = "speck-b"\ntitle = "speck b"\nsummary = "Another draw of random weights."\nbuilt_here = true\n'
PROMPTS = 10


@pytest.fixture(scope="module")
def arena(studio: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Two checkpoints that have made the same ten pictures."""
    data = tmp_path_factory.mktemp("arena") / "data"
    shutil.copytree(studio.data / "checkpoints", data / "checkpoints")
    build_speck(data / "checkpoints" / "speck-b", seed=1)
    (data / "presets").mkdir()
    (data / "presets" / "speck-b.toml").write_text(OTHER)
    with running(data) as server:
        server.wait_ready()
        jobs = [
            {
                "kind": "generate_image",
                "prompt": f"A robot arm over {number} cubes.",
                "checkpoint": checkpoint,
                "resolution": "256",
                "aspect_ratio": "1:1",
                "sampling": {"num_inference_steps": 1, "seed": 4},
            }
            for checkpoint in ("speck", "speck-b")
            for number in range(PROMPTS)
        ]
        batch = server.post("/v1/batches", json={"requests": jobs})
        assert batch.status_code == 202, batch.text
        for job in batch.json()["jobs"]:
            assert server.wait_job(job["id"])["state"] == "succeeded"
        yield server


def visit(page: StudioPage, tab: str = "") -> StudioPage:
    page.page.goto(f"{page.url}/arena{tab}")
    expect(page.page.locator("o-arena-vote[data-state=voting]")).to_be_attached(timeout=30_000)
    return page


def pair(page: StudioPage) -> str:
    return page.page.locator("o-arena-vote").get_attribute("data-pair") or ""


def state(page: StudioPage, name: str) -> None:
    expect(page.page.locator("o-arena-vote")).to_have_attribute("data-state", name, timeout=20_000)


def test_ten_blind_votes_by_keyboard_with_a_reload_in_the_middle_make_a_ranking(
    open_page: OpenPage, arena: RunningServer
):
    page = visit(open_page(arena))
    keys, body = page.page.keyboard, page.page.locator("o-arena-vote")
    seen: set[str] = set()
    for number in range(PROMPTS):
        state(page, "voting")
        seen.add(pair(page))
        assert "speck" not in body.inner_text()
        keys.press("1")
        keys.press("0")
        if number == 4:
            shown = pair(page)
            page.page.reload()
            state(page, "voting")
            assert pair(page) == shown
            expect(body.locator("[data-axis=physics] [data-choice=tie]")).to_have_attribute("aria-checked", "true")
            expect(body.locator("[data-axis=geometry]")).to_have_attribute("data-marked", "true")
        keys.press("b")
        keys.press("2")
        expect(body.locator("[data-axis=overall] [data-choice=right]")).to_have_attribute("aria-checked", "true")
        keys.press("Enter")
        state(page, "voted")
        expect(body).to_contain_text("Checkpoint: left ")
        expect(body).to_contain_text("speck-b")
        keys.press("Enter")
        wait_for(lambda: body.get_attribute("data-state") in ("voting", "done"), 20)
    state(page, "done")
    assert len(seen) == PROMPTS

    page.page.get_by_role("link", name="Show ranking").click()
    ranking = page.page.locator("o-arena-ranking")
    expect(ranking).to_have_attribute("data-votes", "10", timeout=20_000)
    rows = ranking.locator("tbody tr[data-contestant]")
    expect(rows).to_have_count(2)
    expect(rows.first.locator(".o-rating")).to_be_visible()
    assert serious_violations(page) == []

    page.page.locator("o-arena-record [data-do=revoke]").first.click()
    expect(ranking).to_have_attribute("data-votes", "9", timeout=20_000)
    expect(rows.first).to_contain_text("not enough votes: 9 of 10")
    page.page.reload()
    expect(ranking).to_have_attribute("data-votes", "9", timeout=20_000)
    page.page.get_by_role("tab", name="Vote").click()
    state(page, "voting")


def test_what_is_open_or_has_the_focus_stays_so_when_the_server_has_more_to_say(
    open_page: OpenPage, arena: RunningServer
):
    dealt = arena.get("/v1/arena/pairs/next", params={"voter": "carla"}).json()["pair"]
    body = {"pair": dealt["id"], "left": dealt["left"]["id"], "voter": "carla"}
    vote = arena.post("/v1/arena/votes", json={**body, "choices": {"physics": "tie", "overall": "left"}}).json()
    page = open_page(arena)
    page.page.goto(f"{page.url}/arena#ranking")
    ranking = page.page.locator("o-arena-ranking")
    chip = ranking.locator("[data-axis=physics]")
    chip.focus()
    page.page.keyboard.press("Enter")
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(chip).to_be_focused()
    expect(ranking.locator(".o-count")).to_contain_text("vote")
    assert arena.delete(f"/v1/arena/votes/{vote['id']}").status_code == 200

    with scripted_endpoint() as sage:
        (arena.data / "reasoners.toml").write_text(f'[sage]\nurl = "{sage.address}"\n')
        sage.answers = ["<think>It looks round.</think>A ball."]
        question = {"text": "What is it?", "reference": "A ball."}
        put = arena.post("/v1/arena/questions", json={"questions": [question], "reasoners": ["sage"]}).json()
        asked = arena.post(f"/v1/arena/questions/{put['questions'][0]['id']}/answers")
        assert asked.json()["answers"][0]["thought"] == "It looks round."
        sage.answers = [json.dumps({"reason": "the same", "score": 5})]
        page.page.goto(f"{page.url}/arena#answers")
        page.page.reload()
        card = page.page.locator("o-arena-answers .o-question")
        card.get_by_text("Reasoning").click()
        expect(card.get_by_text("It looks round.")).to_be_visible()
        card.get_by_label("Judge").select_option("sage")
        card.get_by_role("button", name="Grade").click()
        expect(card.get_by_text("5 / 5")).to_be_visible(timeout=30_000)
        expect(card.get_by_text("It looks round.")).to_be_visible()
        card.get_by_role("button", name="Reveal names").click()
        expect(card.locator("h4")).to_contain_text("sage")
        expect(card.get_by_text("It looks round.")).to_be_visible()
        (arena.data / "reasoners.toml").unlink()


def test_on_a_phone_nothing_scrolls_sideways_and_axe_minds_nothing(open_page: OpenPage, arena: RunningServer):
    page = open_page(arena, allowed=("404",), **PHONE)
    page.page.add_init_script("localStorage['orrery.voter'] = 'somebody else'")
    visit(page)
    for tab in ("vote", "ranking", "answers"):
        page.page.locator(f"#arena-tab-{tab}").tap()
        expect(page.page.locator(f"#arena-{tab}")).to_be_visible()
        assert page.page.evaluate("() => document.documentElement.scrollWidth") == 390, tab
        assert serious_violations(page) == [], tab
    _a_side_is_lost_after_it_was_dealt(page, arena)


def _a_side_is_lost_after_it_was_dealt(page: StudioPage, arena: RunningServer) -> None:
    """The file goes between the pair and its pictures: it is not voted on, and nobody sees it again."""
    shown = pair(page)
    dealt = arena.get("/v1/arena/pairs/next", params={"voter": "somebody else", "skip": shown}).json()["pair"]

    def lose(route: Route) -> None:
        for path in (arena.data / "media").glob(f"*/{dealt['left']['id']}.*"):
            path.unlink()
        route.continue_()

    page.page.route(f"**{dealt['left']['url']}", lose)
    page.page.goto(f"{page.url}/arena?pair={dealt['id']}")
    state(page, "lost")
    expect(page.page.locator(".o-arena-told")).to_contain_text("One of the two was deleted")
    expect(page.page.locator("[data-hole]")).to_contain_text("file missing")
    assert serious_violations(page) == []
    page.page.locator("[data-do=cast]").tap()
    state(page, "voting")
    assert pair(page) != dealt["id"]
    again = arena.get(f"/v1/arena/pairs/{dealt['id']}", params={"voter": "ada"})
    assert again.json()["error"]["code"] == "pair_not_found"


def test_an_empty_arena_says_how_pairs_come_about(open_page: OpenPage, tmp_path: Path, arena: RunningServer):
    data = tmp_path / "data"
    shutil.copytree(arena.data / "checkpoints" / "speck", data / "checkpoints" / "speck")
    with running(data) as fresh:
        page = open_page(fresh)
        page.page.goto(f"{fresh.url}/arena")
        state(page, "empty")
        expect(page.page.locator("o-arena-vote")).to_contain_text("Change one setting and generate again")
        assert serious_violations(page) == []
        page.page.goto("about:blank")
