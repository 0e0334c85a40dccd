"""Every page of the studio as a picture, light and dark, desktop and phone: `make studio-screens` writes docs/screens.

A server of its own makes what is on them: speck draws noise by design, and critic and rewriter are scripted. Page names
after the command take those pages alone: `PYTHONPATH=.:tests python tests/studio_screens.py video robot`.
"""

import io
import json
import math
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from browser.conftest import ARGUMENTS, CHROMIUM
from browser.keeping_page import READY, visit
from browser.robot_page import RobotPage
from browser.studio_page import PATHS, StudioPage
from browser.test_shell import PHONE
from critiques import critique, rewritten
from refining_endpoint import RefiningEndpoint, refining_endpoint
from running import RunningServer, running, wait_for

ROOT = Path(__file__).parent.parent
SCREENS, SAMPLES = ROOT / "docs" / "screens", ROOT / "frontend" / "static"
DEVICES: dict[str, dict[str, Any]] = {
    "": {"viewport": {"width": 1400, "height": 900}},
    "_phone": {**PHONE, "device_scale_factor": 1},
}
"""By what the names of their pictures have before the theme."""

BEHIND_A_TOKEN = {"login", "robot"}
PAGES = {*PATHS, *READY, "refine", *BEHIND_A_TOKEN}
LIMIT_S, SETTLED_S = 180, 0.7
NUM_COLOURS = 96
"""Of a picture: text stays sharp, noise gets a little coarser, and all of them take less than 6 MB."""

TOKEN, VOTER = "secret", "ada"

LIFT = "A robot arm lifts the yellow cube off the tabletop and sets it down beside the green block."
GRASP = "The gripper closes around a red cube on a wooden table, soft daylight from the left."
BENCH = "A long workbench with three steel bowls and a folded cloth, seen from the front."
NIGHT = "A forklift between tall shelves in a warehouse at night."
SNOW = "The same table in a workshop in winter, snow behind the window."
REACH, PICK = "The arm reaches for the red cube.", "pick up the red cube"
RAIN = "Rain on a tin roof. A motor starts, hums and stops."
REST = (0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 1.0)
"""An arm bent over its table: seven joints in rad and the gripper, open."""

BODY = {"embodiment": "droid_joint_position"}
LONG = {"resolution": "720", "aspect_ratio": "16:9", "sampling": {"num_inference_steps": 200, "seed": 3}}


class Content:
    """What a server is filled with; `queries` are what the pages' addresses end with."""

    def __init__(self, server: RunningServer, endpoint: RefiningEndpoint) -> None:
        self.server = server
        self.endpoint = endpoint
        self.queries = {"library": "", "checkpoints": "", "arena": ""}

    def make(self) -> None:
        """All of it."""
        table, moving_table = self._upload("tabletop.png"), self._upload("tabletop.mp4")
        arm, moving_arm = self._upload("arm_views.png"), self._upload("arm_views.mp4")
        self._compare()
        self._refine()
        self._keep(self._job("image", "generate_image", prompt=BENCH, aspect_ratio="16:9"), "workbench")
        self._job("image", "generate_image", prompt=NIGHT, aspect_ratio="3:4")
        self._keep(self._job("image", "generate_image", prompt=GRASP, count=2), "robot", starred=True)
        self._job("sound", "generate_video", prompt=RAIN, aspect_ratio="16:9", sound=True)
        clip = self._job("video", "generate_video", prompt=LIFT, start_image=table, sound=True)
        self._keep(clip, "robot", "tabletop", starred=True)
        controls = [{"hint": "edge"}, {"hint": "blur"}]
        self._job("transfer", "transfer_video", prompt=SNOW, source_video=moving_table, controls=controls)
        waves = [[at + 0.2 * math.sin(row / 4 + joint) for joint, at in enumerate(REST[:7])] for row in range(16)]
        actions = [[*joints, float(row < 8)] for row, joints in enumerate(waves)]
        self._job("world", "predict_video", prompt=REACH, start_image=arm, actions=actions, **BODY)
        self._job("inverse", "predict_actions", prompt=REACH, source_video=moving_arm, **BODY)
        self._job("policy", "run_policy", prompt=PICK, start_image=arm, state=REST, **BODY)
        self._fail_and_cancel()
        self._keep(table, "tabletop")
        self.queries["ask"] = f"?from={table}"

    @contextmanager
    def queue(self) -> Iterator[None]:
        """A long job that runs, and a batch behind it."""
        name = self.server.submit(prompt=BENCH, **LONG)["id"]
        axes = {"sampling.seed": [1, 2, 3], "sampling.guidance_scale": [4, 6]}
        self._post("/v1/batches", {"request": {"kind": "generate_video", "prompt": GRASP}, "axes": axes})
        self.server.wait_job(name, lambda job: job["progress"]["step"] > 1)
        yield
        self.server.delete("/v1/queue").raise_for_status()
        self.server.delete(f"/v1/jobs/{name}").raise_for_status()
        self.server.wait_job(name)

    def _compare(self) -> None:
        """Two prompts in three ways, and a vote."""
        asked = {
            "title": "How much guidance?",
            "request": {"kind": "generate_video", "sound": True, "sampling": {"seed": 7}},
            "axes": {"sampling.guidance_scale": [2, 4, 6]},
            "subjects": [{"request": {"prompt": prompt}} for prompt in (LIFT, GRASP)],
        }
        self._grow("compare", "/v1/comparisons", asked, lambda grid: grid["num_done"] == grid["num_cells"])
        pair = self.server.get("/v1/arena/pairs/next", params={"voter": VOTER}).json()["pair"]
        choices = {"physics": "tie", "overall": "left"}
        vote = {"pair": pair["id"], "left": pair["left"]["id"], "voter": VOTER, "choices": choices}
        self._post("/v1/arena/votes", vote)

    def _refine(self) -> None:
        """Two chains of a picture and its rewrite."""
        first = (critique(5.0, "severe", "minor"), critique(6.0, "moderate"))
        said = (*first, critique(7.5, "minor"), critique(8.0, "minor"))
        self.endpoint.answers["critic"] = [json.dumps(each) for each in said]
        self.endpoint.answers["rewriter"] = [rewritten("A red cube with straight edges on a wooden table.")]
        generate = {"kind": "generate_image", "prompt": "a red cube on a table", "sampling": {"seed": 7}}
        asked = {"generate": generate, "num_candidates": 2, "max_rewrites": 1}
        self._grow("refine", "/v1/refinements", asked, lambda tree: tree["state"] == "succeeded")

    def _fail_and_cancel(self) -> None:
        """One whose words come back from the upsampler as prose, and a long one."""
        self.endpoint.answers["upsampler"] = ["I would rather not."]
        assert self.server.wait_job(self.server.submit(prompt=NIGHT, upsample=True)["id"])["state"] == "failed"
        name = self.server.submit(prompt=BENCH, **LONG)["id"]
        self.server.delete(f"/v1/jobs/{name}").raise_for_status()
        self.server.wait_job(name)

    def _grow(self, page: str, path: str, asked: dict[str, Any], ended: Callable[[dict[str, Any]], bool]) -> None:
        name = self._post(path, asked)["id"]
        wait_for(lambda: ended(self.server.get(f"{path}/{name}").json()), LIMIT_S)
        self.queries[page] = f"?id={name}"

    def _job(self, page: str, kind: str, **request: Any) -> str:
        """Make it, for the stage and the form of a page; its first item."""
        asked = {"kind": kind, "sampling": {"seed": 7}, **request}
        job = self.server.wait_job(self._post("/v1/jobs", asked)["id"])
        assert job["state"] == "succeeded", job
        item = job["results"][0]["id"]
        self.queries[page] = f"?job={job['id']}&use={item}"
        return item

    def _upload(self, name: str) -> str:
        return self.server.post("/v1/media", files={"file": (name, (SAMPLES / name).read_bytes())}).json()["id"]

    def _keep(self, item: str, *tags: str, starred: bool = False) -> None:
        self._post("/v1/library/change", {"ids": [item], "add_tags": tags, "starred": starred})

    def _post(self, path: str, said: dict[str, Any]) -> dict[str, Any]:
        answer = self.server.post(path, json=said)
        assert answer.is_success, answer.text
        return answer.json()


class Camera:
    """Opens pages on a device and takes pictures of them.

    Args:
        device: one of `DEVICES`.
    """

    def __init__(self, browser: Browser, url: str, device: str) -> None:
        kept: Any = {"origin": url, "localStorage": [{"name": "orrery.voter", "value": VOTER}]}
        # No clip begins by itself: the next run shows the same frames.
        self.context = browser.new_context(
            **DEVICES[device], reduced_motion="reduce", storage_state={"cookies": [], "origins": [kept]}
        )
        self.context.set_default_timeout(1000 * LIMIT_S)
        self.url = url
        self.device = device

    @contextmanager
    def page(self) -> Iterator[StudioPage]:
        """An open page; what it complained of is printed."""
        opened = StudioPage(self.context, self.url)
        yield opened
        for complaint in opened.close():
            sys.stdout.write(f"{opened.page.url}{self.device}: {complaint}\n")

    def take(self, opened: StudioPage, name: str) -> None:
        """Both pictures of what a page shows."""
        opened.page.evaluate("() => scrollTo(0, 0)")
        for theme in ("light", "dark"):
            turn(opened.page, theme)
            opened.page.wait_for_timeout(1000 * SETTLED_S)
            picture = Image.open(io.BytesIO(opened.page.screenshot())).convert("RGB")
            reduced = picture.quantize(NUM_COLOURS, dither=Image.Dither.NONE)
            reduced.save(SCREENS / f"{name}{self.device}_{theme}.png", optimize=True)


def turn(page: Page, theme: Literal["light", "dark"]) -> None:
    """By the button; the login has none, and asks the system as it is opened."""
    page.emulate_media(color_scheme=theme)
    button = page.locator("[data-do=theme]")
    if not button.count():
        page.reload()
    elif page.evaluate("() => document.body.classList.contains('dark')") != (theme == "dark"):
        button.click()
        button.blur()
        page.mouse.move(0, 0)


def take(camera: Camera, name: str, query: str) -> None:
    """Open a page, wait until what it shows is there, and take it."""
    with camera.page() as opened:
        if name in PATHS:
            opened.visit(name, query).wait_state("succeeded")
            opened.page.wait_for_function("() => !location.search.includes('use=')")
        elif name == "refine":
            opened.page.goto(f"{camera.url}/refine{query}")
            expect(opened.page.locator("o-refine")).to_have_attribute("data-state", "succeeded", timeout=1000 * LIMIT_S)
        else:
            visit(opened, name, query)
        if name == "ask":
            ask(opened.page)
        opened.page.wait_for_load_state("networkidle")
        camera.take(opened, name)


def ask(page: Page) -> None:
    """A question, whose answer is stopped after a few words."""
    page.get_by_label("Question").fill("What is on the table?")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('.o-turn[data-role=assistant]')?.textContent.length > 80")
    stop = page.get_by_role("button", name="Stop", exact=True)
    if stop.is_visible():
        stop.click()
    page.get_by_role("button", name="Ask", exact=True).wait_for()


def take_login(camera: Camera) -> None:
    """What stands before the others where a server has a token; then they are open to this camera."""
    with camera.page() as opened:
        opened.page.goto(f"{camera.url}/login")
        camera.take(opened, "login")
        opened.page.get_by_label("Token").fill(TOKEN)
        opened.page.keyboard.press("Enter")
        opened.wait_usable()


def take_robot(camera: Camera) -> None:
    """An arm that goes for the red cube."""
    with camera.page() as opened:
        page = RobotPage(opened).visit()
        expect(page.standing).to_contain_text(re.compile("NOT TESTED|READY"), timeout=1000 * LIMIT_S)
        page.take_control()
        if "NOT TESTED" in page.standing.inner_text():
            page.button("self_test").click()
            expect(page.standing).to_contain_text("READY", timeout=1000 * LIMIT_S)
        page.prompt.fill(PICK)
        page.button("start").click()
        expect(page.standing).to_contain_text("MOVING", timeout=1000 * LIMIT_S)
        opened.page.wait_for_timeout(2000 * SETTLED_S)
        camera.take(opened, "robot")
        page.button("finish").click()
        expect(page.standing).to_contain_text("READY", timeout=1000 * LIMIT_S)


def main() -> None:
    """Take them all, or those that are named."""
    began = time.perf_counter()
    wanted = set(sys.argv[1:]) or PAGES
    if wanted - PAGES:
        sys.exit(f"No such page: {', '.join(wanted - PAGES)}. There are {', '.join(sorted(PAGES))}.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, refining_endpoint() as endpoint:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        data = Path(folder) / "data"
        if wanted - BEHIND_A_TOKEN:
            with running(data, **endpoint.settings()) as server:
                server.wait_ready()
                content = Content(server, endpoint)
                content.make()
                cameras = [Camera(browser, server.url, device) for device in DEVICES]
                for name in sorted(content.queries.keys() & wanted):
                    for camera in cameras:
                        take(camera, name, content.queries[name])
                if "queue" in wanted:
                    with content.queue():
                        for camera in cameras:
                            take(camera, "queue", "")
        if wanted & BEHIND_A_TOKEN:
            with running(data, ORRERY_TOKEN=TOKEN, ORRERY_ROBOT="simulated") as server:
                server.wait_ready()
                for camera in [Camera(browser, server.url, device) for device in DEVICES]:
                    take_login(camera)
                    take_robot(camera)
        browser.close()
    sizes = [path.stat().st_size for path in SCREENS.glob("*.png")]
    took_s = time.perf_counter() - began
    sys.stdout.write(f"{len(sizes)} pictures, {sum(sizes) / 1e6:.1f} MB, took {took_s:.0f} s\n")


if __name__ == "__main__":
    main()
