"""Which steps of a run do without rounded inputs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PreciseSteps:
    """The steps at either end of a run, which decide the composition and the finest detail, on matrices in FP8.

    The defaults are for weights that are rounded here: three at either end, as in NVIDIA's own recipe, and never more
    than a tenth of the run, so that one of four steps has none. A released FP8 checkpoint says its own numbers.

    Attributes:
        first, last: at the start and at the end, at most.
        one_in: either end is at most one in so many steps of the run.
        where_both: whether a step that belongs to both ends is one of them.
    """

    first: int = 3
    last: int = 3
    one_in: int = 10
    where_both: bool = True

    def holds(self, index: int, num_steps: int) -> bool:
        """Whether the step `index`, counted from 0, of a run of `num_steps` is one. A run of one step has none."""
        if num_steps == 1:
            return False
        longest = num_steps // self.one_in
        is_first = index < min(self.first, longest)
        is_last = index >= num_steps - min(self.last, longest)
        return self.where_both if is_first and is_last else is_first or is_last
