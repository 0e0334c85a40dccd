"""What the leader tells, to whom, and when; without any other process."""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
import torch

from engine.parallel import Layout, Leader
from engine.parallel.orders import Begin, Decode, Drop, ForgetPrompts, Measure, Move, Order, UseAdapter, receive
from engine.parallel.table import num_decoding_ranks
from engine.sampling import next_steps, prepare
from studio.errors import EngineLost


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    """As an engine calls its leader: buffers that it has kept from other tests can be written in no other way."""
    with torch.inference_mode():
        yield


class FakeGroup:
    """Of four; whoever collects gets its own output as everybody's."""

    rank = 0
    num_ranks = 4
    device = torch.device("cpu")

    def __init__(self) -> None:
        self.was_lost = False

    def lost(self) -> None:
        self.was_lost = True

    def ring(self, size: int) -> Any:
        return SimpleNamespace(
            size=size, place=0, collect=lambda own: torch.stack([own] * size), least=lambda own, _: own - size
        )


@pytest.fixture
def ends() -> Iterator[list[tuple[Connection, Connection]]]:
    pipes = [Pipe() for _ in range(3)]
    yield pipes
    for ours, theirs in pipes:
        ours.close()
        theirs.close()


def lead(engine: Any, leader: Leader, request: Any) -> Any:
    """As `Engine.start` begins what a leader leads."""
    plan = engine.begin(request).plan
    return leader.begin(plan, lambda: prepare(engine.model, engine.prefixes, plan))


def told(end: Connection) -> list[Order]:
    orders: list[Order] = []
    while end.poll():
        orders.append(receive(end))
    return orders


@pytest.fixture
def leader(engine, ends) -> Leader:
    # By sequences alone, over as many as there are branches: nothing is traded within the pass.
    return Leader(
        engine.model,
        engine.coder,
        FakeGroup(),
        [ours for ours, _ in ends],
        count=lambda plan: len(plan.branches),
        divide=lambda ranks, sequences: Layout(ranks, 1),
    )


def test_only_those_who_share_a_trajectory_hear_of_it(engine, leader, ends, ask):
    trajectory = lead(engine, leader, ask())
    leader.denoise([trajectory])
    begun, moved = told(ends[0][1])
    assert isinstance(begun, Begin)
    assert begun.plan.branches[1].tokens == trajectory.plan.branches[1].tokens
    assert moved == Move((begun.number,), (False,), Layout(2, 1))
    assert told(ends[1][1]) == told(ends[2][1]) == []
    assert trajectory.step == 1


def test_what_stays_on_one_rank_is_nobody_elses_business(engine, leader, ends, ask):
    trajectory = lead(engine, leader, ask(guidance_scale=1.0))
    leader.denoise([trajectory])
    assert [told(end) for _, end in ends] == [[], [], []]
    assert trajectory.step == 1


def test_shared_and_unshared_ones_may_be_moved_in_one_call(engine, leader, ask):
    shared, own = (lead(engine, leader, request) for request in (ask(), ask(guidance_scale=1.0)))
    leader.denoise([shared, own])
    assert (shared.step, own.step) == (1, 1)


def test_the_leader_decides_for_all_ranks_what_is_kept_and_a_kept_step_makes_no_pass(engine, leader, ends, ask):
    trajectory = lead(engine, leader, ask(num_inference_steps=20, step_cache=1))
    while not trajectory.num_kept:
        leader.denoise([trajectory])
    leader._spread = lambda *_, **__: pytest.fail("a pass was made")  # type: ignore[assignment]
    while next_steps([trajectory])[0].is_kept:
        leader.denoise([trajectory])
    _, *moves = told(ends[0][1])
    assert len(moves) == trajectory.step
    assert [move.kept for move in moves].count((True,)) == trajectory.num_kept > 1


def test_a_trajectory_that_nobody_holds_is_forgotten_before_the_next_order(engine, leader, ends, ask):
    trajectory = lead(engine, leader, ask())
    (begun,) = told(ends[0][1])
    del trajectory
    lead(engine, leader, ask())
    dropped, following = told(ends[0][1])
    assert dropped == Drop((begun.number,))
    assert following.number == begun.number + 1


def test_an_adapter_is_told_once_and_to_all(leader, ends, tmp_path):
    for _ in range(2):
        leader.use_adapter(tmp_path, 0.5, "that one")
    assert [told(end) for _, end in ends] == [[UseAdapter(tmp_path, 0.5)]] * 3


def test_a_step_that_breaks_off_leaves_a_group_that_is_not_whole(engine, leader, ask, monkeypatch):
    trajectory = lead(engine, leader, ask())
    monkeypatch.setattr(leader, "_spread", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        leader.denoise([trajectory])
    assert not leader.is_whole
    assert trajectory.step == 0


def test_a_rank_that_hangs_up_is_lost(engine, leader, ends, ask):
    ends[0][1].close()
    with pytest.raises(EngineLost):
        lead(engine, leader, ask())
    assert not leader.is_whole


def test_the_others_prepare_while_the_leader_does(engine, leader, ends, ask):
    plan = engine.begin(ask()).plan
    trajectory = prepare(engine.model, engine.prefixes, plan)

    def prepared() -> Any:
        assert isinstance(told(ends[0][1])[-1], Begin)
        return trajectory

    assert leader.begin(plan, prepared) is trajectory


def test_what_could_not_be_prepared_is_forgotten_before_the_next_order(engine, leader, ends, ask):
    def no_memory() -> NoReturn:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    with pytest.raises(torch.OutOfMemoryError):
        leader.begin(engine.begin(ask()).plan, no_memory)
    lead(engine, leader, ask())
    first, dropped, _ = told(ends[0][1])
    assert dropped == Drop((first.number,))
    assert leader.is_whole


def test_prompts_are_forgotten_by_all(leader, ends):
    leader.forget_prompts()
    assert [told(end) for _, end in ends] == [[ForgetPrompts()]] * 3


def test_a_clip_of_many_cells_is_divided_among_those_that_shared_its_steps():
    assert num_decoding_ranks((48, 48, 30, 52), 4) == 4
    assert num_decoding_ranks((48, 48, 12, 20), 2) == 2
    assert num_decoding_ranks((48, 48, 30, 52), 1) == 1


def test_a_policys_few_frames_and_strips_thinner_than_a_cell_are_not_divided():
    assert num_decoding_ranks((48, 9, 12, 20), 2) == 1
    assert num_decoding_ranks((48, 9999, 3, 3), 4) == 1


def test_those_who_decode_together_are_asked_what_memory_they_have_left(leader, ends):
    assert leader.least_free(2, 100) == 98
    assert [told(end) for _, end in ends] == [[Measure(2)], [], []]
    assert leader.is_whole


def test_a_question_that_breaks_off_leaves_a_group_that_is_not_whole(leader, monkeypatch):
    monkeypatch.setattr(leader._group, "ring", lambda _: SimpleNamespace(least=lambda *_: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        leader.least_free(2, 100)
    assert not leader.is_whole


def test_a_piece_is_told_when_it_is_asked_for(leader, ends):
    latents = torch.randn((48, 3, 4, 6), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        pieces = leader.decode(latents, 2)
        assert told(ends[0][1]) == []
        assert next(pieces).shape == (3, 1, 64, 96)
    (order,) = told(ends[0][1])
    assert isinstance(order, Decode)
    assert torch.equal(order.latents, latents[:, :1])
    assert order.latents.untyped_storage().nbytes() == 48 * 4 * 6 * 4
    assert told(ends[1][1]) == []


@pytest.mark.parametrize("num_pieces", [1, 2])
def test_a_clip_at_its_end_or_given_up_is_forgotten_before_the_next_order(leader, ends, num_pieces):
    latents = torch.randn((48, 2, 4, 6), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        pieces = leader.decode(latents, 2)
        for _ in range(num_pieces):
            next(pieces)
        pieces.close()
        begun = told(ends[0][1])[0]
        next(leader.decode(latents, 2))
    dropped, following = told(ends[0][1])
    assert dropped == Drop((begun.number,))
    assert following.number == begun.number + 1
    assert leader.is_whole


def test_a_piece_that_breaks_off_leaves_a_group_that_is_not_whole(leader, monkeypatch):
    monkeypatch.setattr(leader, "_decoder", SimpleNamespace(memory=list, decode=lambda *_: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        next(leader.decode(torch.zeros(48, 2, 4, 6), 2))
    assert not leader.is_whole
