"""The image page as a person uses it."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, WebSocketRoute, expect

from frontend import element_ids

IMAGE = "image"
JOB_MS = 60_000


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

    def visit(self) -> StudioPage:
        """Open the page and wait until it can be used."""
        self.page.goto(self.url)
        return self.wait_usable()

    def reload(self) -> StudioPage:
        self.page.reload()
        return self.wait_usable()

    def wait_usable(self) -> StudioPage:
        expect(self.button).to_be_enabled(timeout=15_000)
        expect(self.page.locator("o-header")).to_have_attribute("data-state", "open")
        self.page.wait_for_function("() => window.orrery?.form?.values")
        return self

    def close(self) -> list[str]:
        """What went wrong while it was open."""
        self.page.close()
        return [line for line in self.complaints if not any(part in line for part in self.allowed)]

    # What is on it

    def part(self, elem_id: str) -> Locator:
        return self.page.locator(f"#{elem_id}")

    def field(self, path: str) -> Locator:
        return self.part(element_ids.field(IMAGE, path))

    @property
    def button(self) -> Locator:
        return self.part(element_ids.generate(IMAGE))

    @property
    def prompt(self) -> Locator:
        return self.field("prompt").locator("textarea")

    @property
    def seed(self) -> Locator:
        return self.field("sampling.seed").locator("input")

    @property
    def lock(self) -> Locator:
        return self.part(element_ids.seed_tools(IMAGE)).get_by_role("button", name="lock")

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
        before = self.newest()
        self.prompt.fill(prompt)
        self.button.click()
        self.page.wait_for_function(
            "before => (document.querySelector('o-strip button')?.dataset.job ?? before) !== before", arg=before
        )
        return self.newest()

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
        """Wait until the job on the stage is in a state."""
        expect(self.stage).to_have_attribute("data-state", state, timeout=JOB_MS)
        if job is not None:
            expect(self.stage).to_have_attribute("data-job", job)

    def wait_step(self, step: int = 1) -> None:
        """Wait until so many previews have been drawn."""
        self.page.wait_for_function(
            "step => Number(document.querySelector('o-stage').dataset.frames) >= step", arg=step, timeout=JOB_MS
        )

    def wait_picture(self) -> None:
        """Wait until the stage shows pixels that were fetched and decoded."""
        self.wait_state("succeeded")
        self.page.wait_for_function(
            "() => { const image = document.querySelector('o-stage .o-frame img');"
            " return !image.hidden && image.complete && image.naturalWidth > 0 }"
        )

    def values(self) -> dict[str, Any]:
        """The form as the page would send it."""
        return self.page.evaluate("() => window.orrery.form.values")

    def drop(self, name: str, content: bytes, mime: str = "image/png") -> None:
        """Drop a file on the page."""
        self.page.evaluate(
            """([name, bytes, mime]) => {
                const files = new DataTransfer();
                files.items.add(new File([new Uint8Array(bytes)], name, { type: mime }));
                for (const type of ["dragenter", "dragover", "drop"])
                    document.body.dispatchEvent(
                        new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
            }""",
            [name, list(content), mime],
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
        if message.type == "error":
            self.complaints.append(f"console: {message.text} {json.dumps(message.location)}")
