"""Every page of the studio as a picture, light and dark, desktop and phone: `make studio-screens` writes docs/screens,
and the clips that are on them to docs/clips.

A server of its own makes what is on them, with the checkpoint that ships and from its examples; its reasoner is critic
and rewriter too. Page names after the command take those pages alone:
`PYTHONPATH=.:tests python tests/studio_screens.py video robot`.
"""

import io
import re
import subprocess
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
from pocket.benchmarks import write_benchmarks
from running import RunningServer, running, wait_for
from studio.presets import load_presets
from tuning_server import put_file

ROOT = Path(__file__).parent.parent
SCREENS, MADE, SAMPLES = ROOT / "docs" / "screens", ROOT / "docs" / "clips", ROOT / "frontend" / "static"
DEVICES: dict[str, dict[str, Any]] = {
    "": {"viewport": {"width": 1400, "height": 900}},
    "_phone": {**PHONE, "device_scale_factor": 1},
}
"""By what the names of their pictures have before the theme."""

BEHIND_A_TOKEN = {"login", "robot"}
TABS = {"hue": "evaluate"}
"""Tabs that have pictures of their own, by name: the page that they are on."""

PAGES = {*PATHS, *READY, *TABS, "refine", *BEHIND_A_TOKEN}
LIMIT_S, TUNING_S, SETTLED_S = 180, 900, 0.7
NUM_COLOURS = 96
"""Of a picture: text stays sharp, noise gets a little coarser, and all of them take less than 6 MB."""

TOKEN, VOTER = "secret", "ada"

CHECKPOINT = "pocket"
PRESET = load_presets()[CHECKPOINT]
PICTURES, CLIPS, POLICY = "generate_image", "generate_video", "run_policy"
PICK = "pick up the red cube"
FACTS = {"Is there an arm?": "semantic_alignment", "Do all objects keep their shape?": "physical_laws"}
LONG = {"kind": CLIPS, "sampling": {"num_inference_steps": 200, "seed": 3}}


class Content:
    """What a server is filled with; `queries` are what the pages' addresses end with."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        self.queries = {"library": "", "checkpoints": "", "arena": ""}

    def make(self) -> None:
        """All of it."""
        self._compare()
        self._refine()
        self._keep(self._job("image", PICTURES, "Balls and a cube"), "cubes")
        self._job("image", PICTURES, "Left, middle, right")
        self._keep(self._job("image", PICTURES, "Red cube", count=2), "cubes", starred=True)
        dropped = self._job("sound", CLIPS, "Drop it, with sound")
        lifted = self._job("video", CLIPS, "From an image")
        self._keep(lifted, "lifts", starred=True)
        self._job("transfer", "transfer_video", "Edges, other colours")
        self._job("world", "predict_video", "What the arm will see")
        self._job("inverse", "predict_actions", "What the arm did")
        self._job("policy", POLICY, "The red cube")
        self._fail_and_cancel()
        table = self._upload("tabletop.png")
        self._keep(table, "cubes")
        self.queries["ask"] = f"?from={table}"
        self._evaluate()
        self._rate(lifted, dropped)
        self._tune(lifted, dropped)

    @contextmanager
    def queue(self) -> Iterator[None]:
        """A long job that runs, and a batch behind it."""
        prompts = [_values(CLIPS, title)["prompt"] for title in ("Pick it up", "Drop it, with sound")]
        name = self._post("/v1/jobs", {**LONG, "prompt": prompts[0]})["id"]
        axes = {"sampling.seed": [1, 2, 3], "sampling.guidance_scale": [2, 4]}
        self._post("/v1/batches", {"request": {"kind": CLIPS, "prompt": prompts[1]}, "axes": axes})
        self.server.wait_job(name, lambda job: job["progress"]["step"] > 1)
        yield
        self.server.delete("/v1/queue").raise_for_status()
        self.server.delete(f"/v1/jobs/{name}").raise_for_status()
        self.server.wait_job(name)

    def _compare(self) -> None:
        """Two prompts in three ways, and a vote."""
        asked = {
            "title": "How much guidance?",
            "request": {"kind": CLIPS, "sound": True, "sampling": {"seed": 7}},
            "axes": {"sampling.guidance_scale": [1, 3, 5]},
            "subjects": [
                {"request": {"prompt": _values(CLIPS, title)["prompt"]}}
                for title in ("Pick it up", "Drop it, with sound")
            ],
        }
        self._grow("compare", "/v1/comparisons", asked, lambda grid: grid["num_done"] == grid["num_cells"])
        pair = self.server.get("/v1/arena/pairs/next", params={"voter": VOTER}).json()["pair"]
        choices = {"physics": "tie", "overall": "left"}
        vote = {"pair": pair["id"], "left": pair["left"]["id"], "voter": VOTER, "choices": choices}
        self._post("/v1/arena/votes", vote)

    def _refine(self) -> None:
        """Two chains of a picture and its rewrite."""
        generate = {
            "kind": PICTURES,
            "prompt": _values(PICTURES, "Balls and a cube")["prompt"],
            "sampling": {"seed": 7},
        }
        asked = {"generate": generate, "num_candidates": 2, "max_rewrites": 1}
        self._grow("refine", "/v1/refinements", asked, lambda tree: tree["state"] == "succeeded")

    def _evaluate(self) -> None:
        """Short questions about five held-out scenes, by the most likely token and by drawing."""
        runs = []
        with tempfile.TemporaryDirectory() as folder:
            write_benchmarks(Path(folder), 5)
            for temperature in ("0", "1"):
                flags = ["--temperature", temperature, "--server", self.server.url]
                command = [sys.executable, "-c", "from cli import main; main()", "evaluate", f"{folder}/pocket-answers"]
                printed = subprocess.run([*command, *flags], check=True, capture_output=True, text=True).stdout
                runs.append(printed.split("?run=")[1].split()[0])
        self.queries["evaluate"] = f"?run={','.join(runs)}"

    def _rate(self, *videos: str) -> None:
        """A study with two questions about each video; one person has answered all but the last."""
        study = self._post("/v1/hue", {"videos": [{"media": video} for video in videos]})
        path = f"/v1/hue/{study['id']}"
        left = len(videos) * len(FACTS)
        for prompt, video in zip(study["prompts"], videos, strict=True):
            for text, dimension in FACTS.items():
                left -= 1
                asked = {"prompt": prompt["id"], "text": text, "dimension": dimension, "author": VOTER}
                question = self._post(f"{path}/questions", asked)["id"]
                said = {"video": video, "question": question, "said": "yes", "rater": VOTER}
                if left:
                    self._post(f"{path}/ratings", said)
        self.queries["hue"] = f"?study={study['id']}#hue"

    def _tune(self, *videos: str) -> None:
        """Eight steps on what was made here, with two saves."""
        for name in videos:
            prompt = self.server.get(f"/v1/library/{name}").json()["prompt"]
            put_file(self.server, "lifts", f"videos/{name}.mp4", self.server.get(f"/v1/media/{name}").content)
            put_file(self.server, "lifts", f"videos/{name}.txt", prompt.encode())
        recipe = {"task": "generator", "name": "lifts", "checkpoint": CHECKPOINT, "data": "lifts", "num_frames": 17}
        steps = {"optimisation": {"steps": 8, "save_every": 4}, "min_window_frames": 17}
        name = self._post("/v1/tunings", {"recipe": recipe | steps})["id"]
        wait_for(lambda: self.server.get(f"/v1/tunings/{name}").json()["state"] == "succeeded", TUNING_S)
        self.queries["tune"] = f"?tuning={name}"
        wait_for(self._is_idle, TUNING_S)  # the saves' comparisons

    def _is_idle(self) -> bool:
        queue = self.server.get("/v1/queue").json()
        return queue["num_queued"] == queue["num_running"] == 0

    def _fail_and_cancel(self) -> None:
        """A long one, and one whose picture goes while it waits behind it."""
        prompt = _values(CLIPS, "Pick it up")["prompt"]
        long = self._post("/v1/jobs", {**LONG, "prompt": prompt})["id"]
        gone = self._upload("tabletop.png")
        failing = self._post("/v1/jobs", {"kind": CLIPS, "prompt": prompt, "start_image": gone})["id"]
        for path in (self.server.data / "media").glob(f"*/{gone}.*"):
            path.unlink()
        self.server.delete(f"/v1/jobs/{long}").raise_for_status()
        assert self.server.wait_job(long)["state"] == "cancelled"
        assert self.server.wait_job(failing)["state"] == "failed"

    def _grow(self, page: str, path: str, asked: dict[str, Any], ended: Callable[[dict[str, Any]], bool]) -> None:
        name = self._post(path, asked)["id"]
        wait_for(lambda: ended(self.server.get(f"{path}/{name}").json()), LIMIT_S)
        self.queries[page] = f"?id={name}"

    def _job(self, page: str, kind: str, title: str, **more: Any) -> str:
        """Make what an example asks for, for the stage and the form of a page; its first item."""
        asked = {"kind": kind, "sampling": {"seed": 7}, **_values(kind, title), **more}
        if sample := asked.pop("sample", None):
            ending = ".mp4" if sample == "source_video" else ".png"
            asked[sample] = self._upload(asked.pop("sample_name") + ending)
        job = self.server.wait_job(self._post("/v1/jobs", asked)["id"])
        assert job["state"] == "succeeded", job
        item = job["results"][0]["id"]
        if job["results"][0]["type"] == "video":
            (MADE / f"{page}.mp4").write_bytes(self.server.get(f"/v1/media/{item}").content)
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


def _values(kind: str, title: str) -> dict[str, Any]:
    """What an example of the preset fills in."""
    [example] = [example for example in PRESET.examples[kind] if example.title == title]
    return dict(example.values)


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
    page.wait_for_timeout(1000 * SETTLED_S)  # it hears of it a little later
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
            visit(opened, TABS.get(name, name), query)
        if name == "ask":
            ask(opened.page)
        opened.page.wait_for_load_state("networkidle")
        camera.take(opened, name)


def ask(page: Page) -> None:
    """Two questions about the table."""
    for number, question in enumerate(("What shape is the green object?", "What colour is the bowl?"), 1):
        page.get_by_label("Question").fill(question)
        page.keyboard.press("Enter")
        expect(page.locator(".o-turns > li")).to_have_count(2 * number)
        expect(page.locator("o-ask-chat")).not_to_have_attribute("data-busy", "true", timeout=1000 * LIMIT_S)


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
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        data = Path(folder) / "data"
        if wanted - BEHIND_A_TOKEN:
            with running(data, ORRERY_CHECKPOINT=CHECKPOINT) as server:
                server.wait_ready()
                content = Content(server)
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
            with running(data, ORRERY_CHECKPOINT=CHECKPOINT, ORRERY_TOKEN=TOKEN, ORRERY_ROBOT="simulated") as server:
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
