"""One robot: its bridge while it is there, the pages that look at it, and the one of them that is in control.

What the bridge says is passed on as it came. Ticks and pictures are left out for a page that does not keep up;
sessions, chunks, events, findings and answers are not.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, cast

from backend.robots.hello import Hello
from backend.robots.page import Outbox, Page
from studio.errors import BadInput, Busy, NotInControl, RobotAway, StudioError
from studio.jobs import Failure
from studio.wire import unpack_frame

MAX_OPEN = 64
"""Unanswered orders of one page: twelve seconds of heartbeats."""


class Inquiry:
    """An order of the server's own, for somebody who asked over HTTP: stands where a page stands, and takes one answer.

    Lives on the event loop's thread.
    """

    def __init__(self) -> None:
        self._answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def tell(self, message: dict[str, Any]) -> None:
        """The robot's answer."""
        error = message.get("error")
        self.answer(None, Failure.model_validate(error).error() if error else None, message.get("value"))

    def answer(self, number: object, error: StudioError | None, value: object = None) -> None:
        """An answer, or why there will be none."""
        if self._answered.done():
            return
        if error is not None:
            self._answered.set_exception(error)
        else:
            self._answered.set_result(value)

    async def value(self) -> Any:
        """What was answered. Raises StudioError, what the robot said or that it left."""
        return await self._answered


@dataclass(frozen=True)
class OpenOrder:
    """Who asked, and what they call it."""

    page: Page | Inquiry
    number: object
    command: object


class OpenOrders:
    """Of one robot."""

    def __init__(self) -> None:
        self._open: dict[int, OpenOrder] = {}
        self._next = 0

    def add(self, order: OpenOrder) -> int:
        """Our number for it.

        Raises:
            Busy: the page has too many open. Its first `stop` always passes.
        """
        own = [other.command for other in self._open.values() if other.page is order.page]
        if len(own) >= MAX_OPEN and (order.command != "stop" or "stop" in own):
            raise Busy(f"{len(own)} commands of this page are still unanswered.", hint="Wait for their answers.")
        self._next += 1
        self._open[self._next] = order
        return self._next

    def close(self, number: object) -> OpenOrder | None:
        """The order that an answer is for; none where nobody waits for it any more."""
        return self._open.pop(number, None) if isinstance(number, int) else None

    def close_all(self) -> list[OpenOrder]:
        """Those that nobody will answer."""
        orders = list(self._open.values())
        self._open.clear()
        return orders

    def forget(self, page: Page | Inquiry) -> None:
        """Whoever asked left."""
        self._open = {number: order for number, order in self._open.items() if order.page is not page}


MUST_ARRIVE = frozenset({"hello", "session", "chunk", "coming", "event", "check"})
SHOWN_FIRST = ("hello", "session", "summary")

ANSWER_S = 15.0
"""For what is asked over HTTP; a station may take 5 s to obey."""

MAX_TICKS_WAITING = 8
MAX_PICTURES_WAITING = 4
MAX_PREDICTED_WAITING = 100
"""A chunk brings up to 33 pictures at once."""

MAX_TOPICS = 16


class Robot:
    """Remembered while its bridge is away. Lives on the event loop's thread."""

    def __init__(self, hello: Hello) -> None:
        self.hello = hello
        self._bridge: Outbox | None = None
        self._pages: list[Page] = []
        self._holder: Page | None = None
        self._orders = OpenOrders()
        self._newest: dict[str, str] = {}
        self._findings: dict[str, str] = {}
        self._wanted: frozenset[str] = frozenset()

    @property
    def connected(self) -> bool:
        """Whether its bridge is there."""
        return self._bridge is not None

    @property
    def num_watchers(self) -> int:
        """Open pages, the one in control among them."""
        return len(self._pages)

    def describe(self) -> dict[str, Any]:
        """A row of `GET /v1/robots`."""
        return {
            **self.hello.model_dump(),
            "connected": self.connected,
            "session": _loaded(self._newest.get("session")),
            "summary": _loaded(self._newest.get("summary")),
            "watchers": self.num_watchers,
            "controlled": self._holder is not None,
        }

    def arrive(self, hello: Hello, message: dict[str, Any]) -> Outbox:
        """Its bridge has dialled in; the outbox is what is to be sent to it. Nobody else's is there."""
        assert self._bridge is None
        self.hello = hello
        self._bridge = Outbox()
        self._wanted = frozenset()
        self._newest = {"hello": json.dumps(message)}
        self._findings = {}
        for page in self._pages:
            page.tell({"type": "back"})
            page.outbox.put(self._newest["hello"])
        self._tell_wanted()
        return self._bridge

    def go(self) -> None:
        """Its bridge is gone."""
        self._bridge = None
        for order in self._orders.close_all():
            order.page.answer(order.number, self._away())
        for page in self._pages:
            page.tell({"type": "gone"})

    def hear(self, text: str, message: dict[str, Any]) -> None:
        """A text frame of its bridge, and the object that it holds."""
        kind = message.get("type")
        if kind == "answer":
            if order := self._orders.close(message.get("id")):
                order.page.tell({**message, "id": order.number})
            return
        if kind in SHOWN_FIRST:
            self._newest[cast(str, kind)] = text
        elif kind == "check":
            self._findings[str(message.get("name"))] = text
        for page in self._pages:
            if kind in MUST_ARRIVE:
                page.outbox.put(text)
            else:
                page.outbox.offer(text, MAX_TICKS_WAITING)

    def hear_picture(self, frame: bytes) -> None:
        """A binary frame of its bridge.

        Raises:
            BadInput: it has no topic.
        """
        family = _family(unpack_frame(frame)[0])
        limit = MAX_PREDICTED_WAITING if family == "predicted" else MAX_PICTURES_WAITING
        for page in self._pages:
            if family in page.wanted:
                page.outbox.offer(frame, limit)

    def enter(self) -> Page:
        """A page opened: it is told how things stand."""
        page = Page()
        self._pages.append(page)
        for text in [*filter(None, map(self._newest.get, SHOWN_FIRST)), *self._findings.values()]:
            page.outbox.put(text)
        if not self.connected:
            page.tell({"type": "gone"})
        self._tell_control()
        return page

    def leave(self, page: Page) -> None:
        """A page closed. One that was in control gives it back, and the arm stops a run."""
        self._pages.remove(page)
        self._orders.forget(page)
        self._let_go(page)
        self._tell_control()
        self._tell_wanted()

    async def inquire(self, message: dict[str, Any]) -> Any:
        """An order of the server's own, which needs no control: what the bridge answers.

        Raises:
            RobotAway: its bridge is not there, or leaves.
            Busy: it does not answer.
            StudioError: whatever it says.
        """
        if self._bridge is None:
            raise self._away()
        inquiry = Inquiry()
        self._send({**message, "id": self._orders.add(OpenOrder(inquiry, None, message["command"]))})
        try:
            async with asyncio.timeout(ANSWER_S):
                return await inquiry.value()
        except TimeoutError:
            raise Busy(f"The robot did not answer within {ANSWER_S:.0f} s.", hint="Try again.") from None
        finally:
            self._orders.forget(inquiry)

    def holds(self, page: Page) -> bool:
        """Whether a page is in control."""
        return self._holder is page

    def let_go_of_silent(self, page: Page) -> None:
        """A page in control fell silent: whoever is there may take it."""
        self._let_go(page)
        self._tell_control()

    def take(self, page: Page, message: dict[str, Any]) -> None:
        """A message of a page; whatever is refused is answered."""
        if isinstance(topics := message.get("want"), list):
            few = cast("list[object]", topics)[:MAX_TOPICS]
            page.wanted = frozenset(_family(topic) for topic in few if isinstance(topic, str))
            self._tell_wanted()
            return
        number = message.get("id")
        try:
            if "control" in message:
                self._change_control(page, message["control"])
                page.answer(number, None)
            else:
                self._pass_on(page, number, message)
        except StudioError as error:
            page.answer(number, error)

    def _change_control(self, page: Page, wish: object) -> None:
        match wish:
            case "take":
                if self._holder not in (None, page):
                    raise NotInControl(
                        "Another page is in control of this robot.", hint="Wait until it releases control."
                    )
                self._holder = page
            case "release":
                self._let_go(page)
            case _:
                raise BadInput("control must be take or release.", param="control")
        self._tell_control()

    def _let_go(self, page: Page) -> None:
        if self._holder is page:
            self._holder = None
            # Not left to the heartbeat's end: whoever takes control within that time would go on with a run unseen.
            self._send({"id": 0, "command": "release"})

    def _pass_on(self, page: Page, number: object, message: dict[str, Any]) -> None:
        command = message.get("command")
        if command != "stop" and self._holder is not page:
            raise NotInControl("This page is not in control of the robot.", hint="Take control first.")
        if self._bridge is None:
            raise self._away()
        if command == "self_test":
            self._findings = {}
        self._send({**message, "id": self._orders.add(OpenOrder(page, number, command))})

    def _send(self, message: dict[str, Any]) -> None:
        if self._bridge is not None:
            self._bridge.put(json.dumps(message))

    def _tell_wanted(self) -> None:
        wanted = frozenset[str]().union(*(page.wanted for page in self._pages))
        if wanted != self._wanted and self._bridge is not None:
            self._wanted = wanted
            self._send({"want": sorted(wanted)})

    def _tell_control(self) -> None:
        for page in self._pages:
            mine, held = page is self._holder, self._holder is not None
            page.tell({"type": "control", "mine": mine, "held": held, "watchers": self.num_watchers})

    def _away(self) -> RobotAway:
        return RobotAway(
            f"The robot {self.hello.name} is not connected.", hint="Its program reconnects by itself if it is running."
        )


def _family(topic: str) -> str:
    return topic.partition("/")[0]


def _loaded(text: str | None) -> dict[str, Any] | None:
    return {name: value for name, value in json.loads(text).items() if name != "type"} if text else None
