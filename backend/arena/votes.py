"""Votes in the database: cast, listed, revoked."""

from __future__ import annotations

import csv
import io
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from backend.arena.pairing import Match, VoteCounts
from backend.database.tables import VoteRow
from studio.arena import Axis, Choice, Contestant, Vote, VotedBy, VoteList
from studio.arena.standings import AXIS_ORDER
from studio.arena.votes import PairKind
from studio.errors import Conflict, VoteNotFound
from studio.requests import shown

CSV_COLUMNS = (
    *("id", "created_at", "voter", "by", "kind", "contest", "domain", "left_id", "left", "right_id", "right"),
    *AXIS_ORDER,
    *("reason", "revoked_at"),
)


def cast_vote(
    session: Session,
    match: Match,
    left: str,
    choices: Mapping[Axis, Choice],
    by: VotedBy,
    voter: str,
    reason: str = "",
) -> Vote:
    """Write a vote down. The same vote again is that vote.

    Raises:
        Conflict: the voter has voted otherwise on this pair.
    """
    standing = session.scalars(
        select(VoteRow).where(
            VoteRow.pair == match.id, VoteRow.voted_by == by, VoteRow.voter == voter, VoteRow.revoked_at.is_(None)
        )
    ).first()
    if standing is not None:
        if (standing.left_id, standing.choices) == (left, dict(choices)):
            return vote_of(standing)
        raise Conflict(
            f"{shown(voter)} has already voted differently on this pair.",
            param="pair",
            hint=f"DELETE /v1/arena/votes/{standing.id} withdraws that vote.",
        )
    right = match.second if left == match.first else match.first
    vote = Vote(
        id=secrets.token_hex(6),
        pair=match.id,
        kind=match.kind,
        contest=match.contest,
        domain=match.domain,
        left=Contestant(id=left, value=match.values[left]),
        right=Contestant(id=right, value=match.values[right]),
        choices=dict(choices),
        voter=voter,
        by=by,
        reason=reason,
        created_at=datetime.now(UTC),
    )
    session.add(row_of(vote))
    return vote


def revoke_vote(session: Session, vote_id: str) -> Vote:
    """Take a vote back; it stays on record. Raises VoteNotFound."""
    row = session.scalars(select(VoteRow).where(VoteRow.id == vote_id)).first()
    if row is None:
        raise VoteNotFound(f"There is no vote {shown(vote_id)}.", hint="GET /v1/arena/votes lists them.")
    if row.revoked_at is None:
        row.revoked_at = datetime.now(UTC)
    return vote_of(row)


def list_votes(
    session: Session, *, voter: str | None = None, contest: str | None = None, revoked: bool = False, limit: int = 100
) -> VoteList:
    """The newest votes, those that were revoked only if asked for."""
    wanted: list[ColumnElement[bool]] = [] if revoked else [VoteRow.revoked_at.is_(None)]
    if voter is not None:
        wanted.append(VoteRow.voter == voter)
    if contest is not None:
        wanted.append(VoteRow.contest == contest)
    total = session.scalar(select(func.count()).select_from(VoteRow).where(*wanted)) or 0
    rows = session.scalars(select(VoteRow).where(*wanted).order_by(VoteRow.number.desc()).limit(limit))
    return VoteList(votes=tuple(vote_of(row) for row in rows), total=total)


def every_vote(session: Session, *, revoked: bool = False) -> list[Vote]:
    """All votes, the oldest first."""
    wanted = select(VoteRow).order_by(VoteRow.number)
    return [vote_of(row) for row in session.scalars(wanted if revoked else wanted.where(VoteRow.revoked_at.is_(None)))]


def counts_of(votes: Iterable[Vote]) -> VoteCounts:
    """Votes as dealing counts them."""
    by_pair, by_value = Counter[str](), Counter[tuple[str, str]]()
    voters: dict[str, set[tuple[VotedBy, str]]] = {}
    for vote in votes:
        by_pair[vote.pair] += 1
        by_value[vote.contest, vote.left.value] += 1
        by_value[vote.contest, vote.right.value] += 1
        voters.setdefault(vote.pair, set()).add((vote.by, vote.voter))
    return VoteCounts(by_pair, by_value, voters)


def row_of(vote: Vote) -> VoteRow:
    """The row that holds a vote; `number` is the next one where nobody says another."""
    return VoteRow(
        id=vote.id,
        pair=vote.pair,
        kind=vote.kind,
        contest=vote.contest,
        domain=vote.domain,
        left_id=vote.left.id,
        left_value=vote.left.value,
        right_id=vote.right.id,
        right_value=vote.right.value,
        choices=dict(vote.choices),
        voter=vote.voter,
        voted_by=vote.by,
        reason=vote.reason,
        created_at=vote.created_at,
        revoked_at=vote.revoked_at,
    )


def vote_of(row: VoteRow) -> Vote:
    """The vote that a row holds."""
    return Vote(
        id=row.id,
        pair=row.pair,
        kind=cast("PairKind", row.kind),
        contest=row.contest,
        domain=row.domain,
        left=Contestant(id=row.left_id, value=row.left_value),
        right=Contestant(id=row.right_id, value=row.right_value),
        choices=cast("dict[Axis, Choice]", row.choices),
        voter=row.voter,
        by=cast("VotedBy", row.voted_by),
        reason=row.reason,
        created_at=row.created_at,
        revoked_at=row.revoked_at,
    )


def votes_as_csv(votes: Sequence[Vote]) -> str:
    """One line a vote; an axis that was not judged is empty."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(CSV_COLUMNS)
    for vote in votes:
        writer.writerow(
            [
                *(vote.id, vote.created_at.isoformat(), _plain(vote.voter), vote.by, vote.kind, _plain(vote.contest)),
                *(_plain(vote.domain), vote.left.id, _plain(vote.left.value), vote.right.id, _plain(vote.right.value)),
                *(vote.choices.get(axis, "") for axis in AXIS_ORDER),
                *(_plain(vote.reason), vote.revoked_at.isoformat() if vote.revoked_at else ""),
            ]
        )
    return file.getvalue()


def _plain(text: str) -> str:
    """Text that a spreadsheet does not run as a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
