"""One exam after the other, each kept as soon as it is done, so that a card that was broken off goes on."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pocket.report.candidate import Candidate, Effort
from pocket.report.closed_loop import ClosedLoop
from pocket.report.contact_sheet import save_sheet
from pocket.report.exam import Exam, Figure, Marks, estimate, interval
from pocket.report.examiners import Answered, Examiners, ExamQuestion
from pocket.report.exams import EXAMS, Form, FormName
from pocket.report.pacing import Pacing, answers_after_s
from pocket.report.real_time import FIGURES, marked, try_in_real_time
from pocket.report.rendering import keep, missing

Say = Callable[[str], None]
Json = dict[str, Any]

REAL_TIME = "real_time"
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Sitting:
    """How a card is run.

    Attributes:
        seed: of the questions; 0 is the card that is published.
        num_processes: that ask; see `pocket.report.examiners`.
        kept: JSON file that is written after every exam. What it holds of the same checkpoint, form and seed is kept.
        only: names of exams; all without.
        num_real: tables that are also tried in real time.
        shows: folder for a contact sheet of every exam; none without. Those that are kept from before have theirs.
    """

    seed: int = 0
    num_processes: int = 1
    kept: Path | None = None
    only: Sequence[str] = ()
    num_real: int = 0
    shows: Path | None = None


def fingerprint(folder: Path) -> str:
    """Sixteen digits of a checkpoint's files and their names."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode())
        with path.open("rb") as file:
            while part := file.read(CHUNK_BYTES):
                digest.update(part)
    return digest.hexdigest()[:16]


def run_card(folder: Path, form_name: FormName, form: Form, sitting: Sitting, say: Say) -> Json:
    """The card of a checkpoint as JSON; see `pocket.report.card` for the table.

    Raises:
        NotACheckpoint, BrokenCheckpoint: it cannot be loaded.
        NotAllowed: it cannot do what an exam asks for.
        NotInstalled: there is no OpenGL that draws without a screen.
    """
    card: Json = {
        "checkpoint": folder.name,
        "fingerprint": fingerprint(folder),
        "form": form_name,
        "seed": sitting.seed,
        "effort": asdict(form.effort),
        "exams": {},
    }
    card["exams"] = _kept_exams(sitting.kept, card)
    candidate = Candidate(folder, form.effort)
    with Examiners(candidate, folder, sitting.num_processes) as examiners:
        for exam in wanted_exams(sitting.only):
            before = card["exams"].get(exam.name)
            if before is not None and before["asked"] == form.counts[exam.name]:
                say(f"{exam.name}: kept from before")
            else:
                card["exams"][exam.name] = run_exam(exam, examiners, form.counts[exam.name], sitting, say)
                _keep(sitting.kept, card)
            if exam.name == Pacing.name:
                # Whatever else the machine does only adds to a time: the fastest is its own.
                chunk_s = min(card["exams"][exam.name]["figures"]["policy_chunk_s"]["samples"])
                card["answers_after_s"] = candidate.answers_after_s = answers_after_s(chunk_s)
    if sitting.num_real:
        card["exams"][REAL_TIME] = run_real_time(folder, sitting, say)
        _keep(sitting.kept, card)
    # In the order of the table, whatever was kept from before.
    order = [*(exam.name for exam in EXAMS), REAL_TIME]
    card["exams"] = {name: card["exams"][name] for name in order if name in card["exams"]}
    return card


def run_real_time(folder: Path, sitting: Sitting, say: Say) -> Json:
    """The policy's tables on the machine's own clock, in the shape of an exam's part of the card."""
    began_s = time.monotonic()
    trials, kept_time = try_in_real_time(folder, sitting.num_real, sitting.seed, say)
    samples = {"candidate": marked(trials)}
    return {
        "asked": sitting.num_real,
        "took_s": round(time.monotonic() - began_s, 1),
        "ceiling_is": "",
        "chance_is": "",
        "loop": kept_time.to_json(),
        "figures": {figure.name: figure_of(figure, samples) for figure in FIGURES},
    }


def wanted_exams(only: Sequence[str]) -> list[Exam[Any, Any]]:
    """Those that are named, or all; with the policy's what says how long its answers take."""
    names = {*only, Pacing.name} if ClosedLoop.name in only else set(only)
    return [exam for exam in EXAMS if not names or exam.name in names]


def run_exam(exam: Exam[Any, Any], examiners: Examiners, count: int, sitting: Sitting, say: Say) -> Json:
    """All questions of one exam, to the candidate and to who stands beside it."""
    began_s = time.monotonic()
    if exam.view is not None:
        numbers = missing(exam.view, min(count, exam.max_scenes or count), sitting.seed)
        say(f"{exam.name}: rendering {len(numbers)} scenes")
        for number, episode in zip(numbers, examiners.render(exam.view, numbers), strict=True):
            keep(exam.view, number, episode)
    tasks = exam.tasks(count, sitting.seed)
    answers: list[Answered] = []
    for answered in examiners.ask(questions_of(exam, tasks, shows=sitting.shows is not None), alone=exam.alone):
        answers.append(answered)
        say(f"{exam.name}: {len(answers)} of {len(tasks)}, {time.monotonic() - began_s:.0f} s")
    if sitting.shows is not None:
        save_sheet(sitting.shows / f"{exam.name}.png", answers)
    samples = {
        who: [each.marks[who] for each in answers if who in each.marks]
        for who in ("candidate", "ceiling", "chance", "idle")
    }
    return {
        "asked": count,
        "took_s": round(time.monotonic() - began_s, 1),
        "ceiling_is": exam.ceiling_is,
        "chance_is": exam.chance_is,
        "figures": {figure.name: figure_of(figure, samples) for figure in exam.figures},
    }


def questions_of(exam: Exam[Any, Any], tasks: Sequence[Any], *, shows: bool = False) -> list[ExamQuestion]:
    """What knows nothing has the next question in its hands; of a single question it is its own."""
    num_beside = min(len(tasks), exam.num_beside or len(tasks))
    return [
        ExamQuestion(exam, task, tasks[(index + 1) % num_beside] if index < num_beside else None, shows)
        for index, task in enumerate(tasks)
    ]


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


def _keep(kept: Path | None, card: Json) -> None:
    if kept is not None:
        part = kept.with_suffix(kept.suffix + ".part")
        part.write_text(json.dumps(card, indent=1) + "\n")
        part.replace(kept)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 5)


def _kept_exams(kept: Path | None, card: Mapping[str, Any]) -> Json:
    """Exams of an earlier run of the same card; anything else is begun anew."""
    if kept is None or not kept.is_file():
        return {}
    try:
        before = json.loads(kept.read_text())
        # Cards from before the last fields of `Effort` had what these are by default.
        before["effort"] = asdict(Effort()) | before["effort"]
        same = all(before[name] == value for name, value in card.items() if name != "exams")
        return dict(before["exams"]) if same else {}
    except (ValueError, KeyError, TypeError):
        return {}
