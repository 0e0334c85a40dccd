"""Several arms at one policy: who has it, and when the device is let go."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from backend.policy.lease import PolicyLease
from studio.errors import Busy


def with_lease(act: Callable[[PolicyLease, list[bool]], Coroutine[Any, Any, None]], **options: Any) -> None:
    async def inside() -> None:
        held: list[bool] = []
        await act(PolicyLease(held.append, **options), held)

    asyncio.run(inside())


def test_as_many_arms_share_it_as_may_and_the_device_is_kept_until_the_last_has_left():
    async def act(lease: PolicyLease, held: list[bool]) -> None:
        lease.take("left")
        lease.take("right")
        with pytest.raises(Busy, match="2 other sessions are using the policy"):
            lease.take("third")
        lease.leave("left", returns=False)
        assert held == [True]
        lease.take("third")
        lease.leave("right", returns=False)
        lease.leave("third", returns=False)
        assert held == [True, False]

    with_lease(act, max_sessions=2)


def test_an_arm_that_asks_nothing_makes_room_and_the_other_keeps_the_device():
    async def act(lease: PolicyLease, held: list[bool]) -> None:
        lease.take("left")
        lease.take("right")
        lease.answered("left")
        await asyncio.sleep(0.3)
        lease.take("third")
        assert held == [True]

    with_lease(act, max_sessions=2, idle_s=0.02)


def test_the_device_is_kept_for_one_that_broke_off_while_another_leaves():
    async def act(lease: PolicyLease, held: list[bool]) -> None:
        lease.take("left")
        lease.take("right")
        lease.leave("left", returns=True)
        lease.leave("right", returns=False)
        assert held == [True]
        await asyncio.sleep(0.3)
        assert held == [True, False]

    with_lease(act, max_sessions=2, idle_s=0.02)
