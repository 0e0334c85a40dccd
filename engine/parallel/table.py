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
"""

from __future__ import annotations

from engine.planning import ActionSegment, Plan, is_denoised

POLICY_RANKS = 1


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
