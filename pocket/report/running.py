"""One exam after the other, each kept as soon as it is done, so that a card that was broken off goes on."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from pocket.report.candidate import Candidate
from pocket.report.exam import Exam, Figure, Marks
from pocket.report.exams import EXAMS, Form, FormName
from pocket.report.intervals import estimate, interval

Say = Callable[[str], None]
Json = dict[str, Any]

CHUNK_BYTES = 1 << 20


def fingerprint(folder: Path) -> str:
    """Sixteen digits of a checkpoint's files and their names."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode())
        with path.open("rb") as file:
            while part := file.read(CHUNK_BYTES):
                digest.update(part)
    return digest.hexdigest()[:16]


def run_card(
    folder: Path, form_name: FormName, form: Form, seed: int, kept: Path | None, say: Say, only: Sequence[str] = ()
) -> Json:
    """The card of a checkpoint as JSON; see `pocket.report.card` for the table.

    Args:
        seed: of the questions; 0 is the card that is published.
        kept: JSON file that is written after every exam. What it holds of the same checkpoint, form and seed is kept.
        only: names of exams; all without.

    Raises:
        NotACheckpoint, BrokenCheckpoint: it cannot be loaded.
        NotAllowed: it cannot do what an exam asks for.
        NotInstalled: there is no OpenGL that draws without a screen.
    """
    card: Json = {
        "checkpoint": folder.name,
        "fingerprint": fingerprint(folder),
        "form": form_name,
        "seed": seed,
        "effort": asdict(form.effort),
        "exams": {},
    }
    card["exams"] = _kept_exams(kept, card)
    candidate = Candidate(folder, form.effort)
    exams = [exam for exam in EXAMS if not only or exam.name in only]
    for exam in exams:
        count = form.counts[exam.name]
        before = card["exams"].get(exam.name)
        if before is not None and before["asked"] == count:
            say(f"{exam.name}: kept from before")
            continue
        card["exams"][exam.name] = run_exam(exam, candidate, count, seed, say)
        if kept is not None:
            part = kept.with_suffix(kept.suffix + ".part")
            part.write_text(json.dumps(card, indent=1) + "\n")
            part.replace(kept)
    # In the order of the table, whatever was kept from before.
    card["exams"] = {exam.name: card["exams"][exam.name] for exam in EXAMS if exam.name in card["exams"]}
    return card


def run_exam(exam: Exam[Any, Any], candidate: Candidate, count: int, seed: int, say: Say) -> Json:
    """All questions of one exam, to the candidate and to who stands beside it."""
    began_s = time.monotonic()
    say(f"{exam.name}: rendering {count} questions")
    tasks = exam.tasks(count, seed)
    marks: list[Marks] = []
    for index, task in enumerate(tasks, 1):
        marks.append(exam.mark(task, exam.ask(candidate, task)))
        say(f"{exam.name}: {index} of {len(tasks)}, {time.monotonic() - began_s:.0f} s")
    samples = {"candidate": marks, **beside(exam, tasks)}
    return {
        "asked": count,
        "took_s": round(time.monotonic() - began_s, 1),
        "ceiling_is": exam.ceiling_is,
        "chance_is": exam.chance_is,
        "figures": {figure.name: figure_of(figure, samples) for figure in exam.figures},
    }


def beside(exam: Exam[Any, Any], tasks: Sequence[Any]) -> dict[str, list[Marks]]:
    """Marks of the right answers ("ceiling"), of what knows nothing ("chance") and of what does nothing ("idle").

    What knows nothing has the next question in its hands; of a single question it is its own.
    """
    some = list(islice(tasks, exam.num_beside))
    others = [*some[1:], *some[:1]]
    still = [(task, exam.idle(task)) for task in some]
    return {
        "ceiling": [exam.mark(task, exam.truth(task)) for task in some],
        "chance": [exam.mark(task, exam.ignorant(task, other)) for task, other in zip(some, others, strict=True)],
        "idle": [exam.mark(task, answer) for task, answer in still if answer is not None],
    }


def figure_of(figure: Figure, samples: Mapping[str, Sequence[Marks]]) -> Json:
    """One figure: its value, interval and number of samples, chance and ceiling; null where there is none."""
    values = {
        who: [marks[figure.name] for marks in samples.get(who, ()) if figure.name in marks]
        for who in ("candidate", "ceiling", "chance", "idle")
    }
    low, high = interval(values["candidate"], figure.kind)
    levels = {who: _number(estimate(values[who], figure.kind)) for who in ("ceiling", "chance", "idle")}
    if not figure.has_chance:
        levels |= {"chance": None, "idle": None}
    return {
        "title": figure.title,
        "kind": figure.kind,
        "higher_is_better": figure.higher,
        "digits": figure.digits,
        "bar": figure.bar,
        "value": _number(estimate(values["candidate"], figure.kind)),
        "low": _number(low),
        "high": _number(high),
        "num_samples": len(values["candidate"]),
        **levels,
        "num_beside": len(values["ceiling"]),
        "samples": [_number(value) for value in values["candidate"]],
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 5)


def _kept_exams(kept: Path | None, card: Mapping[str, Any]) -> Json:
    """Exams of an earlier run of the same card; anything else is begun anew."""
    if kept is None or not kept.is_file():
        return {}
    try:
        before = json.loads(kept.read_text())
        same = all(before[name] == value for name, value in card.items() if name != "exams")
        return dict(before["exams"]) if same else {}
    except (ValueError, KeyError, TypeError):
        return {}
