"""Which samples take their next step together."""

from __future__ import annotations

from collections.abc import Sequence

from backend.worker.running_job import Sample

TOKENS_PER_STEP = 4096
"""Above about this a step on a large GPU is bound by arithmetic: packing more requests into it gains nothing."""


def pick(samples: Sequence[Sample], token_budget: int = TOKENS_PER_STEP) -> list[Sample]:
    """The longest prefix that fits the budget and has one adapter, and at least one: no one is overtaken."""
    picked: list[Sample] = []
    tokens = 0
    for sample in samples:
        tokens += sample.trajectory.num_tokens
        if picked and (tokens > token_budget or sample.request.adapter != picked[0].request.adapter):
            break
        picked.append(sample)
    return picked
