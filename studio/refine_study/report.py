"""What a study tells: how much one picture to a prompt is better than the other, in figures and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import numpy as np

from studio.refine_study.trials import Contrast, Picture, Plan, Side, Trial, Verdict

MIN_PROMPTS = 10
"""Below, nothing is said: with five prompts even five wins are chance once in sixteen."""
NUM_DRAWS = 10_000
QUANTILES = (0.025, 0.975)
MAX_CHANCE = 0.05
SCORE = "score"

PAIRS: tuple[tuple[Side, Side], ...] = (("kept", "first"), ("last", "first"), ("kept", "chosen"))

NAMES = {"first": "without the loop", "last": "last rewrite", "kept": "loop", "chosen": "best of as many seeds"}

SAID: dict[Verdict, str] = {
    "better": "**Yes**",
    "worse": "**No, it makes them worse**",
    "no difference shown": "**Not shown**",
    "too few prompts": f"**Too few prompts** (fewer than {MIN_PROMPTS})",
}


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


def markdown_of(plan: Plan, trials: Sequence[Trial], contrasts: Sequence[Contrast], headline: str | None) -> str:
    """The report.

    Args:
        headline: the rule that answers the question; none leaves it to the critic's score.
    """
    done = [trial for trial in trials if trial.done]
    failed = [trial for trial in trials if trial.error is not None]
    lines = ["# Does refining help?", "", _counted(plan, done, failed), ""]
    lines += [*_answers(contrasts, headline or SCORE), ""] if contrasts else []
    lines += [_how(plan), ""]
    if contrasts:
        lines += _table(contrasts)
        lines += ["", *_costs(done)]
    if failed:
        lines += ["", "Left out:", *(f"* {one.prompt}: {one.error.message}" for one in failed if one.error)]
    return "\n".join(lines) + "\n"


def _counted(plan: Plan, done: Sequence[Trial], failed: Sequence[Trial]) -> str:
    said = [f"{len(done)} of {len(plan.prompts)} prompts"]
    said += [f"{len(failed)} failed and left out"] if failed else []
    said += [f"at most {plan.max_rewrites} rewrites, stop at score {plan.good_enough:g}"]
    return "; ".join(said) + "."


def _answers(contrasts: Sequence[Contrast], headline: str) -> list[str]:
    by = "critic's score" if headline == SCORE else f"rule `{headline}`"
    questions = {
        ("kept", "first"): f"Is the loop's best image better than the first image, by the {by}?",
        ("last", "first"): f"Is the last rewrite better than the first image, by the {by}?",
        ("kept", "chosen"): f"Is it better than the best of as many seeds without a rewrite, by the {by}?",
    }
    return [
        f"* {questions[one.side, one.against]} {SAID[one.verdict]}: {_difference(one)}."
        for one in contrasts
        if one.measure == headline
    ]


def _difference(one: Contrast) -> str:
    return f"{one.difference:+.2f} ({one.low:+.2f} to {one.high:+.2f}), {one.wins} better, {one.losses} worse"


def _how(plan: Plan) -> str:
    judged = (
        f"Rules: {plan.rules}. They know what each prompt asks for, and see only pixels."
        if plan.rules
        else "No rules know what these prompts ask for: the critic that steers the loop is the only judge of it here."
    )
    return (
        "Every prompt is upsampled once; its image is the loop's first and the image without the loop. The loop keeps "
        "the image that its critic scores highest, so its score cannot be below the first image's. The fair "
        "comparisons by score are the last rewrite against the first image, and the loop against the best of as many "
        f"seeds by the same critic. {judged} Intervals are 95 %, by bootstrap over prompts. A result is better or "
        "worse where the interval excludes 0 and a sign test agrees (p < 0.05)."
    )


def _table(contrasts: Sequence[Contrast]) -> list[str]:
    lines = [
        "| measure | this | against that | this | that | difference | 95 % | wins / ties / losses | p | verdict |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in contrasts:
        cells = (
            one.measure,
            NAMES[one.side],
            NAMES[one.against],
            f"{one.mean:.2f}",
            f"{one.mean_against:.2f}",
            f"{one.difference:+.2f}",
            f"{one.low:+.2f} to {one.high:+.2f}",
            f"{one.wins} / {one.ties} / {one.losses}",
            f"{one.chance:.3f}",
            one.verdict,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _costs(done: Sequence[Trial]) -> list[str]:
    lines = [f"A loop made {fmean(trial.num_pictures for trial in done):.1f} images on average."]
    for name, costs in (
        ("Loop", [trial.loop_spent for trial in done]),
        ("Seeds without a rewrite", [trial.control_spent for trial in done]),
    ):
        known = [cost for cost in costs if cost]
        if known:
            tokens, seconds = fmean(cost.tokens for cost in known), fmean(cost.seconds for cost in known)
            lines.append(f"{name}: {seconds:.1f} s and {tokens:,.0f} tokens a prompt.")
    noise = [
        abs(trial.first_again - trial.first.score) for trial in done if trial.first and trial.first_again is not None
    ]
    if noise:
        lines.append(f"Asked twice about the same first image, the critic differed by {fmean(noise):.2f} on average.")
    return [" ".join(lines)]
