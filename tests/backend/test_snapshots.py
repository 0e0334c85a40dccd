"""What pages begin with: one drawing for all who ask at once, another after a change."""

import asyncio
import json

from backend.broadcast import Broadcast, Snapshots
from studio.events import CheckpointStatus, State, System

STATE = State(
    jobs={}, system=System(checkpoint=CheckpointStatus(id="speck", title="speck", state="ready"), version="0")
)


class Drawing:
    """Counts how often it is asked for a state, and can be held up in the middle."""

    def __init__(self) -> None:
        self.times = 0
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def __call__(self) -> State:
        self.times += 1
        await self.may_end.wait()
        return STATE


def test_who_asks_at_once_shares_one_drawing_with_its_number():
    async def trial() -> None:
        broadcast, drawing = Broadcast(), Drawing()
        snapshots = Snapshots(broadcast)
        broadcast.publish("system", {})
        answers = await asyncio.gather(*(snapshots.current(drawing) for _ in range(8)))
        assert drawing.times == 1
        assert {seq for seq, _ in answers} == {1}
        assert json.loads(answers[0][1])["seq"] == 1

    asyncio.run(trial())


def test_who_asks_after_a_change_or_a_new_beginning_gets_another_one():
    async def trial() -> None:
        broadcast, drawing = Broadcast(), Drawing()
        snapshots = Snapshots(broadcast)
        await snapshots.current(drawing)
        broadcast.publish("jobs", {}, "a")
        assert (await snapshots.current(drawing))[0] == 1
        broadcast.start_over()
        assert (await snapshots.current(drawing))[0] == 2
        assert drawing.times == 3

    asyncio.run(trial())


def test_a_change_while_it_is_drawn_is_in_what_is_asked_for_after_it():
    async def trial() -> None:
        broadcast, drawing = Broadcast(), Drawing()
        snapshots = Snapshots(broadcast)
        drawing.may_end.clear()
        early = asyncio.create_task(snapshots.current(drawing))
        await asyncio.sleep(0)
        broadcast.publish("jobs", {}, "a")
        late = asyncio.create_task(snapshots.current(drawing))
        await asyncio.sleep(0)
        drawing.may_end.set()
        assert ((await early)[0], (await late)[0]) == (0, 1)

    asyncio.run(trial())
