"""`orrery ask`: a question about words, pictures and clips, answered in the terminal."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from cli.answering import OWN, patiently
from cli.attachments import Attachments
from cli.flags import JsonOption, TargetFlags, model_flags, with_flags
from cli.printed import SOME_FAILED, one_line, print_table, printable
from cli.request_flags import Said, parse_adapter, request_flags
from cli.target import Target, reached
from studio.client import StudioClient
from studio.client.chat import Piece
from studio.errors import BadInput
from studio.prompting import (
    PLAIN,
    THINKING,
    ImageUrl,
    Question,
    ReasonerSampling,
    ReasonerTask,
    Result,
    TaskAnswer,
    VideoUrl,
    request_body,
)
from studio.prompting.question import asked_alone
from studio.prompting.results import Box, Interval, Label, Point, Prose, Step
from studio.prompting.tasks import THINK_FIRST
from studio.reasoner_answers import TaskList
from studio.requests import nearest, shown
from studio.specs.entries import read_text


@dataclass(frozen=True)
class Asked:
    """What a person asks, and how.

    Attributes:
        words: joined.
        media: pictures, then clips, each with the field that names it.
        thinking: None is unsaid.
        sampling: what was said of it.
        checkpoint: of the server, or None.
        adapter: that the reasoner wears, or None.
    """

    words: str
    media: tuple[tuple[str, str], ...]
    thinking: bool | None
    sampling: Mapping[str, Any]
    checkpoint: str | None
    adapter: dict[str, Any] | None


@dataclass
class Heard:
    """What has come of an answer.

    Attributes:
        text: what was said.
        thought: what was thought before it.
        finish_reason: `stop`, or `length` when it was cut.
        usage: tokens, as OpenAI counts them.
    """

    text: str = ""
    thought: str = ""
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None


@with_flags
def ask(
    *,
    said: Annotated[Said, request_flags("checkpoint", "adapter")],
    sampling: Annotated[
        Mapping[str, Any],
        model_flags(
            ReasonerSampling,
            {"max_tokens": "max-tokens", "temperature": "temperature", "seed": "seed"},
            dict(PLAIN),
        ),
    ],
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION...", help="The question; several words are joined.")
    ] = None,
    image: Annotated[
        list[str] | None,
        typer.Option(envvar="ORRERY_IMAGE", metavar="FILE", help="An image to ask about; may be repeated."),
    ] = None,
    video: Annotated[
        list[str] | None,
        typer.Option(envvar="ORRERY_VIDEO", metavar="FILE", help="A video to ask about; may be repeated."),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_TASK",
            metavar="NAME",
            help="A task with typed results, for example grounding; QUESTION fills its field.",
        ),
    ] = None,
    word: Annotated[
        list[str] | None,
        typer.Option(
            envvar="ORRERY_WORD",
            metavar="FIELD=TEXT",
            help="A field of the task; may be repeated.",
        ),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(envvar="ORRERY_SCHEMA", metavar="FILE", help="JSON schema that the answer must match."),
    ] = None,
    thinking: Annotated[
        bool | None,
        typer.Option("--thinking/--no-thinking", envvar="ORRERY_THINKING", help="Think before answering."),
    ] = None,
    json: JsonOption = False,
    target: TargetFlags,
) -> None:
    """Ask the reasoner and print its answer as it arrives.

    With --task, the typed results are listed; the exit status is 1 if the answer could not be read. With --json, the
    whole answer is printed when it is complete.
    """
    media = (*(("image", name) for name in image or ()), *(("video", name) for name in video or ()))
    asked = Asked(" ".join(question or ()), media, thinking, sampling, said["checkpoint"], _adapter(said))
    try:
        if task is not None:
            if schema is not None or "temperature" in sampling:
                _refuse("--schema" if schema is not None else "--temperature", "cannot be combined with --task.")
            raise typer.Exit(_ask_task(task, word or [], asked, target, as_json=json))
        if word:
            _refuse("--word", "needs --task.")
        _ask_question(asked, schema.expanduser() if schema else None, target, as_json=json)
    except KeyboardInterrupt:
        print("\norrery: stopped.", file=sys.stderr)
        raise


def _adapter(said: Said) -> dict[str, Any] | None:
    return None if said["adapter"] is None else parse_adapter(said["adapter"])


def _refuse(name: str, why: str) -> None:
    raise BadInput(f"{name} {why}", param=name.removeprefix("--"))


def _ask_question(asked: Asked, schema: Path | None, target: Target, *, as_json: bool) -> None:
    """Ask, and print the answer while it comes; thinking goes to stderr, where a person watches."""
    if not asked.words.strip():
        raise BadInput(
            "Missing argument 'QUESTION...'.", param="question", hint="Write a question, or select a task with --task."
        )
    wanted = None if schema is None else _read_schema(schema)
    if wanted is not None and asked.thinking:
        raise BadInput("--thinking cannot be combined with --schema: the answer is JSON only.", param="thinking")
    attachments = Attachments()
    question = _question(asked, attachments, wanted)

    async def run() -> None:
        async with _reasoner(target, asked.checkpoint, attachments) as (client, named):
            body = request_body(question, named or "")
            if named is None:
                del body["model"]
            if asked.adapter is not None:
                body["lora"] = asked.adapter
            heard = await patiently(lambda: _listen(client, body, quiet=as_json))
        print(json.dumps(asdict(heard), indent=2, ensure_ascii=False) if as_json else "")
        if heard.finish_reason == "length":
            most = question.sampling.max_tokens
            print(f"orrery: The answer was cut at {most:,} tokens. Raise --max-tokens.", file=sys.stderr)

    asyncio.run(run())


def _ask_task(name: str, words: Sequence[str], asked: Asked, target: Target, *, as_json: bool) -> int:
    """Ask a task about a picture or a clip, print what its answer says, and return the exit status.

    Args:
        name: of the task.
        words: `field=text` of those that it asks for; the question fills the one field that is still open.
        asked: the rest.
        target: the server.
        as_json: whether the answer is printed as it is.
    """
    if len(asked.media) != 1:
        raise BadInput(
            f"A task needs one image or video; got {len(asked.media)}.", param="media", hint="Use --image FILE."
        )
    attachments = Attachments()
    own = attachments.name(asked.media[0][1], "media")
    said = dict(map(_word, words))

    async def run() -> TaskAnswer:
        async with _reasoner(target, asked.checkpoint, attachments) as (client, _):
            tasks = {task.id: task for task in (await client.tasks(TaskList)).tasks}
            if name not in tasks:
                raise BadInput(f"There is no task {shown(name)}.", param="task", hint=nearest(name, tasks))
            said.update(_open_field(tasks[name], said, asked.words))
            body = {"media": f"{OWN}{own}", "words": said, "adapter": asked.adapter, **asked.sampling}
            body |= {} if asked.thinking is None else {"thinking": asked.thinking}
            return await patiently(lambda: client.ask_reasoner(f"/v1/tasks/{name}", body, TaskAnswer))

    answer = asyncio.run(run())
    if as_json:
        print(answer.model_dump_json(indent=2))
    else:
        print_results(answer)
    return SOME_FAILED if answer.failure is not None else 0


@asynccontextmanager
async def _reasoner(
    target: Target, checkpoint: str | None, attachments: Attachments
) -> AsyncGenerator[tuple[StudioClient, str | None], None]:
    """A server that has the files, and the checkpoint to name to it."""
    async with reached(target, checkpoint) as (client, named):
        await attachments.send(client)
        yield client, named


def _question(asked: Asked, attachments: Attachments, schema: dict[str, Any] | None) -> Question:
    parts = {"image": ImageUrl, "video": VideoUrl}
    media = [parts[field](url=f"{OWN}{attachments.name(name, field)}") for field, name in asked.media]
    # JSON repeats its keys and its brackets; a presence penalty would punish it for that.
    sampling: dict[str, Any] = {} if schema is None else {"presence_penalty": 0.0}
    return Question(
        messages=asked_alone(f"{asked.words}\n\n{THINK_FIRST}" if asked.thinking else asked.words, *media),
        sampling=(THINKING if asked.thinking else PLAIN).model_copy(update={**sampling, **asked.sampling}),
        answer_schema=schema,
    )


async def _listen(client: StudioClient, body: dict[str, Any], *, quiet: bool) -> Heard:
    """An answer to its end, printed on the way unless that shall be quiet."""
    heard = Heard()
    async with aclosing(client.chat(body)) as pieces:
        async for piece in pieces:
            heard.thought += piece.thought
            heard.text += piece.text
            heard.finish_reason = piece.finish_reason or heard.finish_reason
            heard.usage = piece.usage or heard.usage
            if not quiet:
                _show(piece)
    return heard


def _show(piece: Piece) -> None:
    if piece.thought and sys.stderr.isatty():
        print(f"\x1b[2m{_for_a_terminal(piece.thought)}\x1b[0m", end="", file=sys.stderr, flush=True)
    if piece.text:
        print(_for_a_terminal(piece.text) if sys.stdout.isatty() else piece.text, end="", flush=True)


def _for_a_terminal(text: str) -> str:
    return printable(text, keep="\n\t", other="�")


def _read_schema(path: Path) -> dict[str, Any]:
    try:
        value: object = json.loads(read_text(path, "schema"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON: {error}.", param="schema") from None
    if not isinstance(value, dict):
        raise BadInput(f"{path} is {shown(value)}; expected a JSON schema, which is an object.", param="schema")
    return cast(dict[str, Any], value)


def _word(said: str) -> tuple[str, str]:
    name, equals, text = said.partition("=")
    if not equals:
        raise BadInput(f"--word is {shown(said)}; expected field=text, for example subject=cups.", param="word")
    return name, text


def _open_field(task: ReasonerTask, said: Mapping[str, str], words: str) -> dict[str, str]:
    """The question, as what fills the one field that nothing was said for; one with a default counts last."""
    if not words.strip():
        return {}
    unsaid = [field for field in task.fields if field.name not in said]
    must = [field for field in unsaid if not field.default]
    left = must or unsaid
    if len(left) != 1:
        wants = ", ".join(field.name for field in task.fields) or "no words"
        raise BadInput(
            f"{task.title} has the fields {wants}; a question cannot fill several fields.",
            param="question",
            hint="Set each with --word FIELD=TEXT." if task.fields else "Remove the question.",
        )
    return {left[0].name: words}


def print_results(answer: TaskAnswer) -> None:
    """Print results, a row each; prose as it is, and an answer that could not be read with the reason."""
    if answer.failure is not None:
        print(answer.text)
        print(f"orrery: The answer could not be read: {one_line(answer.failure)}", file=sys.stderr)
        return
    for result in answer.results:
        if isinstance(result, Prose):
            print(result.text)
    rows = [_row(result) for result in answer.results if not isinstance(result, Prose)]
    if rows:
        print_table(("what", "where", "label"), rows)
    elif not answer.results:
        print("Nothing was found.")
    for why in answer.skipped:
        print(f"orrery: {one_line(why)}", file=sys.stderr)


def _row(result: Result) -> tuple[str, str, str]:
    match result:
        case Box():
            return "box", _place(result.pixels, result.box_2d), one_line(result.label)
        case Point():
            return "point", _place(result.pixels, result.point_2d), one_line(result.label)
        case Interval():
            return "interval", f"{result.start_s:g} to {result.end_s:g} s", one_line(result.label)
        case Label():
            return "label", result.subject_id, one_line(f"{result.category} {result.caption}".strip())
        case Step():
            return "step", str(result.number), one_line(result.text)
        case Prose():
            return "prose", "", one_line(result.text)
        case _:
            plausible = {True: "plausible", False: "not plausible", None: "not said"}[result.plausible]
            score = "" if result.score is None else f"{result.score} of 5"
            return plausible, score, one_line(result.reason)


def _place(pixels: Sequence[float] | None, grid: Sequence[float]) -> str:
    """`10,20 30,40 px`; where the picture's size is unknown, on the grid of 0 to 1000."""
    numbers, unit = (grid, "of 1000") if pixels is None else (pixels, "px")
    pairs = [f"{x:.0f},{y:.0f}" for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
    return f"{' '.join(pairs)} {unit}"
