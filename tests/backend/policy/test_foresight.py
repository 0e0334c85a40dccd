"""Clips on their way to a robot: what is in them, and what is dropped."""

import asyncio
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.messages import Acted, Foreseen
from backend.policy import PolicyService, PolicySession
from backend.policy.foresight import FORESEEN_PATH, ForesightChannel
from policy_fakes import ROWS, FakeDispatcher, ask, run
from studio.rules.view_layout import Rectangle, View, ViewLayout
from studio.wire.arrays import unpack_message
from studio.wire.foreseen_clip import pack_clip

VIDEO = np.zeros((33, 16, 16, 3), np.uint8)


def first_frame(message: dict[str, Any]) -> NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(message["frames"][0])))


def test_frames_that_lack_the_canvas_s_last_rows_say_so():
    message = unpack_message(pack_clip("3-7", np.full((2, 528, 640, 3), 200, np.uint8), None))

    assert message["label"] == "3-7"
    assert len(message["frames"]) == 2
    assert message["views"] == [[0, 0, 640, 360], [0, 360, 320, 168], [320, 360, 320, 168]]
    assert first_frame(message).shape == (540, 640, 3)
    assert first_frame(message)[:520].min() > 190
    assert first_frame(message)[530:].max() < 20


def test_half_as_large_frames_show_the_same_places():
    message = unpack_message(pack_clip("3-7", np.zeros((1, 264, 320, 3), np.uint8), None))

    assert message["views"] == [[0, 0, 640, 360], [0, 360, 320, 168], [320, 360, 320, 168]]


def test_a_layout_of_the_checkpoint_s_own_is_undone():
    exterior = Rectangle(left=10, top=400, width=100, height=100)
    layout = ViewLayout(
        canvas=(640, 540),
        size=(64, 64),
        views=(
            View(cut=exterior, shown=Rectangle(left=0, top=0, width=32, height=32)),
            View(
                cut=Rectangle(left=0, top=0, width=640, height=360),
                shown=Rectangle(left=0, top=32, width=64, height=32),
            ),
        ),
    )
    video = np.zeros((1, 64, 64, 3), np.uint8)
    video[:, :32, :32] = 250

    message = unpack_message(pack_clip("3-7", video, layout))

    assert message["views"][:2] == [[0, 0, 640, 360], [10, 400, 100, 100]]
    picture = first_frame(message)
    assert picture[410:490, 20:100].min() > 230
    assert picture[:350].max() < 30


def test_a_newer_clip_takes_the_place_of_one_that_was_not_sent():
    async def act() -> None:
        channel = ForesightChannel()
        channel.put(b"old")
        channel.put(b"new")
        assert await channel.get() == b"new"
        assert channel.path.startswith(FORESEEN_PATH)

    asyncio.run(act())


def test_frames_come_on_the_session_s_channel_behind_the_answer_while_somebody_listens():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        with PolicySession(service, "speck") as session:
            (channel,) = service.channels.values()
            await ask(session, foresee="1-5")
            assert not dispatcher.acts[-1].foresee

            channel.num_listeners = 1
            await ask(session, foresee="1-20")
            asked = dispatcher.acts[-1]
            assert asked.foresee
            dispatcher.tell(Foreseen(asked.act_id, VIDEO))
            assert unpack_message(await channel.get())["label"] == "1-20"

            await ask(session)
            assert not dispatcher.acts[-1].foresee
        assert not service.channels

    run(act)


def test_frames_of_an_answer_before_the_last_one_find_nobody():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        with PolicySession(service, "speck") as session:
            (channel,) = service.channels.values()
            channel.num_listeners = 1
            await ask(session, foresee="1-5")
            first = dispatcher.acts[-1].act_id
            await ask(session, foresee="1-20")
            assert first not in dispatcher.listeners
        assert not dispatcher.listeners

    run(act)


def test_frames_that_are_there_before_the_answer_was_taken_are_not_lost():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        with PolicySession(service, "speck") as session:
            (channel,) = service.channels.values()
            channel.num_listeners = 1
            dispatcher.answers = False
            asking = asyncio.create_task(ask(session, foresee="1-5"))
            await dispatcher.until(lambda: dispatcher.acts and dispatcher.acts[-1].foresee)
            act_id = dispatcher.acts[-1].act_id
            dispatcher.tell(Acted(act_id, ROWS, 0.2))
            dispatcher.tell(Foreseen(act_id, VIDEO))
            assert "action" in await asking
            assert unpack_message(await channel.get())["label"] == "1-5"

    run(act)
