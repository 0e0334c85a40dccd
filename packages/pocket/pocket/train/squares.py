"""What covers each square of a picture, asked of the generator halfway through its layers, at any level of noise.

Which thing stands where is settled in the first steps of a sampler, at levels where the velocity of a shape is a small
part of the loss. Asked by name, what a token will show is learnt sooner (docs/pocket.md).
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import layer_norm, silu

from pocket.train.seeing import Naming


class Squares(nn.Module):
    """Reads squares off tokens [B, S, H]; no part of a checkpoint.

    Args:
        hidden: H, the generator's width.
    """

    names = ("squares",)
    """Of what `error` tells."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.inner = nn.Linear(hidden, 2 * hidden)
        self.naming = Naming(2 * hidden)

    def error(self, halfway: Tensor, squares: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """How wrong it is, and the same without gradients.

        Args:
            halfway: [B, S, H], what half of the layers have come to.
            squares: int64 [B, S, MERGE * MERGE, 2].
        """
        wide = halfway.float()
        wide = layer_norm(wide, wide.shape[-1:])
        error = self.naming.error(silu(self.inner(wide)), squares)
        return error, (error.detach(),)
