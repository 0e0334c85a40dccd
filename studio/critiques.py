"""What a critic has said of a result, as data (technical report, B.7); an issue may have a box, which is ours."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from studio.requests import Frozen

TOP = 10
"""Scores run from 0 to here."""
GRID = 1000
"""Boxes are given on a grid of 0 to 1000, each axis on its own, whatever the picture's shape."""

Severity = Literal["minor", "moderate", "severe"]
Presence = Literal["present", "absent", "partial"]

Score = Annotated[float, Field(ge=0, le=TOP)]
Coordinate = Annotated[float, Field(ge=0, le=GRID)]


class Issue(Frozen):
    """A fault.

    Attributes:
        box_2d: where, as (x1, y1, x2, y2) on the grid of 0 to 1000; none where the critic gave none that can be drawn.
    """

    category: str
    description: str
    severity: Severity
    box_2d: tuple[Coordinate, Coordinate, Coordinate, Coordinate] | None = None


class Finding(Frozen):
    """What was seen in one area that was looked at."""

    area: str
    finding: str


class Critique(Frozen):
    """A critic's answer, as data."""

    prompt_adherence_score: Score
    visual_quality_score: Score
    aesthetics_score: Score
    physical_plausibility_score: Score
    category_score: Score
    text_rendering_score: Score | None = None
    photorealism_score: Score | None = None
    overall_score: Score
    issues: tuple[Issue, ...] = ()
    prompt_elements: dict[str, Presence] = Field(default_factory=dict)
    category_findings: tuple[Finding, ...] = ()
    improvement_directives: tuple[str, ...] = ()
    rationale: str = ""

    def count(self, severity: Severity) -> int:
        """Issues of a severity."""
        return sum(issue.severity == severity for issue in self.issues)

    def clears(self, good_enough: float) -> bool:
        """Whether nothing need be better: the overall score is reached, and no issue is severe."""
        return self.overall_score >= good_enough and self.count("severe") == 0
