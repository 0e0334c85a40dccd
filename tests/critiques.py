"""Critics' answers, for tests of the loop that listens to them."""

import json
from typing import Any

from studio.captions import Controls

SQUARE = Controls.of_image("256", "1:1")
CAPTION: dict[str, Any] = {
    "subjects": [{"description": "a red cube"}],
    "background_setting": "a table",
    "lighting": {"conditions": "daylight"},
    "aesthetics": {"composition": "centred"},
    "cinematography": {"framing": "close"},
    "style_medium": "photograph",
    "artistic_style": "plain",
    "context": "a test",
    "quadrant_scan": {},
    "comprehensive_t2i_caption": "A red cube on a table.",
}


def critique(score: float = 5.0, *severities: str, **changes: Any) -> dict[str, Any]:
    """An answer with a score and an issue of each severity, the first of which has a box."""
    scores = dict.fromkeys(
        (
            "prompt_adherence_score",
            "visual_quality_score",
            "aesthetics_score",
            "physical_plausibility_score",
            "category_score",
            "overall_score",
        ),
        score,
    )
    issues = [
        {
            "category": "geometry",
            "description": f"the cube is bent ({severity})",
            "severity": severity,
            "box_2d": None if index else [100, 200, 600, 700],
        }
        for index, severity in enumerate(severities)
    ]
    rest = {
        "text_rendering_score": None,
        "photorealism_score": 6,
        "issues": issues,
        "prompt_elements": {"red cube": "present", "table": "partial"},
        "category_findings": [{"physics": "it stands"}],
        "improvement_directives": ["say that the cube's edges are straight"],
        "rationale": "It is a cube, and bent.",
    }
    return {**scores, **rest, **changes}


def caption(text: str = "A red cube on a table.") -> dict[str, Any]:
    """A whole picture's caption."""
    return {**CAPTION, "comprehensive_t2i_caption": text, **SQUARE.media}


def rewritten(text: str, negative: str = "bent edges") -> str:
    """A rewriter's answer."""
    return json.dumps({"positive_prompt": caption(text), "negative_prompt": negative})
