"""Four ranks on this machine's processors, started once: rank 0 is the test's own process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch.distributed as dist

from backend.worker.loading import RankProcesses
from engine import Engine
from engine.parallel import Layout, Leader

NUM_RANKS = 4


@pytest.fixture(scope="session")
def ranks(speck: Path) -> Iterator[RankProcesses]:
    lost: list[None] = []
    processes = RankProcesses(NUM_RANKS, speck, "cpu", lambda: lost.append(None))
    yield processes
    processes.close()
    dist.destroy_process_group()
    assert not lost


Lead = Callable[..., Leader]


@pytest.fixture
def lead(engine: Engine, ranks: RankProcesses) -> Iterator[Lead]:
    """Let the engine lead as many ranks as a layout has, divided as it says, whatever the request."""

    def lead(layout: Layout) -> Leader:
        engine.leader = Leader(
            engine.model,
            engine.coder,
            ranks.group,
            ranks.pipes,
            count=lambda plan: layout.num_ranks,
            divide=lambda num_ranks, num_sequences: layout if num_sequences % layout.groups == 0 else ALL[num_ranks],
            count_decoding=lambda shape, sharing: sharing,
        )
        return engine.leader

    yield lead
    engine.leader = None


ALL = {size: Layout(1, size) for size in (2, 4)}
"""Where the sequences of a step do not divide by the groups."""
