"""The card as a Markdown table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HEAD = "| what | value | 95 % | n | chance | ceiling | bar |"


def markdown(card: Mapping[str, Any]) -> str:
    """The table of a card from `pocket.report.running.run_card`, with what chance and ceiling are below it."""
    lines = [
        f"Checkpoint `{card['checkpoint']}` (`{card['fingerprint']}`), form {card['form']}, seed {card['seed']}.",
        "",
        HEAD,
        "|---|---|---|---|---|---|---|",
    ]
    exams: Mapping[str, Mapping[str, Any]] = card["exams"]
    for exam in exams.values():
        lines += [_line(figure) for figure in exam["figures"].values()]
    lines += ["", "Arrows show where better is. Chance and ceiling have the same marks from the same code:", ""]
    lines += [
        f"* {name}: chance is {exam['chance_is']}; the ceiling {exam['ceiling_is']}." for name, exam in exams.items()
    ]
    took_s = sum(exam["took_s"] for exam in exams.values())
    return "\n".join([*lines, "", f"All of it took {took_s / 60:.1f} minutes.", ""])


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
