"""Who has the device that is trained on, and who waits for it."""

import asyncio
from types import SimpleNamespace
from typing import Any

from backend.tuning.device import TrainingDevice


def test_one_check_looks_at_a_time_and_the_next_says_what_it_waits_for():
    fleet: Any = SimpleNamespace(memory=SimpleNamespace(training_devices=lambda count: (("cuda:0",), True)))
    looking: list[str] = []
    most: list[int] = []
    waits: dict[str, list[str]] = {name: [] for name in ("one", "two", "three")}

    async def check(device: TrainingDevice, name: str) -> None:
        async with device.look(1, waits[name].append) as found:
            assert found.devices == ("cuda:0",)
            looking.append(name)
            most.append(len(looking))
            await asyncio.sleep(0.01)
            looking.remove(name)

    async def act() -> None:
        device = TrainingDevice(fleet)
        await asyncio.gather(*(check(device, name) for name in waits))

    asyncio.run(act())
    assert most == [1, 1, 1]
    assert waits == {"one": [""], "two": ["another check", ""], "three": ["another check", ""]}
