"""Which requests several ranks share: the one place that knows, and from which measurement.

Nano's shape with random weights in bf16 on two H200s (21 November 2026, torch 2.11.0+cu130, NCCL 2.28.9), milliseconds
of a guided step. By branches and by tokens alike the latents were to the bit those of one GPU:

                    one    by branches    by tokens
    T2V 480p      1,551        780           845
    T2V 256p        150         77            85
    policy          157         81            91

Four and more are not measured here, nor are pictures on more than one; those rows follow what the peers publish
(NVIDIA/cosmos, inference_benchmarks.md, vLLM-Omni, seconds end to end):

    T2I 256p   1.57, on four 2.38, on eight 3.16: a picture loses
    T2V 480p   58.1, on four 19.8
    T2V 720p   208, on four 63.3

Decodes that ranks divide are not measured: where that begins to pay is reckoned, see `DIVIDED_CELLS`.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.planning import ActionSegment, Plan, is_denoised

POLICY_RANKS = 1

DIVIDED_CELLS = 8_000
"""Latent cells of a clip from which on its decode is divided. Reckoned, not measured on cards.

One H200 takes 33 µs a cell (52 ms a latent frame at 480p): a quarter of a second for so many. A piece has up to 3,600
cells for each rank, which take it 120 ms, and 29 exchanges; at 50 µs each, copies included, they are 1.5. So it should
pay well below this too, but there two ranks would save a tenth of a second. A policy's chunk of 33 frames has 2,000
cells, a clip of 189 frames 11,500 at 256p and 75,000 at 480p.
"""


def num_ranks(plan: Plan, available: int, policy_ranks: int = POLICY_RANKS) -> int:
    """How many ranks a plan is for.

    A picture stays on one. So do actions unless more are asked for: an arm waits for them, and a rank more is one that
    may keep it waiting. Every clip takes all of them.

    Args:
        policy_ranks: for plans that denoise actions.
    """
    if plan.is_picture:
        return 1
    if any(isinstance(segment, ActionSegment) and is_denoised(segment) for segment in plan.segments):
        return min(policy_ranks, available)
    return available


def num_decoding_ranks(shape: Sequence[int], sharing: int) -> int:
    """How many ranks divide the frames of latents (C, T, rows, columns) among them.

    Args:
        sharing: how many share the steps of its plan; all of them decode it, or one does.
    """
    _, length, rows, columns = shape
    pays = length * rows * columns >= DIVIDED_CELLS
    return sharing if pays and max(rows, columns) >= sharing else 1
