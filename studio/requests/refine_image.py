"""A picture, or a clip from a picture, made better round by round."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from studio.requests.generate_image import GenerateImage
from studio.requests.generate_video import GenerateVideo
from studio.requests.model import Frozen
from studio.requests.sampling import MAX_SEED

Role = Literal["upsampler", "critic", "rewriter"]
"""What a reasoner does in the loop."""

Answerer = Literal["server", "resident", "endpoint"]
"""Who takes a role: what the server is set to (its endpoint where it has one for that role, else the resident
reasoner), or one of the two by name."""

MAX_CANDIDATES = 8
MAX_REWRITES = 8


class RefineImage(Frozen):
    """Upsample, generate, judge, rewrite both prompts, generate …; the best of all wins (report, B.7).

    A clip that starts from a picture is refined likewise; its first negative prompt is written for its words (B.3).
    It is no job: each of its results is one. Candidate i is a chain of its own, with the seed of `generate` + i.

    Attributes:
        generate: the first round without its candidates; its prompt is the person's words, or a structured caption
            that is taken as it is.
        num_candidates: chains, each judged and rewritten while the others generate.
        max_rewrites: rounds after the first one (the report's submission: 2).
        good_enough: an overall score that ends the loop when no issue is severe (the report's: 9).
        budget_s: no rewrite is begun after so many seconds, times when the server was down not counted.
        budget_tokens: nor after so many tokens read and written by the three roles.
        upsampler, critic, rewriter: who takes each role.
        attempts: answers that are asked for until one can be used.
    """

    kind: Literal["refine_image"] = "refine_image"
    generate: Annotated[GenerateImage | GenerateVideo, Field(discriminator="kind")]
    num_candidates: int = Field(
        default=1, ge=1, le=MAX_CANDIDATES, description="Independent chains, each with its own seed"
    )
    max_rewrites: int = Field(default=2, ge=0, le=MAX_REWRITES, description="Maximum number of rewrites per chain")
    good_enough: float = Field(default=9.0, ge=0, le=10, allow_inf_nan=False, description="Stop at this score")
    budget_s: float | None = Field(
        default=None, gt=0, le=1e6, allow_inf_nan=False, description="Start no rewrite after this many seconds"
    )
    budget_tokens: int | None = Field(
        default=None, ge=1, le=10**9, description="Start no rewrite after this many tokens"
    )
    upsampler: Answerer = "server"
    critic: Answerer = "server"
    rewriter: Answerer = "server"
    attempts: int = Field(default=3, ge=1, le=10)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        made = self.generate
        if isinstance(made, GenerateVideo) and made.start_image is None:
            raise ValueError("only image-to-video requests can be refined; send generate.start_image")
        if made.count != 1:
            raise ValueError(f"generate.count is {made.count}; send num_candidates instead")
        if made.sampling.seed + self.num_candidates - 1 > MAX_SEED:
            raise ValueError(f"{self.num_candidates} candidates need seeds above {MAX_SEED}; use a smaller seed")
        return self
