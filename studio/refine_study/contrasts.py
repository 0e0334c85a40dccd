"""Pairs of pictures to the same prompt: how much one is better than the other, and what can be said of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from studio.refine_study.trials import Contrast, Picture, Side, Trial, Verdict

MIN_PROMPTS = 10
"""Below, nothing is said: with five prompts even five wins are chance once in sixteen."""
NUM_DRAWS = 10_000
QUANTILES = (0.025, 0.975)
MAX_CHANCE = 0.05
SCORE = "score"

PAIRS: tuple[tuple[Side, Side], ...] = (("kept", "first"), ("last", "first"), ("kept", "chosen"))


def contrasts_of(trials: Sequence[Trial]) -> tuple[Contrast, ...]:
    """All that a study can tell, of the trials that are done; scores first, then each rule."""
    done = [trial for trial in trials if trial.done]
    if not done:
        return ()
    first = _pictures(done, "first")
    measures = (SCORE, *first[0].marks)
    return tuple(
        contrast(side, against, measure, _values(done, side, measure), _values(done, against, measure))
        for measure in measures
        for side, against in PAIRS
    )


def contrast(side: Side, against: Side, measure: str, values: Sequence[float], others: Sequence[float]) -> Contrast:
    """Two pictures to each prompt, in the order of prompts.

    The interval is the percentile bootstrap's (Efron 1979): prompts are drawn with replacement, each with both of its
    pictures. With few prompts and many ties it is too narrow, hence the sign test beside it.
    """
    ours, theirs = np.array(values, np.float64), np.array(others, np.float64)
    differences = ours - theirs
    drawn = np.random.default_rng(0).integers(len(differences), size=(NUM_DRAWS, len(differences)))
    low, high = (float(end) for end in np.quantile(differences[drawn].mean(axis=1), QUANTILES))
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    chance = sign_chance(wins, losses)
    verdict: Verdict = "no difference shown"
    if len(differences) < MIN_PROMPTS:
        verdict = "too few prompts"
    elif chance < MAX_CHANCE and (low > 0 or high < 0):
        verdict = "better" if low > 0 else "worse"
    return Contrast(
        side=side,
        against=against,
        measure=measure,
        num=len(differences),
        mean=float(ours.mean()),
        mean_against=float(theirs.mean()),
        difference=float(differences.mean()),
        low=low,
        high=high,
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
        chance=chance,
        verdict=verdict,
    )


def sign_chance(wins: int, losses: int) -> float:
    """How likely a fair coin is as uneven, ties left out: 5 to 0 is 2 of 32."""
    num, fewer = wins + losses, min(wins, losses)
    return min(1.0, 2 * sum(math.comb(num, count) for count in range(fewer + 1)) / 2**num)


def _pictures(done: Sequence[Trial], side: Side) -> list[Picture]:
    found = [getattr(trial, side) for trial in done]
    assert all(isinstance(picture, Picture) for picture in found)
    return found


def _values(done: Sequence[Trial], side: Side, measure: str) -> list[float]:
    return [picture.score if measure == SCORE else float(picture.marks[measure]) for picture in _pictures(done, side)]
