"""Which conversations a step sees: a function of the seed and the step alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tuning.orders import shuffled
from tuning.ranks import own_seed
from tuning.reasoner.conversations import Conversation


class BlendDrawer:
    """Data sets by their weights; of each, every conversation comes once before any comes again.

    Args:
        sets: conversations of each data set, at least one in all; an empty set is never drawn from.
        weights: of each; they need not sum to 1.
    """

    def __init__(
        self, sets: Sequence[Sequence[Conversation]], weights: Sequence[float], batch_size: int, seed: int
    ) -> None:
        self._sets, self._batch_size, self._seed = sets, batch_size, own_seed(seed)
        own = [weight if conversations else 0.0 for conversations, weight in zip(sets, weights, strict=True)]
        self._shares = [weight / sum(own) for weight in own]
        self._counts = [0] * len(sets)
        self._places: list[tuple[int, int]] = []
        self._order = lru_cache(maxsize=2 * len(sets))(self._new_order)

    def draw(self, step: int) -> list[Conversation]:
        """The conversations of a step."""
        return [self._nth(step * self._batch_size + place) for place in range(self._batch_size)]

    def _nth(self, place: int) -> Conversation:
        """Each comes from the set that lags most behind its share."""
        while len(self._places) <= place:
            due = [share * (len(self._places) + 1) for share in self._shares]
            behind = [wanted - count for wanted, count in zip(due, self._counts, strict=True)]
            chosen = behind.index(max(behind))
            self._places.append((chosen, self._counts[chosen]))
            self._counts[chosen] += 1
        chosen, count = self._places[place]
        turn, offset = divmod(count, len(self._sets[chosen]))
        return self._sets[chosen][self._order(chosen, turn)[offset]]

    def _new_order(self, chosen: int, turn: int) -> list[int]:
        return shuffled(len(self._sets[chosen]), self._seed, turn, chosen, len(self._sets))
