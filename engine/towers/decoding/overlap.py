"""Starting a kernel while the one before it ends (programmatic dependent launch, from Hopper on).

A kernel that is launched so calls `await_inputs` before it touches anything that another kernel makes, and every
kernel of a chain does, also one that needs nothing: only then does its end mean that all before it have ended. What
no kernel writes, such as weights, may be read before.
"""

# Triton is there only beside PyTorch's CUDA builds, and pyright does not follow what its decorator makes of a function.
# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false, reportMissingTypeStubs=false

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def await_inputs(overlaps: tl.constexpr):
    """Wait for the kernels before."""
    if overlaps:
        tl.extra.cuda.gdc_wait()


@triton.jit
def admit_next(overlaps: tl.constexpr):
    """Let the next kernel's programs come, as soon as all of this kernel's have said so."""
    if overlaps:
        tl.extra.cuda.gdc_launch_dependents()
