"""Finding pairs: results of one request but for one field, and answers to one question."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.database.arena_tables import AnswerRow, QuestionRow
from backend.database.tables import ArtefactRow, JobRow
from backend.media import MediaStore
from studio.arena import domain_of, fields_of, is_compared, pair_id, shown_value
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
        for (field, _), results in places.items():
            for one, other in combinations(results, 2):
                if _differs_alone(one.fields, other.fields, field):
                    yield _match(field, one, other)

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
