"""What an import into the library made of an export."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from studio.requests import Frozen

RecordName = Literal["comparisons", "measurements", "refinements", "questions", "answers", "grades", "votes"]
"""What is written down about items beside their jobs."""


class RefusedRecord(Frozen):
    """A record of an export that could not have been written here, and why."""

    id: str
    reason: str


class BroughtRecords(Frozen):
    """What an import made of one sort of records.

    Attributes:
        num_known: that were here already and stay, also of votes those whose voter has voted on the pair here.
        num_refused: that stayed out, `refusals` the first of them.
        num_lost_media: items that the added ones name and that are not here.
    """

    num_added: int = 0
    num_known: int = 0
    num_refused: int = 0
    num_lost_media: int = 0
    refusals: tuple[RefusedRecord, ...] = ()


class ImportReport(Frozen):
    """`POST /v1/library/import`: what came in, and what was here already.

    Attributes:
        num_own_files: presets and adapters that came in, an adapter's folder as one.
        num_known_own_files: of those, what was here already and stays.
        num_refused_own_files: what is no preset or adapter that can be used.
        records: comparisons, refinements, votes and what belongs to them, by their sort.
    """

    num_items: int
    num_jobs: int
    num_known_items: int
    num_missing_items: int
    num_own_files: int = 0
    num_known_own_files: int = 0
    num_refused_own_files: int = 0
    records: dict[RecordName, BroughtRecords] = Field(default_factory=dict[RecordName, BroughtRecords])
