"""A refinement of one round, and the grid of a comparison: before they began, and at their end."""

from __future__ import annotations

from backend.examples.works import BEGAN, CANCELLED, DONE, ITEM, JOB, PICTURE, PICTURE_REQUEST, TOOK, WAITING
from studio.comparisons import Cell, Column, Comparison, ComparisonSummary, Likeness
from studio.prompting.critique import Critique, Issue
from studio.refinements import BestResult, Refinement, RefinementNode
from studio.requests.refine_image import RefineImage

CRITIQUE = Critique(
    prompt_adherence_score=9.5,
    visual_quality_score=9,
    aesthetics_score=9,
    physical_plausibility_score=9.5,
    category_score=9,
    overall_score=9.2,
    issues=(
        Issue(
            category="geometry",
            description="The table's edge bends.",
            severity="minor",
            box_2d=(0, 700, 410, 760),
        ),
    ),
    prompt_elements={"robot arm": "present", "red cube": "present"},
    improvement_directives=("Say that the table's edge is straight.",),
    rationale="Everything that was asked for is there.",
)
_NODE = RefinementNode(number=0, origin="given", rewrites_left=2)
BEGUN = Refinement(id="3d0c5a81fe27", created_at=BEGAN, request=RefineImage(generate=PICTURE_REQUEST), nodes=(_NODE,))
REFINED = BEGUN.model_copy(
    update={
        "state": "succeeded",
        "nodes": (
            _NODE.model_copy(
                update={"request": PICTURE_REQUEST, "job_id": JOB, "media": PICTURE, "critique": CRITIQUE}
            ),
        ),
        "best": BestResult(node=0, by="only", num_judged=1),
        "ended_by": "good_enough",
        "spent_s": 21.4,
        "spent_tokens": 1840,
    }
)
STOPPED = BEGUN.model_copy(update={"state": "stopped", "nodes": (_NODE.model_copy(update={"resting": True}),)})
BRANCHED = REFINED.model_copy(
    update={
        "state": "running",
        "nodes": (
            *REFINED.nodes,
            RefinementNode(number=1, parent=0, round=1, origin="branched", words="The cube is blue.", rewrites_left=1),
        ),
        "ended_by": None,
    }
)

ASKED = Comparison(
    id="7f21c09be4aa",
    title="Before and after",
    num_rows=1,
    num_columns=1,
    num_cells=1,
    num_done=0,
    created_at=BEGAN,
    rows=(PICTURE_REQUEST.prompt,),
    columns=(Column(label="20", role="made", values={"sampling.num_inference_steps": 20}),),
    cells=(Cell(row=0, column=0, job=WAITING),),
)
_MADE = Cell(row=0, column=0, item=ITEM, job=DONE, seconds=TOOK.total_seconds(), memory_gb=0.1, critic=9.2)
COMPARED = ASKED.model_copy(update={"num_done": 1, "thumbnail_url": ITEM.thumbnail_url, "cells": (_MADE,)})
MEASURED = COMPARED.model_copy(
    update={"cells": (_MADE.model_copy(update={"likeness": Likeness.of({"psnr_db": 31.4, "ssim": 0.93})}),)}
)
GIVEN_UP = ASKED.model_copy(update={"num_done": 1, "cells": (Cell(row=0, column=0, job=CANCELLED),)})
SUMMARY = ComparisonSummary.model_validate(COMPARED.model_dump(include=set(ComparisonSummary.model_fields)))
