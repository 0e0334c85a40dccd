"""One-to-one assignment of what was found to what is true, such that their total overlap is largest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Overlaps = NDArray[np.float64]


def assign(overlaps: Overlaps) -> list[tuple[int, int]]:
    """Pairs (row, column), each row and column at most once, with the largest total overlap.

    The Hungarian method with potentials (Kuhn, 1955; Munkres, 1957): every row in turn is joined along the shortest
    augmenting path. [[0.9, 0.8], [0.8, 0]] gives (0, 1) and (1, 0): 1.6, where taking the best first gives 0.9.

    Args:
        overlaps: float64 [rows, columns].
    """
    rows, columns = overlaps.shape
    if rows > columns:
        return [(row, column) for column, row in assign(overlaps.T)]
    row_of = np.full(columns + 1, -1)
    row_potential, column_potential = np.zeros(rows), np.zeros(columns + 1)
    for joined in range(rows):
        # Column `columns` is a dummy in which the row that is joined starts.
        row_of[columns] = joined
        shortest, came_from = np.full(columns, np.inf), np.full(columns, columns)
        done = np.zeros(columns + 1, bool)
        column = columns
        while row_of[column] >= 0:
            done[column] = True
            row = row_of[column]
            reduced = -overlaps[row] - row_potential[row] - column_potential[:columns]
            closer = ~done[:columns] & (reduced < shortest)
            shortest[closer], came_from[closer] = reduced[closer], column
            column = int(np.where(done[:columns], np.inf, shortest).argmin())
            step = shortest[column]
            row_potential[row_of[done]] += step
            column_potential[done] -= step
            shortest[~done[:columns]] -= step
        while column != columns:
            row_of[column] = row_of[came_from[column]]
            column = int(came_from[column])
    return sorted((int(row), column) for column, row in enumerate(row_of[:columns]) if row >= 0)
