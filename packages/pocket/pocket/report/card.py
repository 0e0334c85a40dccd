"""The card as a Markdown table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HEAD = "| what | value | 95 % | n | chance | ceiling | bar |"


def markdown(card: Mapping[str, Any]) -> str:
    """The table of a card from `pocket.report.running.run_card`, with what chance and ceiling are below it."""
    effort = card["effort"]
    how = [f"form {card['form']}", f"seed {card['seed']}"]
    how += [f"precision {effort['precision']}"] if effort["precision"] != "exact" else []
    how += [f"step cache {effort['step_cache']}"] if effort["step_cache"] else []
    lines = [
        f"Checkpoint `{card['checkpoint']}` (`{card['fingerprint']}`), {', '.join(how)}.",
        "",
        HEAD,
        "|---|---|---|---|---|---|---|",
    ]
    exams: Mapping[str, Mapping[str, Any]] = card["exams"]
    for exam in exams.values():
        lines += [_line(figure) for figure in exam["figures"].values()]
    lines += ["", "An arrow shows which direction is better. The same code scores candidate, chance and ceiling:", ""]
    lines += [
        f"* `{name}`: chance is {exam['chance_is']}; the ceiling {exam['ceiling_is']}."
        for name, exam in exams.items()
        if exam["ceiling_is"]
    ]
    if "answers_after_s" in card:
        waits = f"{card['answers_after_s']:.3g} s"
        lines += [
            "",
            f"The closed loop ran on a simulated clock; an answer arrived {waits} after its question: the fastest "
            "measured chunk, rounded up to a tick, 0.4 s at least.",
        ]
    if "loop" in (real := exams.get("real_time", {})):
        lines += ["", _kept_time(real["loop"])]
    took_s = sum(exam["took_s"] for exam in exams.values())
    return "\n".join([*lines, "", f"The exams took {took_s / 60:.1f} minutes.", ""])


def _kept_time(loop: Mapping[str, Any]) -> str:
    """How the loop kept its time in the last minute of what ran in real time."""
    num_turns = loop["num_gaps"] + loop["num_played"]
    p50, p95 = (_seconds(loop[f"latency_{name}_s"]) for name in ("p50", "p95"))
    return (
        f"In real time the loop ran {loop['rate_hz']:.2f} times a second and missed {loop['num_missed']} ticks; "
        f"rows arrived after {p50} (p95 {p95}); {loop['num_gaps']} of {num_turns} ticks of a run had none."
    )


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"


def _line(figure: Mapping[str, Any]) -> str:
    chance = _said(figure["chance"], figure)
    if figure["idle"] is not None:
        chance = f"{chance}; {_said(figure['idle'], figure)} idle"
    span = "–" if figure["low"] is None else f"{_said(figure['low'], figure)} to {_said(figure['high'], figure)}"
    sign = ("≥ " if figure["higher_is_better"] else "≤ ") if figure["bar"] is not None else ""
    cells = (
        f"{figure['title']} {'↑' if figure['higher_is_better'] else '↓'}",
        _said(figure["value"], figure),
        span,
        str(figure["num_samples"]),
        chance,
        _said(figure["ceiling"], figure),
        f"{sign}{_said(figure['bar'], figure)}",
    )
    return f"| {' | '.join(cells)} |"


def _said(value: float | None, figure: Mapping[str, Any]) -> str:
    if value is None:
        return "–"
    return f"{value:.0%}" if figure["kind"] == "rate" else f"{value:.{figure['digits']}f}"
