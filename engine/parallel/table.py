"""Which requests several ranks share, and how many: the one place that knows, and from which measurement.

Nano's shape with random weights in bf16 on four H100 (26 November 2026, torch 2.11.0+cu130, NCCL 2.28.9, `orrery bench
--gpus 4`), milliseconds of a guided step. A layout is groups x shards: 2x1 is two ranks with a branch of the guidance
each, 1x2 two ranks that share the tokens of both, 2x2 both.

                   tokens    one    2x1    1x2    2x2    1x4          FP8: one    2x1    1x2    2x2    1x4
    T2I 256p           60    7.2    7.1     32     54     42               5.5    5.4     63     65     65
    T2I 480p          390   20.4   11.9     38     51     47              17.0   10.9     66     68     64
    T2I 720p          920   47.1   24.1     39     49     52              35.3   19.4     57     70     76
    T2V 256p        2,880    154     79     87     66     77               112     59     96     84     91
    policy          3,092    160     83     91     55     75               102     54     91     84     92
    T2V 480p       18,720  1,458    734    794    400    404             1,237    623    679    339      -
    T2V 720p       44,160  5,374      -      -  1,421      -                 -      -      -      -      -

By branches nothing is exchanged within a pass, and it stays a recording. By tokens it is hundreds of kernels that the
host starts one by one, 30 to 55 ms of them and 60 to 90 in FP8, whatever there is to compute. So branches come first
(`Layout.over`), and tokens are shared only where there are many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.planning import ActionSegment, Plan, is_denoised
from engine.towers import Precision

POLICY_RANKS = 1

BRANCH_TOKENS = 350
"""Of a branch, from which on its own rank pays: 60 gain nothing, 390 take 12 ms in place of 20."""

SHARD_TOKENS: dict[Precision, int] = {"exact": 2_000, "fp8": 4_500, "fp8-attention": 4_500}
"""Of a branch, from which on sharing its tokens pays: where a pass by branches takes as long as the host takes to start
one by tokens, 53 ms and 85, in proportion between the rows above. Attention in FP8 begins with longer ones."""

DIVIDED_CELLS = 8_000
"""Latent cells of a clip from which on its decode is divided.

Measured with the file written: 0.39 s on two for 0.49 on one at 11,500 cells (256p, 189 frames), 1.8 on two and 1.2 on
four for 2.9 at 75,000 (480p), 2.4 on four for 6.7 at 173,000 (720p). Fewer were not measured; a policy has 2,000.
"""


def num_ranks(
    plan: Plan,
    available: int,
    policy_ranks: int = POLICY_RANKS,
    *,
    on_gpu: bool = True,
    precision: Precision = "exact",
    together: bool = False,
) -> int:
    """How many ranks a plan is for.

    Actions stay on one unless more are asked for: an arm waits for them, and a rank more is one that may keep it
    waiting. On processors, where nothing is recorded, every clip takes all, and no picture does.

    Args:
        policy_ranks: for plans that denoise actions, at most.
        together: all of them compute everything, as weights that are divided among them need.
    """
    if together:
        return available
    acts = any(isinstance(segment, ActionSegment) and is_denoised(segment) for segment in plan.segments)
    most = min(policy_ranks, available) if acts else available
    if not on_gpu:
        return 1 if plan.is_picture else most
    num_tokens = max(branch.num_tokens for branch in plan.branches)
    if num_tokens >= SHARD_TOKENS[precision]:
        return most
    # A step of fewer branches than groups would share tokens.
    num_branches = math.gcd(*(len(plan.active(step)) for step in range(plan.schedule.num_steps)))
    return math.gcd(most, num_branches) if num_tokens >= BRANCH_TOKENS else 1


def num_decoding_ranks(shape: Sequence[int], sharing: int) -> int:
    """How many ranks divide the frames of latents (C, T, rows, columns) among them.

    Args:
        sharing: how many share the steps of its plan; all of them decode it, or one does.
    """
    _, length, rows, columns = shape
    pays = length * rows * columns >= DIVIDED_CELLS
    return sharing if pays and max(rows, columns) >= sharing else 1
