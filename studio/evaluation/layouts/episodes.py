"""`episode_results.jsonl`: a line an episode, as RoboLab's evaluation writes it and `orrery evaluate-policy` too.

Fields of RoboLab (github.com/NVlabs/RoboLab, `robolab/eval/summarize.py`): `task_name` (or `env_name`), `episode`,
`policy`, `instruction`, `instruction_type`, `success`, `score`, `duration` in seconds, `reason`, and `events`, which
counts what happened by name and lists `wrong_objects_grabbed`. Others are ignored. Ours: those of `EpisodeResult`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple, cast

from studio.errors import BadInput
from studio.evaluation.answers import Answer
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.episodes import EpisodeResult
from studio.evaluation.layouts.rows import LocatedRow, assemble, read_rows, slug
from studio.requests import parse_as, shown

FILE = "episode_results.jsonl"

OWN = ("score", "reached", "grasped", "lifted", "wrong_object", "stopped", "answer_s", "reason")
WRONG = ("WRONG_OBJECT_GRABBED", "wrong_objects_grabbed")


class Episodes(NamedTuple):
    """What a file of episodes says.

    Attributes:
        benchmark: an item for each episode, by instruction level.
        answers: one to each.
        policy: who drove; empty where the file does not say.
    """

    benchmark: Benchmark
    answers: tuple[Answer, ...]
    policy: str


def read_episodes(path: Path) -> Episodes:
    """The episodes of a file, or of `episode_results.jsonl` in a folder.

    Raises:
        BadInput: there is no such file, a row lacks a field, or several policies drove.
    """
    file = path / FILE if path.is_dir() else path
    if not file.is_file():
        raise BadInput(f"{file} was not found.", param="path")
    rows = read_rows(file)
    if not rows:
        raise BadInput(f"{file} has no episodes.", param="path")
    policies = sorted({_text(row, "policy", "") for row in rows})
    if len(policies) != 1:
        raise BadInput(f"{file.name} has episodes of {', '.join(map(shown, policies))}; expected one policy.")
    tasks = list(dict.fromkeys(_task(row) for row in rows))
    fields = {"name": slug(tasks[0] if len(tasks) == 1 else file.parent.name), "form": "policy"}
    if len(tasks) > 1:
        fields["title"] = f"{len(tasks)} tasks of {file.parent.name}"
    benchmark = assemble(fields, [_item(row) for row in rows], file.parent, file.name)
    answers = tuple(
        Answer(item=item.id, text=result.to_text(), seconds=result.seconds)
        for item, result in zip(benchmark.items, map(_result, rows), strict=True)
    )
    return Episodes(benchmark, answers, policies[0])


def line_of(item: Item, result: EpisodeResult, policy: str) -> str:
    """An episode as a line of such a file, without the line break."""
    task, _, episode = item.id.rsplit("/", 2)
    fields = {
        "task_name": task,
        "episode": int(episode) if episode.isdecimal() else episode,
        "policy": policy,
        "instruction": item.question,
        "instruction_type": item.category,
        "object": item.reference,
        "success": result.success,
        "duration": result.seconds,
    }
    own = {name: getattr(result, name) for name in OWN}
    return json.dumps({**fields, **own}, ensure_ascii=False)


def _item(row: LocatedRow) -> LocatedRow:
    """A row of `Item`: one for each episode, so that intervals are over episodes."""
    level, episode = _text(row, "instruction_type", "default"), row.fields.get("episode")
    if isinstance(episode, bool) or not isinstance(episode, int | str):
        raise row.origin.fault(f"episode is {shown(episode)}; expected a number.", "episode")
    item = {
        "id": f"{_task(row)}/{level}/{episode}",
        "question": _text(row, "instruction"),
        "category": level,
        "reference": row.fields.get("object"),
    }
    return LocatedRow(row.origin, item)


def _result(row: LocatedRow) -> EpisodeResult:
    own = {name: row.fields[name] for name in OWN if row.fields.get(name) is not None}
    events: Any = row.fields.get("events")
    if isinstance(events, dict) and "wrong_object" not in own:
        counts = cast(dict[str, Any], events)
        own["wrong_object"] = any(counts.get(name) for name in WRONG)
    given = {"success": row.fields.get("success"), "seconds": row.fields.get("duration"), **own}
    try:
        return parse_as(EpisodeResult, given)
    except BadInput as error:
        field = "duration" if error.param == "seconds" else error.param or ""
        raise row.origin.fault(error.message, field, error.hint) from None


def _task(row: LocatedRow) -> str:
    return _text(row, "task_name" if row.fields.get("task_name") else "env_name")


def _text(row: LocatedRow, field: str, missing: str | None = None) -> str:
    value = row.fields.get(field)
    if value is None and missing is not None:
        return missing
    if not isinstance(value, str) or (not value and missing is None):
        raise row.origin.fault(f"{field} is {shown(value)}; expected text.", field)
    return value
