"""Finding pairs: results of one request but for one field, and answers to one question."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.database.tables import AnswerRow, ArtefactRow, JobRow, QuestionRow
from backend.media import MediaStore
from studio.arena import VotedBy, domain_of, fields_of, is_compared, pair_id, shown_value
from studio.arena.votes import PairKind
from studio.errors import StudioError
from studio.requests import parse_request

log = structlog.get_logger("orrery.arena")

MAX_RESULTS = 20_000
"""The newest; older ones form no pairs any more."""
MAX_PAIRS = 50_000
MAX_ANSWERS = 5_000
AT_ONCE = 500
"""Rows that are asked for by name in one go."""
REASONER = "reasoner"
"""The contest of answers."""

_GIVEN = ("start_image", "source_video")


@dataclass(frozen=True)
class Match:
    """A pair as the server knows it: what differs, and the value on either side. `first` has the smaller id."""

    id: str
    kind: PairKind
    contest: str
    first: str
    second: str
    values: Mapping[str, str]
    words: str
    given: tuple[str, ...]
    domain: str
    sound: bool = False


@dataclass(frozen=True)
class _Result:
    row: ArtefactRow
    fields: Mapping[str, str]


class Pairing:
    """Reads pairs out of the database, and remembers what requests come to. Runs on a thread that reads, one at a time.

    A request is parsed once: jobs never change. What has no file any more forms no pairs.
    """

    def __init__(self, store: MediaStore) -> None:
        self._store = store
        self._fields: dict[str, Mapping[str, str] | None] = {}

    def pairs(self, session: Session) -> dict[str, Match]:
        """Every pair by its id."""
        found = {match.id: match for match in _answer_pairs(session)}
        for match in self._result_pairs(session):
            if len(found) >= MAX_PAIRS:
                log.warning("pairs_left_out", most=MAX_PAIRS)
                break
            found[match.id] = match
        return found

    def _result_pairs(self, session: Session) -> Iterable[Match]:
        # Each result is put under every field with all others fixed: who shares a place differs in that field alone.
        places: defaultdict[tuple[str, int], list[_Result]] = defaultdict(list)
        seen: set[int] = set()
        for result in self._results(session):
            hashes = {name: hash((name, value)) for name, value in result.fields.items()}
            whole = 0
            for each in hashes.values():
                whole ^= each
            if whole in seen:  # made twice: the newer one stands for both
                continue
            seen.add(whole)
            for name, own in hashes.items():
                if is_compared(name):
                    places[name, whole ^ own].append(result)
        for (path, _), results in places.items():
            for one, other in combinations(results, 2):
                if _differs_alone(one.fields, other.fields, path):
                    yield _match(path, one, other)

    def _results(self, session: Session) -> list[_Result]:
        wanted = (
            select(ArtefactRow)
            .where(ArtefactRow.type.in_(("image", "video")), ArtefactRow.job_id.is_not(None))
            .where(~ArtefactRow.erasing, ArtefactRow.trashed_at.is_(None))
            .order_by(ArtefactRow.shelf_order.desc())
            .limit(MAX_RESULTS)
        )
        rows = session.scalars(wanted).all()
        new = sorted({row.job_id for row in rows if row.job_id and row.id not in self._fields})
        jobs: dict[str, JobRow] = {}
        for start in range(0, len(new), AT_ONCE):
            some = select(JobRow).where(JobRow.id.in_(new[start : start + AT_ONCE]))
            jobs |= {job.id: job for job in session.scalars(some)}
        results: list[_Result] = []
        for row in rows:
            if row.id not in self._fields:
                self._fields[row.id] = _read(row, jobs.get(row.job_id or ""))
            fields = self._fields[row.id]
            if fields is not None and self._store.holds(row.id, row.reference["mime"]):
                results.append(_Result(row, fields))
        return results


def _read(row: ArtefactRow, job: JobRow | None) -> Mapping[str, str] | None:
    if job is None:
        return None
    try:
        # Parsed, an older version's request has the fields that came later.
        request = parse_request(job.request)
    except StudioError as error:
        log.warning("result_not_paired", media_id=row.id, reason=error.message[:200])
        return None
    # The clip that a policy decodes is no picture of the same job's other results.
    return {**fields_of(request.model_dump(mode="json"), job.checkpoint, row.seed), "type": json.dumps(row.type)}


def _differs_alone(one: Mapping[str, str], other: Mapping[str, str], field: str) -> bool:
    """Whether that is so in truth, and not by a collision of hashes."""
    return one.get(field) != other.get(field) and all(
        one.get(name) == other.get(name) for name in {*one, *other} if name != field
    )


def _match(field: str, one: _Result, other: _Result) -> Match:
    first, second = sorted((one, other), key=lambda result: result.row.id)
    words = _text(first.fields.get("prompt"))
    both = [row.reference for row in (first.row, second.row)]
    tags = {*first.row.tags} & {*second.row.tags}
    return Match(
        id=pair_id(first.row.id, second.row.id),
        kind="video" if first.row.type == "video" else "image",
        contest=field,
        first=first.row.id,
        second=second.row.id,
        values={result.row.id: shown_value(result.fields.get(field)) for result in (first, second)},
        words=words,
        given=tuple(name for field in _GIVEN if (name := _text(first.fields.get(field)))),
        domain=domain_of(words, _text(first.fields.get("embodiment")) or None, sorted(tags)),
        sound=all(reference.get("has_sound") for reference in both),
    )


def _answer_pairs(session: Session) -> Iterable[Match]:
    questions = {question.id: question for question in session.scalars(select(QuestionRow))}
    said = select(AnswerRow).where(AnswerRow.text.is_not(None)).order_by(AnswerRow.number.desc()).limit(MAX_ANSWERS)
    by_question: defaultdict[str, list[AnswerRow]] = defaultdict(list)
    for answer in session.scalars(said):
        by_question[answer.question_id].append(answer)
    for name, answers in by_question.items():
        question = questions.get(name)
        if question is None:
            continue
        for one, other in combinations(answers, 2):
            first, second = sorted((one, other), key=lambda answer: answer.id)
            yield Match(
                id=pair_id(first.id, second.id),
                kind="answer",
                contest=REASONER,
                first=first.id,
                second=second.id,
                values={answer.id: answer.reasoner for answer in (first, second)},
                words=question.text,
                given=(question.media_id,) if question.media_id else (),
                domain=domain_of(question.text),
            )


def _text(value: str | None) -> str:
    said: Any = None if value is None else json.loads(value)
    return said if isinstance(said, str) else ""


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
