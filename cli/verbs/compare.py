"""`orrery compare`: the same work done in several ways, as one grid."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from cli.attachments import Attachments, fetch
from cli.flags import TargetFlags, with_flags
from cli.printed import SOME_FAILED, one_line, print_table
from cli.target import connected
from studio.client import StudioClient
from studio.comparisons import METRICS, Cell, CompareRequest, Comparison, ExportForm
from studio.errors import BadInput
from studio.jobs import Failure
from studio.requests import Reason, parse_as
from studio.specs import check_fields, make_samples, read_entries, remote_files

SUFFIXES: dict[str, Literal["mp4", "zip", "csv"]] = {".mp4": "mp4", ".zip": "zip", ".csv": "csv"}

WORDS = ("checkpoint", "resolution", "aspect_ratio", "prompt", "negative_prompt")
"""Fields whose values are words, also where they look like numbers."""


@with_flags
def compare(
    *,
    prompts: Annotated[list[str] | None, typer.Argument(metavar="[PROMPT]...", help="Prompts, one row each.")] = None,
    checkpoints: Annotated[
        list[str] | None,
        typer.Option(
            "--checkpoint", "-c", envvar="ORRERY_CHECKPOINT", help="A checkpoint, one column each; may be repeated."
        ),
    ] = None,
    axes: Annotated[
        list[str] | None,
        typer.Option(
            "--axis",
            "-x",
            envvar="ORRERY_AXIS",
            help="FIELD=VALUE,VALUE adds columns, for example sampling.seed=1,2; one value sets the field for all. "
            "replace=red,blue,green replaces words of the prompts.",
        ),
    ] = None,
    items: Annotated[
        list[str] | None,
        typer.Option(
            "--item", envvar="ORRERY_ITEM", help="A library item to make again from its recipe, one row each."
        ),
    ] = None,
    specs: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", envvar="ORRERY_INPUT", help="NVIDIA spec files or globs, one row per sample."),
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_TRUTH", help="A library video as ground truth for the prompts' results."),
    ] = None,
    starts: Annotated[
        str, typer.Option(envvar="ORRERY_STARTS", help="Rows for --truth, comma-separated: t2v, i2v, v2v.")
    ] = "t2v,i2v,v2v",
    kind: Annotated[
        str,
        typer.Option(envvar="ORRERY_KIND", help="What to generate from the prompts: generate_image or generate_video."),
    ] = "generate_video",
    request: Annotated[
        Path | None,
        typer.Option(
            envvar="ORRERY_REQUEST", help="A JSON file with the whole comparison, instead of the other options."
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output", "-o", envvar="ORRERY_OUTPUT", help="Export to FILE.mp4, .zip or .csv when it has ended."
        ),
    ] = None,
    heard: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_HEARD",
            metavar="ROW,COLUMN",
            help="The cell whose sound FILE.mp4 gets, counted from 1 [the first with sound].",
        ),
    ] = None,
    target: TargetFlags,
) -> None:
    """Run prompts and recipes on several checkpoints or with several values of any field; wait, and print the cost.

    The server must be running. It continues if this command is stopped, and its page shows the grid.
    """
    forms: list[tuple[Path, ExportForm]] = [(path, form_of(path)) for path in output or ()]
    heard_at = place_of(heard) if heard else None
    if heard_at and not any(form == "mp4" for _, form in forms):
        raise BadInput("--heard needs an .mp4 output.", param="heard", hint="Set one: --output FILE.mp4")
    said: dict[str, Any] = (
        _read(request) if request else {"subjects": [], "axes": axes_of(checkpoints or [], axes or [])}
    )
    followed: dict[str, Any] = (
        {"reference": truth, "starts": [start.strip() for start in starts.split(",")]} if truth else {}
    )
    subjects: list[Any] = [*said["subjects"]]
    subjects += [{"request": {"kind": kind, "prompt": prompt}, **followed} for prompt in prompts or ()]
    subjects += [{"item": item} for item in items or ()]
    if not (subjects or specs):
        raise BadInput("There is nothing to compare.", param="prompt", hint="Give prompts or an --item.")

    async def run() -> Comparison:
        async with connected(target) as client:
            rows = [*subjects, *(await _subjects_of(client, specs) if specs else ())]
            asked = parse_as(CompareRequest, {**said, "subjects": rows})
            found = await client.comparisons.submit(asked)
            print(f"{client.base_url}/compare?id={found.id}")
            if heard_at and not (heard_at[0] < len(found.rows) and heard_at[1] < len(found.columns)):
                raise BadInput(
                    f"--heard is row {heard_at[0] + 1}, column {heard_at[1] + 1} of "
                    f"{len(found.rows)} x {len(found.columns)} cells.",
                    param="heard",
                    hint="The comparison continues; you can export it on its page.",
                )
            found = await client.comparisons.wait(found.id)
            found = await client.comparisons.measure(found.id)
            for path, form in sorted(forms, key=lambda each: each[1] == "mp4"):  # what is heard may not be there
                sound = _sound_of(found, *heard_at) if heard_at and form == "mp4" else None
                await client.comparisons.save_export(found.id, form, path, sound)
            return found

    found = asyncio.run(run())
    print_table(*table_of(found))
    if found.num_failed:
        raise typer.Exit(SOME_FAILED)


def table_of(found: Comparison) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Its titles and a row for each cell, as a person reads them."""

    def figure(value: float | None) -> str:
        return "" if value is None else f"{value:g}"

    titles = (metric.title for metric in METRICS.values())
    return ("row", "column", "state", "seconds", "GB", *titles, "what"), [
        (
            one_line(found.rows[cell.row])[:32],
            found.columns[cell.column].label,
            cell.job.state if cell.job else "refused" if cell.error else "",
            figure(cell.seconds),
            figure(cell.memory_gb),
            *(figure(cell.likeness.figure(name) if cell.likeness else None) for name in METRICS),
            cell.item.id if cell.item else one_line(error.message) if (error := _error(cell)) else "",
        )
        for cell in found.cells
    ]


def _error(cell: Cell) -> Failure | None:
    return cell.error or (cell.job.error if cell.job else None)


async def _subjects_of(client: StudioClient, patterns: Sequence[str]) -> list[dict[str, Any]]:
    """A subject for each sample of spec files; what they start from is sent first.

    Raises:
        BadInput: a file cannot be read, or a sample is none; the first error is raised before anything is sent.
    """
    entries = read_entries(patterns, {})
    if errors := check_fields(entries):
        raise errors[0]
    with tempfile.TemporaryDirectory(prefix="orrery-compare-") as folder:
        fetched = fetch(remote_files(entries), Path(folder))
        samples, errors = make_samples(entries, fetched=fetched, scratch=Path(folder))
        if errors:
            raise errors[0]
        attachments = Attachments({name: file for sample in samples for name, file in sample.attachments.items()})
        subjects: list[dict[str, Any]] = []
        for sample in samples:
            if isinstance(sample.request, Reason):
                raise BadInput(f"{sample.entry} is a question; comparisons support images and videos.", param="input")
            await attachments.send(client, sample.attachments)
            said = sample.request.model_dump(mode="json", exclude_unset=True)
            subjects.append({"label": sample.name, "request": {**said, "kind": sample.request.kind}})
    return subjects


def axes_of(checkpoints: list[str], axes: list[str]) -> dict[str, list[Any]]:
    """Values by the path of their field, from what was typed. Raises BadInput."""
    values: dict[str, list[Any]] = {"checkpoint": list(checkpoints)} if checkpoints else {}
    for axis in axes:
        field, equals, text = axis.partition("=")
        if not (field and equals and text):
            raise BadInput(f"--axis is {axis!r}; expected FIELD=VALUE,VALUE.", param="axis")
        if field == "replace":
            values["prompt"] = replacements(text)
            continue
        values[field] = [word.strip() if field in WORDS else _value(word) for word in text.split(",")]
    return values


def replacements(text: str) -> list[dict[str, str]]:
    """`red,blue,green`: the prompt as it is, then with the first words replaced by each of the others."""
    first, *others = (words.strip() for words in text.split(","))
    return [{"replace": first, "with": words} for words in (first, *others)]


def _value(word: str) -> Any:
    """A number, true, null or a JSON object where it is one; else the word: 256p is one."""
    try:
        return json.loads(word)
    except ValueError:
        return word.strip()


def place_of(text: str) -> tuple[int, int]:
    """The row and the column of a cell, counted from 0, of "1,2". Raises BadInput."""
    row, _, column = text.partition(",")
    if not (row.strip().isdecimal() and column.strip().isdecimal() and int(row) and int(column)):
        raise BadInput(f"--heard is {text!r}; expected ROW,COLUMN, counted from 1.", param="heard")
    return int(row) - 1, int(column) - 1


def _sound_of(found: Comparison, row: int, column: int) -> str:
    """The item of a cell that can be heard. Raises BadInput."""
    cell = found.cell(row, column)
    if cell is None or cell.item is None or not cell.item.has_sound:
        raise BadInput(
            f"Row {row + 1}, column {column + 1} has no sound.",
            param="heard",
            hint=f"It has {len(found.rows)} x {len(found.columns)} cells; set another one, or export it on its page.",
        )
    return cell.item.id


def form_of(path: Path) -> ExportForm:
    """What a file's name says is exported into it. Raises BadInput."""
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise BadInput(f"{path.name} must end in one of {', '.join(SUFFIXES)}.", param="output")
    return form


def _read(path: Path) -> dict[str, Any]:
    try:
        said = json.loads(path.read_text("utf-8"))
        if isinstance(said, dict):
            return {"subjects": [], **said}
        raise ValueError("expected an object")
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as JSON: {error}.", param="request") from None
