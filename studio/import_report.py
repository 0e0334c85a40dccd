"""What an import into the library made of an export."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from studio.requests import Frozen

RecordName = Literal["comparisons", "measurements", "refinements", "questions", "answers", "grades", "votes"]
"""What is written down about items beside their jobs."""


class BroughtRecords(Frozen):
    """What an import made of one sort of records.

    Attributes:
        num_known: that were here already and stay, also of votes those whose voter has voted on the pair here.
    """

    num_added: int = 0
    num_known: int = 0


class ImportReport(Frozen):
    """`POST /v1/library/import`: what came in, and what was here already.

    Attributes:
        num_missing_items: whose file is not in the export, or whose job has ended otherwise here.
        num_own_files: presets and adapters that came in, an adapter's folder as one.
        num_known_own_files: of those, what was here already and stays.
        num_refused_own_files: presets that cannot be read beside those that are here; then none of them comes in.
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
