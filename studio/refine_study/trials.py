"""A study as data: what is asked of every prompt, and what came of each."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from studio.jobs import Failure
from studio.refinements import Refinement
from studio.requests import Frozen
from studio.requests.refine_image import MAX_CANDIDATES

Side = Literal["first", "last", "kept", "chosen"]
Verdict = Literal["better", "worse", "no difference shown", "too few prompts"]


class Plan(Frozen):
    """What a study asks for; a folder that holds another one is not gone on with.

    Attributes:
        prompts: a person's words.
        seed: of the first prompt's picture; each next prompt has one higher by `SEED_STRIDE`.
        generate: fields of every picture but its prompt and seed.
        max_rewrites, good_enough: of every loop (`RefineImage`); its control has a candidate for each of its pictures.
        rules: what follows prompts by rules, in words; empty where only the critic judges.
    """

    prompts: tuple[str, ...] = Field(min_length=1)
    seed: int = Field(default=0, ge=0, description="Seed of the first prompt")
    generate: dict[str, Any] = Field(default_factory=dict)
    max_rewrites: int = Field(default=2, ge=1, le=MAX_CANDIDATES - 1, description="Maximum number of rewrites per loop")
    good_enough: float = Field(default=9.0, ge=0, le=10, description="Stop a loop at this score")
    rules: str = ""


class Picture(Frozen):
    """One result of a refinement.

    Attributes:
        node: its number in the tree.
        media_id: where it is.
        score: the critic's overall score.
        marks: what of the prompt it follows, by rule.
    """

    node: int
    media_id: str
    score: float
    marks: dict[str, bool] = Field(default_factory=dict)


class Spent(Frozen):
    """What one refinement took."""

    seconds: float
    tokens: int

    @classmethod
    def of(cls, tree: Refinement) -> Spent:
        """As the server counted it."""
        return cls(seconds=tree.spent_s, tokens=tree.spent_tokens)


class Trial(Frozen):
    """One prompt. Loop and control are refinements of the server, and are begun at most once each.

    Attributes:
        first: what there is without the loop: the upsampled prompt's picture, which is the loop's first round.
        last: the last rewrite's, whatever the critic made of it.
        kept: the best of the loop by the critic: what a person gets.
        chosen: the best by the critic of as many seeds of the first prompt, nothing rewritten.
        first_again: the score that `first` got when it was made and judged once more, beside the other seeds.
        num_pictures: that the loop made, and the control.
        error: why there is no more; the next run of the command tries again.
    """

    prompt: str
    loop_id: str | None = None
    control_id: str | None = None
    first: Picture | None = None
    last: Picture | None = None
    kept: Picture | None = None
    chosen: Picture | None = None
    first_again: float | None = None
    num_pictures: int = 0
    loop_spent: Spent | None = None
    control_spent: Spent | None = None
    error: Failure | None = None

    @property
    def done(self) -> bool:
        """Whether nothing is left to do about it."""
        return self.chosen is not None


class Contrast(Frozen):
    """One measure of two pictures to each prompt.

    Attributes:
        side, against: which pictures.
        measure: `score`, 0 to 10, or the name of a rule, 0 or 1.
        num: prompts.
        mean, mean_against: of the measure.
        difference: of the means.
        low, high: its 95 % interval, by bootstrap over prompts.
        wins, ties, losses: prompts where `side` is better, equal, worse.
        chance: that as uneven a record of wins and losses comes from a coin (two-sided sign test).
        verdict: better or worse where the interval leaves out 0 and the record is no coin's.
    """

    side: Side
    against: Side
    measure: str
    num: int
    mean: float
    mean_against: float
    difference: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int
    chance: float
    verdict: Verdict


class Study(Frozen):
    """A whole study: `study.json`."""

    plan: Plan
    trials: tuple[Trial, ...]
    contrasts: tuple[Contrast, ...] = ()
