"""What a reasoner can be asked about a picture or a clip: each task is a file of `presets/tasks`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from studio.captions import UnusableAnswer, sendable, split_thought
from studio.errors import BadInput
from studio.prompting.parsers import PARSERS
from studio.prompting.question import PLAIN, THINKING, ImageUrl, Question, ReasonerSampling, VideoUrl, asked_alone
from studio.prompting.results import SCHEMAS, Frame, ParserName, Result
from studio.requests import Frozen, nearest, shown
from studio.toml_files import read_toml, shipped_and_own

THINK_FIRST = (
    "Answer the question using the following format:\n\n"
    "<think>\nYour reasoning.\n</think>\n\n"
    "Write your final answer immediately after the </think> tag."
)
"""What turns thinking on: word for word what the reasoner was trained with (its prompt guide)."""
VIDEO_FPS = 4.0
"""Frames a second that are looked at in clips (the same guide)."""
MAX_WORDS = 4000


class TaskField(Frozen):
    """Something a person says for a task.

    Attributes:
        name: what stands in the prompt as `$name`.
        title: what the form calls it.
        example: shown in the empty field.
        default: taken when nothing is said; without one the field must be filled.
    """

    name: str = Field(pattern=r"^[a-z][a-z_]*$")
    title: str
    example: str = ""
    default: str = ""


class ReasonerTask(Frozen):
    """One file of `presets/tasks/`.

    Attributes:
        id: the name that programs use.
        title: the name that people read.
        summary: one sentence.
        media: what it takes one of.
        prompt: the words, with `$fields`.
        fields: what a person says.
        thinking: whether it thinks before it answers, unless told otherwise.
        sampling: what differs from the setting for plain or thinking answers.
        parser: what reads the answer.
    """

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: str
    summary: str
    media: tuple[Literal["image", "video"], ...] = Field(min_length=1)
    prompt: str = Field(min_length=1)
    fields: tuple[TaskField, ...] = ()
    thinking: bool = False
    sampling: dict[str, Any] = Field(default_factory=dict)
    parser: ParserName

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        named = set(Template(self.prompt).get_identifiers())
        if named != {field.name for field in self.fields}:
            raise ValueError(f"the prompt uses {sorted(named)}, which are not fields of the task")
        self.sampling_for(thinking=self.thinking)
        return self

    def sampling_for(self, *, thinking: bool) -> ReasonerSampling:
        """How its tokens are drawn."""
        plain = THINKING if thinking else PLAIN
        return ReasonerSampling.model_validate({**plain.model_dump(), **self.sampling})


class TaskAnswer(Frozen):
    """What came of a task.

    Attributes:
        text: the answer without its thinking.
        thought: what was thought before it.
        results: what the answer says; none when it could not be read.
        skipped: why an entry was left out, one sentence each.
        failure: why the answer could not be read.
    """

    text: str
    thought: str = ""
    results: tuple[Result, ...] = ()
    skipped: tuple[str, ...] = ()
    failure: str | None = None


def task_question(
    task: ReasonerTask,
    media: Sequence[ImageUrl | VideoUrl],
    words: Mapping[str, str] | None = None,
    *,
    thinking: bool | None = None,
    sampling: ReasonerSampling | None = None,
) -> Question:
    """A task as a question. The answer is constrained where it has a form and does not begin with thinking.

    Args:
        task: what is asked.
        media: one picture or clip.
        words: what the person said, by field.
        thinking: instead of the task's own choice.
        sampling: instead of the task's own setting.

    Raises:
        BadInput: media or words are not what the task takes.
    """
    kinds = [part.type for part in media]
    if len(kinds) != 1 or kinds[0] not in task.media:
        wanted = " or ".join(f"one {kind}" for kind in task.media)
        raise BadInput(f"{task.title} needs {wanted}; got {' and '.join(kinds) or 'nothing'}.", param="media")
    thinks = task.thinking if thinking is None else thinking
    prompt = Template(task.prompt.strip()).safe_substitute(_filled(task, words or {}))
    return Question(
        messages=asked_alone(f"{prompt}\n\n{THINK_FIRST}" if thinks else prompt, *media),
        sampling=sampling or task.sampling_for(thinking=thinks),
        answer_schema=None if thinks else SCHEMAS[task.parser],
        video_fps=VIDEO_FPS if "video" in kinds else None,
    )


def _filled(task: ReasonerTask, words: Mapping[str, str]) -> dict[str, str]:
    fields = {field.name: field for field in task.fields}
    for name in words:
        if name not in fields:
            raise BadInput(f"{task.title} has no field {shown(name)}.", param=name, hint=nearest(name, fields))
    said = {name: words.get(name, "").strip() or field.default for name, field in fields.items()}
    for name, text in said.items():
        if not text:
            raise BadInput(
                f"{task.title} needs {name}: {fields[name].title}.",
                param=name,
                hint=f"For example: {fields[name].example}",
            )
        if len(text) > MAX_WORDS:
            raise BadInput(f"{name} has {len(text):,} characters; the maximum is {MAX_WORDS:,}.", param=name)
    return said


def read_task(task: ReasonerTask, answer: str, frame: Frame | None = None) -> TaskAnswer:
    """The answer to a task, as typed results or with the reason why there are none. Raises nothing.

    Args:
        task: what was asked.
        answer: the whole text, thinking included.
        frame: the picture's size, for pixels, and the clip's length, for bounds.
    """
    spoken = split_thought(answer)
    try:
        parsed = PARSERS[task.parser](spoken.answer, frame or Frame())
    except UnusableAnswer as error:
        return TaskAnswer(text=sendable(spoken.answer), thought=sendable(spoken.thought), failure=error.why)
    return TaskAnswer(
        text=sendable(spoken.answer),
        thought=sendable(spoken.thought),
        results=parsed.results,
        skipped=parsed.skipped,
    )


def load_tasks(user_folder: Path | None = None) -> dict[str, ReasonerTask]:
    """Every task by id, shipped ones first; a user's own of the same id wins.

    Raises:
        BadInput: a file cannot be read, is not TOML or is no task; the message names it.
    """
    tasks: dict[str, ReasonerTask] = {}
    for file in shipped_and_own("tasks", user_folder):
        task = read_toml(ReasonerTask, file, f"The task {file.name}")
        tasks[task.id] = task
    return tasks
