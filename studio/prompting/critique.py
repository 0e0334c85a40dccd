"""What a critic says of a picture or a clip: its contract (report, B.7), the schema that bounds it, and its reading.

Ours adds one thing to the report's: an issue may have a box.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import Field

from studio.captions import UnusableAnswer, object_in, sendable, split_thought
from studio.captions.answer_schema import list_schema, object_schema, text_schema
from studio.prompting.entries import as_text
from studio.prompting.results import GRID, Coordinate, coordinates_schema
from studio.requests import Frozen, shown

TOP = 10
"""Scores run from 0 to here."""

Severity = Literal["minor", "moderate", "severe"]
Presence = Literal["present", "absent", "partial"]

Score = Annotated[float, Field(ge=0, le=TOP)]


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


SCORES = (
    "prompt_adherence_score",
    "visual_quality_score",
    "aesthetics_score",
    "physical_plausibility_score",
    "category_score",
    "text_rendering_score",
    "photorealism_score",
    "overall_score",
)
NULLABLE = ("text_rendering_score", "photorealism_score")
"""Scores of what a picture may not have."""

MAX_ISSUES = 24
MAX_ELEMENTS = 24
MAX_FINDINGS = 16
MAX_DIRECTIVES = 12
MAX_LABEL = 80
MAX_SENTENCE = 400
MAX_RATIONALE = 1200

SEVERITIES: tuple[Severity, ...] = ("minor", "moderate", "severe")
PRESENCES: tuple[Presence, ...] = ("present", "absent", "partial")

Schema = dict[str, Any]


def critique_schema() -> Schema:
    """What a critic's answer is constrained to. Scores are halves, because a JSON number may have any length."""
    half = {"enum": [step // 2 if step % 2 == 0 else step / 2 for step in range(2 * TOP + 1)]}
    scores = {name: {"anyOf": [half, {"type": "null"}]} if name in NULLABLE else half for name in SCORES}
    issue = object_schema(
        category=text_schema(MAX_LABEL),
        description=text_schema(MAX_SENTENCE),
        severity={"enum": list(SEVERITIES)},
        box_2d={"anyOf": [coordinates_schema(4), {"type": "null"}]},
    )
    return object_schema(
        **scores,
        issues=list_schema(issue, MAX_ISSUES),
        prompt_elements=_named({"enum": list(PRESENCES)}, MAX_ELEMENTS),
        category_findings=list_schema(_named(text_schema(MAX_SENTENCE), 1), MAX_FINDINGS),
        improvement_directives=list_schema(text_schema(MAX_SENTENCE), MAX_DIRECTIVES),
        rationale=text_schema(MAX_RATIONALE),
    )


def read_critique(text: str) -> Critique:
    """A critic's answer: fenced or not, among other words, mended where that is safe; what is too long is cut.

    Raises:
        UnusableAnswer: a score or a list is missing or cannot mean what it says; it says which.
    """
    entry, _ = object_in(split_thought(text).answer)
    scores = {name: _score(entry, name) for name in SCORES}
    issues = entry.get("issues")
    if not isinstance(issues, list):
        raise UnusableAnswer(
            f'"issues" is {shown(issues)}; a list is expected, [] where there are none.', path="issues"
        )
    return Critique.model_validate(
        {
            **scores,
            "issues": [_issue(each, index) for index, each in enumerate(cast(list[Any], issues)[:MAX_ISSUES])],
            "prompt_elements": _elements(entry.get("prompt_elements")),
            "category_findings": _findings(entry.get("category_findings"))[:MAX_FINDINGS],
            "improvement_directives": _sentences(entry.get("improvement_directives"))[:MAX_DIRECTIVES],
            "rationale": _cut(as_text(entry.get("rationale")), MAX_RATIONALE),
        }
    )


def _score(entry: Mapping[str, Any], name: str) -> float | None:
    value = entry.get(name)
    if value is None and name in NULLABLE:
        return None
    if isinstance(value, str):
        try:
            value = float(value.partition("/")[0])
        except ValueError:
            value = entry[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= TOP:
        raise UnusableAnswer(f'"{name}" is {shown(entry.get(name))}; a number from 0 to {TOP} is expected.', path=name)
    return float(value)


def _issue(entry: Any, index: int) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise UnusableAnswer(f"Issue {index + 1} is {shown(entry)}; an object is expected.", path=f"issues.{index}")
    said = cast(dict[str, Any], entry)
    severity = as_text(said.get("severity")).lower()
    if severity not in SEVERITIES:
        raise UnusableAnswer(
            f'"severity" of issue {index + 1} is {shown(said.get("severity"))}; one of {", ".join(SEVERITIES)} is '
            "expected.",
            path=f"issues.{index}.severity",
        )
    return {
        "category": _cut(as_text(said.get("category")), MAX_LABEL),
        "description": _cut(as_text(said.get("description")), MAX_SENTENCE),
        "severity": severity,
        "box_2d": _box(said.get("box_2d", said.get("bbox_2d"))),
    }


def _box(value: Any) -> tuple[float, float, float, float] | None:
    """A box that can be drawn; an issue without one is listed all the same."""
    if not isinstance(value, list) or len(cast(list[Any], value)) != 4:
        return None
    numbers = cast(list[Any], value)
    if not all(isinstance(each, int | float) and not isinstance(each, bool) and 0 <= each <= GRID for each in numbers):
        return None
    left, top, right, bottom = (float(each) for each in numbers)
    return (left, top, right, bottom) if left < right and top < bottom else None


def _elements(value: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    if isinstance(value, dict):
        for name, state in list(cast(dict[str, Any], value).items())[:MAX_ELEMENTS]:
            presence = as_text(state).lower()
            if presence in PRESENCES:
                found[_cut(name, MAX_LABEL)] = presence
    return found


def _findings(value: Any) -> list[dict[str, str]]:
    """`[{"hands": "six fingers"}]`, or one object of several."""
    entries: list[Any] = cast(list[Any], value) if isinstance(value, list) else [value]
    return [
        {"area": _cut(area, MAX_LABEL), "finding": _cut(as_text(finding), MAX_SENTENCE)}
        for entry in entries
        if isinstance(entry, dict)
        for area, finding in cast(dict[str, Any], entry).items()
    ]


def _sentences(value: Any) -> list[str]:
    entries: list[Any] = cast(list[Any], value) if isinstance(value, list) else [value]
    return [_cut(text, MAX_SENTENCE) for entry in entries if (text := as_text(entry).strip())]


def _cut(text: str, most: int) -> str:
    return sendable(text)[:most]


def _named(value: Schema, most: int) -> Schema:
    """An object whose keys are the answer's own: words of 1 to 40 characters."""
    pattern = r"^[A-Za-z0-9][A-Za-z0-9 ,'_-]{0,39}$"
    return {
        "type": "object",
        "patternProperties": {pattern: value},
        "additionalProperties": False,
        "maxProperties": most,
    }
