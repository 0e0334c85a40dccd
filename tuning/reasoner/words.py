"""How wrong a reasoner's next words are."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import cross_entropy

from engine.towers import Reasoner


def word_errors(reasoner: Reasoner, out: Tensor, following: Tensor) -> tuple[Tensor, Tensor]:
    """Cross-entropy of the words that follow.

    Args:
        out: the reasoner's normalised output [n, H].
        following: int64 [n], the word behind each.

    Returns:
        Of each word its error, float32 [n], and 1 where it is the likeliest, else 0, without gradients.
    """
    words = reasoner.head(out).float()
    errors = cross_entropy(words, following, reduction="none")
    return errors, (words.detach().argmax(-1) == following).float()
