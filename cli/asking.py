"""A question to a server's reasoner: a chat that is printed while it comes, or a task whose results are listed."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from cli.answering import patiently
from cli.attachments import Attachments
from cli.chat_stream import Piece, stream_chat
from cli.questions import OWN
from cli.target import Target, local_checkpoint, reached, running_server
from cli.task_results import print_results
from studio.client import StudioClient
from studio.errors import BadInput
from studio.prompting import PLAIN, THINKING, ImagePart, Question, ReasonerTask, TaskAnswer, VideoPart, request_body
from studio.prompting.question import asked_alone
from studio.prompting.tasks import THINK_FIRST
from studio.reasoner_answers import TaskList
from studio.requests import nearest, shown
from studio.specs.entries import read_text

NOT_READ = 1
"""Exit status when a task's answer came and could not be read."""


@dataclass(frozen=True)
class Asked:
    """What a person asks, and how; None is unsaid."""

    words: str
    images: tuple[str, ...]
    videos: tuple[str, ...]
    thinking: bool | None
    max_tokens: int | None
    temperature: float | None
    seed: int | None
    as_json: bool


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


def run_question(asked: Asked, schema: Path | None, target: Target, checkpoint: str | None) -> None:
    """Ask, and print the answer while it comes; thinking goes to stderr, where a person watches.

    Raises:
        BadInput: there is no question, no such file, or no such schema.
        StudioError: the server's refusal.
    """
    if not asked.words.strip():
        raise BadInput("Missing argument 'QUESTION...'.", param="question", hint="Or name a task with --task.")
    wanted = None if schema is None else _schema(schema)
    if wanted is not None and asked.thinking:
        raise BadInput("--thinking does not go with --schema: the answer is JSON and nothing else.", param="thinking")
    attachments = Attachments()
    question = _question(asked, attachments, wanted)

    async def run() -> None:
        async with _reasoner(target, checkpoint, attachments) as (client, named):
            body = request_body(question, named or "")
            if named is None:
                del body["model"]
            heard = await patiently(lambda: _listen(client.base_url, target.token, body, quiet=asked.as_json))
        if asked.as_json:
            print(json.dumps(asdict(heard), indent=2, ensure_ascii=False))
        else:
            print()
        if heard.finish_reason == "length":
            most = question.sampling.max_tokens
            print(f"orrery: The answer was cut at {most:,} tokens. Give --max-tokens.", file=sys.stderr)

    asyncio.run(run())


def run_task(name: str, words: Sequence[str], asked: Asked, target: Target, checkpoint: str | None) -> int:
    """Ask a task about a picture or a clip, and print what its answer says.

    Args:
        name: of the task.
        words: `field=text` of those that it asks for.
        asked: the rest; its words fill the one field that is still open.
        target: the server.
        checkpoint: of the server, or None.

    Returns:
        The exit status.

    Raises:
        BadInput: there is no such task, or it takes something else.
        StudioError: the server's refusal.
    """
    media = [*asked.images, *asked.videos]
    if len(media) != 1:
        raise BadInput(f"A task takes one picture or clip; {len(media)} came.", param="media", hint="Use --image FILE.")
    attachments = Attachments()
    own = attachments.name(media[0], "media")
    said = dict(map(_word, words))

    async def run() -> TaskAnswer:
        async with _reasoner(target, checkpoint, attachments) as (client, _):
            tasks = {task.id: task for task in (await client.tasks(TaskList)).tasks}
            if name not in tasks:
                raise BadInput(f"There is no task {shown(name)}.", param="task", hint=nearest(name, tasks))
            said.update(_open_field(tasks[name], said, asked.words))
            options = {"thinking": asked.thinking, "seed": asked.seed, "max_tokens": asked.max_tokens}
            given = {option: value for option, value in options.items() if value is not None}
            body = {"media": f"{OWN}{own}", "words": said, **given}
            return await patiently(lambda: client.ask_reasoner(f"/v1/tasks/{name}", body, TaskAnswer))

    answer = asyncio.run(run())
    if asked.as_json:
        print(answer.model_dump_json(indent=2))
    else:
        print_results(answer)
    return NOT_READ if answer.failure is not None else 0


@asynccontextmanager
async def _reasoner(
    target: Target, checkpoint: str | None, attachments: Attachments
) -> AsyncGenerator[tuple[StudioClient, str | None], None]:
    """A server that has the files, and the checkpoint to name to it: none to one that was started with it."""
    if target.server is None:
        checkpoint = local_checkpoint(checkpoint, target)
    named = checkpoint if running_server(target) else None
    async with reached(target, checkpoint) as client:
        await attachments.send(client)
        yield client, named


def _question(asked: Asked, attachments: Attachments, schema: dict[str, Any] | None) -> Question:
    images = [ImagePart(url=f"{OWN}{attachments.name(name, 'image')}") for name in asked.images]
    videos = [VideoPart(url=f"{OWN}{attachments.name(name, 'video')}") for name in asked.videos]
    said = {"max_tokens": asked.max_tokens, "temperature": asked.temperature, "seed": asked.seed}
    # JSON repeats its keys and its brackets; a presence penalty would punish it for that.
    sampling: dict[str, float] = {} if schema is None else {"presence_penalty": 0.0}
    sampling |= {name: value for name, value in said.items() if value is not None}
    return Question(
        messages=asked_alone(f"{asked.words}\n\n{THINK_FIRST}" if asked.thinking else asked.words, *images, *videos),
        sampling=(THINKING if asked.thinking else PLAIN).model_copy(update=sampling),
        answer_schema=schema,
    )


async def _listen(base_url: str, token: str | None, body: dict[str, Any], *, quiet: bool) -> Heard:
    """An answer to its end, printed on the way unless that shall be quiet."""
    heard = Heard()
    async with aclosing(stream_chat(base_url, token, body)) as pieces:
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
    """Without the characters that a terminal would obey, line breaks and tabs excepted."""
    return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)


def _schema(path: Path) -> dict[str, Any]:
    try:
        value: object = json.loads(read_text(path, "schema"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON: {error}.", param="schema") from None
    if not isinstance(value, dict):
        raise BadInput(f"{path} holds {shown(value)}; a JSON schema is an object.", param="schema")
    return cast(dict[str, Any], value)


def _word(said: str) -> tuple[str, str]:
    name, equals, text = said.partition("=")
    if not equals:
        raise BadInput(f"--word got {shown(said)}; expected field=text, as in subject=cups.", param="word")
    return name, text


def _open_field(task: ReasonerTask, said: dict[str, str], words: str) -> dict[str, str]:
    """The question, as what fills the one field that nothing was said for; one with a default counts last."""
    if not words.strip():
        return {}
    unsaid = [field for field in task.fields if field.name not in said]
    must = [field for field in unsaid if not field.default]
    left = must or unsaid
    if len(left) != 1:
        wants = ", ".join(field.name for field in task.fields) or "no words"
        raise BadInput(
            f"{task.title} takes {wants}; the question fits none of them alone.",
            param="question",
            hint="Say each with --word FIELD=TEXT." if task.fields else "Leave the question out.",
        )
    return {left[0].name: words}
