"""One token for each of a few conversations on a GPU: everything of it queued at once, as a CUDA graph.

A token of one conversation is bound by how fast the weights are read, and between two products there is next to
nothing to compute: launches from Python take longer than the work. So the step is recorded once for each batch size,
with kernels that do all there is between two products. What differs from token to token comes from a `Table` on the
device; caches are found by the addresses in it, so they may grow, come and go without another recording.

The kernels are Triton's, which comes with PyTorch's CUDA builds for Linux; elsewhere `Reasoner.read` does the same.
Their modules are imported by `step` alone.
"""

from engine.towers.decoding.steps import SIZES, Steps
from engine.towers.decoding.table import LastToken

__all__ = ["SIZES", "LastToken", "Steps"]
