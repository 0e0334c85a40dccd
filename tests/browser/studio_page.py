"""A making page as a person uses it."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, WebSocketRoute, expect

from frontend import element_ids
from frontend.places import FORMS

IMAGE = "image"
PATHS = {place.name: place.path for place in FORMS}
JOB_MS = 120_000
OPEN_MS = 60_000

GRADIO_CODE = "/assets/"
GRADIO_CLOSES = "AbortError: signal is aborted without reason"
"""Gradio's client ends its stream when the server says that all is answered. If it happens to be reading just then, it
logs what that throws as an error, and loses nothing. What our own modules log is no less a complaint."""


class StudioPage:
    """One open page.

    Args:
        context: the profile it lives in.
        url: of the server.
        allowed: parts of console errors that the test expects.
    """

    def __init__(self, context: BrowserContext, url: str, allowed: tuple[str, ...] = ()) -> None:
        self.url = url
        self.allowed = allowed
        self.place = IMAGE
        self.asked: str | None = None
        self.complaints: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("request", lambda request: self._check_local(request.url))
        self.page.on("websocket", lambda socket: self._check_local(socket.url))
        self.page.on("console", self._listen)
        self.page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))

    def forget(self) -> None:
        """Clear what the profile kept of earlier pages: the draft and the theme."""
        self.page.goto(f"{self.url}/healthz")
        self.page.evaluate("() => localStorage.clear()")

    def visit(self, place: str = IMAGE, query: str = "") -> StudioPage:
        """Open the page of a place and wait until it can be used."""
        self.place = place
        self.asked = None
        self.page.goto(f"{self.url}{PATHS[place]}{query}")
        return self.wait_usable()

    def reload(self) -> StudioPage:
        self.asked = None
        self.page.reload()
        return self.wait_usable()

    def wait_usable(self) -> StudioPage:
        expect(self.button).to_be_enabled(timeout=OPEN_MS)
        expect(self.page.locator("o-header")).to_have_attribute("data-state", "open", timeout=OPEN_MS)
        self.page.wait_for_function("() => window.orrery?.form?.values", timeout=OPEN_MS)
        return self

    def close(self) -> list[str]:
        """What went wrong while it was open."""
        self.page.close()
        return [line for line in self.complaints if not any(part in line for part in self.allowed)]

    # What is on it

    def part(self, elem_id: str) -> Locator:
        return self.page.locator(f"#{elem_id}")

    def field(self, path: str) -> Locator:
        return self.part(element_ids.field(self.place, path))

    @property
    def button(self) -> Locator:
        return self.part(element_ids.generate(self.place))

    @property
    def prompt(self) -> Locator:
        return self.field("prompt").locator("textarea")

    @property
    def seed(self) -> Locator:
        return self.field("sampling.seed").locator("input")

    @property
    def lock(self) -> Locator:
        return self.part(element_ids.seed_tools(self.place)).locator("[data-seed]")

    @property
    def steps(self) -> Locator:
        return self.field("sampling.num_inference_steps").locator("input[type=number]")

    @property
    def stage(self) -> Locator:
        return self.page.locator("o-stage")

    @property
    def card(self) -> Locator:
        return self.page.locator("o-progress")

    @property
    def strip(self) -> Locator:
        return self.page.locator("o-strip")

    def choice(self, path: str, name: str) -> Locator:
        return self.field(path).get_by_role("radio", name=name, exact=True)

    # What is done with it

    def generate(self, prompt: str = "a red cube on a table") -> str:
        """Write a prompt, press the button, and return the new job's id once the stage shows it."""
        self.prompt.fill(prompt)
        return self.submit()

    def newest(self) -> str:
        """The id of the first job of the strip, or nothing."""
        return self.page.evaluate("() => document.querySelector('o-strip button')?.dataset.job ?? ''")

    def generate_slowly(self, prompt: str = "a slow one") -> str:
        """A job long enough to do something meanwhile: 200 steps at 720p."""
        self.choice("resolution", "720p").click()
        self.steps.fill("200")
        self.steps.blur()
        return self.generate(prompt)

    def wait_state(self, state: str, job: str | None = None) -> None:
        """Wait until the job on the stage, the one that was asked for last unless another is named, is in a state."""
        if job := job or self.asked:
            expect(self.stage).to_have_attribute("data-job", job, timeout=JOB_MS)
        expect(self.stage).to_have_attribute("data-state", state, timeout=JOB_MS)

    def wait_step(self, step: int = 1) -> None:
        """Wait until so many previews have been drawn."""
        self.page.wait_for_function(
            "step => Number(document.querySelector('o-stage').dataset.frames) >= step", arg=step, timeout=JOB_MS
        )

    def wait_clip(self) -> None:
        """Wait until the stage plays frames that were fetched and decoded."""
        self.wait_state("succeeded")
        self.page.wait_for_function(
            "() => { const clip = document.querySelector('o-stage video'); return clip?.readyState >= 2 }",
            timeout=JOB_MS,
        )

    def example(self, title: str) -> None:
        """Fill an example in, and wait until what it needs is there."""
        self.page.get_by_role("button", name=title, exact=True).click()
        expect(self.prompt).not_to_have_value("")

    def submit(self) -> str:
        """Press the button, and return the new job's id once the strip has it and the form has its answer."""
        before = self.newest()
        self.button.click()
        self.page.wait_for_function(
            "before => (document.querySelector('o-strip button')?.dataset.job ?? before) !== before",
            arg=before,
            timeout=JOB_MS,
        )
        job = self.newest()
        # The socket is often quicker than the form's own answer, which still writes the seed and leaves a picked job.
        self.page.wait_for_function(
            "job => document.querySelector('o-errors').dataset.job === job", arg=job, timeout=JOB_MS
        )
        self.asked = job
        return job

    def wait_picture(self) -> None:
        """Wait until the stage shows pixels that were fetched and decoded."""
        self.wait_state("succeeded")
        self.page.wait_for_function(
            "() => { const image = document.querySelector('o-stage .o-frame img');"
            " return image?.complete && image.naturalWidth > 0 }"
        )

    def wait_value(self, name: str, value: Any) -> None:
        """Wait until the form, as the page would send it, says so; its fields show it a little earlier."""
        self.page.wait_for_function("([name, value]) => orrery.form.values[name] === value", arg=[name, value])

    def values(self) -> dict[str, Any]:
        """The form as the page would send it."""
        return self.page.evaluate("() => window.orrery.form.values")

    def drop(self, name: str, content: bytes, mime: str = "image/png", on: str = "body") -> None:
        """Drop a file on the page, or on the element of a selector."""
        self.page.evaluate(
            """([name, bytes, mime, on]) => {
                const node = document.querySelector(on), box = node.getBoundingClientRect();
                const at = on === "body" ? {} : { clientX: box.left + box.width / 2, clientY: box.top + 20 };
                const files = new DataTransfer();
                files.items.add(new File([new Uint8Array(bytes)], name, { type: mime }));
                for (const type of ["dragenter", "dragover", "drop"])
                    node.dispatchEvent(
                        new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true, ...at }));
            }""",
            [name, list(content), mime, on],
        )

    def forget_jobs(self) -> None:
        """Let the page believe that nothing was ever made: its snapshot loses its jobs on the way."""

        def relay(page_side: WebSocketRoute) -> None:
            def empty(message: str | bytes) -> None:
                told = json.loads(message)
                if told["type"] == "snapshot":
                    told["state"]["jobs"] = {}
                page_side.send(json.dumps(told))

            page_side.connect_to_server().on_message(empty)

        self.page.route_web_socket("**/v1/events", relay)

    def _check_local(self, url: str) -> None:
        if not url.partition("://")[2].startswith(self.url.partition("://")[2]) and not url.startswith(
            ("data:", "blob:")
        ):
            self.complaints.append(f"asked outside: {url}")

    def _listen(self, message: ConsoleMessage) -> None:
        closes = message.text.startswith(GRADIO_CLOSES) and GRADIO_CODE in message.location["url"]
        if message.type == "error" and not closes:
            self.complaints.append(f"console: {message.text} {json.dumps(message.location)}")
