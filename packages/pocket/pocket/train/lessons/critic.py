"""How a picture is criticised against its prompt: the studio's own question, and the JSON that answers it rightly.

A picture that was rendered is faultless by its making: what can be wrong is that it is not what a prompt asks for.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from pocket.world.episode import Critique
from studio.prompting.question import ImageUrl, PlainText
from studio.prompting.refining import critic_question as studio_question
from studio.prompting.templates import RefiningTexts, load_refining_texts
from studio.requests import GenerateImage

SOUND = 9
"""Out of ten, of everything that a rendered picture cannot get wrong."""

SEVERITY = {"absent": "severe", "partial": "moderate"}


def critic_question(prompt: str) -> str:
    """What is asked beside the picture, under the system prompt."""
    asked = studio_question(texts(), GenerateImage(prompt=prompt), prompt, ImageUrl(url=""))
    return "".join(part.text for part in asked.messages[-1].parts if isinstance(part, PlainText))


@cache
def texts() -> RefiningTexts:
    """What the loop asks with, as shipped."""
    return load_refining_texts()


def critic_answer(critique: Critique) -> str:
    """One line of JSON, see `studio.prompting.critique`."""
    worth = {"present": 1.0, "partial": 0.5, "absent": 0.0}
    count = max(1, len(critique.elements))
    adherence = round(10 * sum(worth[verdict] for _, verdict in critique.elements) / count)
    wrong = [(element, verdict) for element, verdict in critique.elements if verdict != "present"]
    answer: dict[str, Any] = {
        "prompt_adherence_score": adherence,
        "visual_quality_score": SOUND,
        "aesthetics_score": SOUND,
        "physical_plausibility_score": SOUND,
        "category_score": adherence,
        "text_rendering_score": None,
        "photorealism_score": None,
        "overall_score": min(SOUND, adherence),
        "issues": [
            {
                "category": "prompt following",
                "description": f"{element} is {'missing' if verdict == 'absent' else 'not as asked for'}",
                "severity": SEVERITY[verdict],
                "box_2d": None,
            }
            for element, verdict in wrong
        ],
        "prompt_elements": dict(critique.elements),
        "category_findings": [],
        "improvement_directives": [f"Name {element} first and alone." for element, _ in wrong],
        "rationale": critique.rationale,
    }
    return json.dumps(answer)
