"""Which pair a voter is shown next, and which of it on the left."""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from backend.arena.pairing import Match
from studio.arena import VotedBy
from studio.arena.votes import PairKind


@dataclass(frozen=True)
class Wish:
    """What a voter would vote on; what is not said is not asked for.

    Attributes:
        skipped: pairs that they do not want to see now.
    """

    contest: str | None = None
    domain: str | None = None
    kind: PairKind | None = None
    skipped: frozenset[str] = frozenset()

    def takes(self, match: Match) -> bool:
        """Whether a pair is of that sort, skipped or not."""
        return (
            self.contest in (None, match.contest)
            and self.domain in (None, match.domain)
            and self.kind in (None, match.kind)
        )


@dataclass(frozen=True)
class VoteCounts:
    """What has been voted on.

    Attributes:
        by_pair: votes on each pair.
        by_value: votes that each value of each contest stood in.
        voters: who has voted on each pair.
    """

    by_pair: Counter[str] = field(default_factory=Counter[str])
    by_value: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    voters: Mapping[str, set[tuple[VotedBy, str]]] = field(default_factory=dict[str, set[tuple[VotedBy, str]]])


def deal(
    matches: Iterable[Match], counts: VoteCounts, wish: Wish, by: VotedBy, voter: str
) -> tuple[Match | None, int, int]:
    """The pair to be shown, how many of that sort there are, and how many of these the voter has not voted on.

    Pairs with the fewest votes come first, then those of whatever was seen least; among equals chance decides, the same
    for one voter each time, so that a page that is loaded again shows the same pair.
    """
    wanted = [match for match in matches if wish.takes(match)]
    left = [match for match in wanted if (by, voter) not in counts.voters.get(match.id, ())]

    def order(match: Match) -> tuple[int, int, int]:
        seen = min(counts.by_value[match.contest, value] for value in match.values.values())
        return counts.by_pair[match.id], seen, zlib.crc32(f"{voter}\0{match.id}".encode(errors="replace"))

    shown = [match for match in left if match.id not in wish.skipped] or left
    return min(shown, key=order, default=None), len(wanted), len(left)


def left_of(match: Match, by: VotedBy, voter: str) -> str:
    """The id of the side that a voter sees on the left: by chance, and the same each time."""
    drawn = hashlib.sha256(f"{by}\0{voter}\0{match.id}".encode(errors="replace")).digest()
    return match.first if drawn[0] & 1 else match.second
