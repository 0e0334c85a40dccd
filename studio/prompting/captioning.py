"""Captioning clips: two questions each, many clips at once, files that a second run does not write again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from studio.captions import Controls, Repair, UnusableAnswer, VideoCaption, analysis_schema, sendable, split_thought
from studio.captions.answer import refuse_repetition
from studio.captions.answer_schema import MEDIA
from studio.captions.caption import NARRATIVE
from studio.captions.caption_files import WorkItem, is_finished, write_caption, write_text
from studio.captions.checking import check_analysis
from studio.captions.fitting import shortened
from studio.captions.timing import clock
from studio.captions.training_data import Probe
from studio.errors import BadInput, EngineError, ServerUnreachable, StorageError, StudioError, Unauthorized
from studio.prompting.question import (
    Ask,
    Question,
    Read,
    ReasonerSampling,
    Usable,
    VideoUrl,
    asked_alone,
    first_usable,
    said,
)
from studio.prompting.tasks import VIDEO_FPS
from studio.prompting.templates import CaptionTexts, caption_texts, fill, output_template
from studio.requests import Frozen
from studio.toml_files import read_toml

CAPTIONING = ReasonerSampling(presence_penalty=0.0, max_tokens=8192)
"""Temperature 0.7 (report, A.1). A presence penalty would punish JSON for its repeated keys."""
AT_ONCE = 16
MIN_WORDS = 3

_FENCE = re.compile(r"^```[A-Za-z]*|```\s*$")

Attach = Callable[[Path], Awaitable[VideoUrl]]
"""Makes a clip readable for whoever answers: by its path, as a data URI, or uploaded."""


class CaptionedClip(NamedTuple):
    """A clip in words.

    Attributes:
        caption: the structured caption, its prose included.
        repairs: what was mended in the analysis.
        answers: the two answers as they came.
    """

    caption: VideoCaption
    repairs: list[Repair]
    answers: tuple[str, str]


class CaptionOutcome(Frozen):
    """What became of one clip; `reason` says why it failed."""

    name: str
    state: Literal["written", "skipped", "failed"]
    reason: str = ""


class CaptionRun(Frozen):
    """What became of all, in the order in which they were listed."""

    outcomes: tuple[CaptionOutcome, ...]

    def of(self, state: Literal["written", "skipped", "failed"]) -> tuple[CaptionOutcome, ...]:
        """Those that ended so."""
        return tuple(outcome for outcome in self.outcomes if outcome.state == state)


class Captioner:
    """Asks about clips and writes what comes of it.

    Args:
        ask: who answers.
        probe: reads a clip's facts.
        attach: makes a clip readable for whoever answers.
        texts: the prompts, ours unless somebody wrote others.
        sampling: how tokens are drawn.
        attempts: answers that are asked for in each phase, at most.
        keep_answers: also write what was answered, as `analysis.raw.txt` and `narrative.raw.txt`.
    """

    def __init__(
        self,
        ask: Ask,
        *,
        probe: Probe,
        attach: Attach,
        texts: CaptionTexts | None = None,
        sampling: ReasonerSampling = CAPTIONING,
        attempts: int = 3,
        keep_answers: bool = False,
    ) -> None:
        assert attempts >= 1
        self._ask = ask
        self._probe = probe
        self._attach = attach
        self._texts = texts or caption_texts()
        self._sampling = sampling
        self._attempts = attempts
        self._keep_answers = keep_answers

    async def run(
        self,
        items: Sequence[WorkItem],
        output: Path,
        *,
        at_once: int = AT_ONCE,
        on_outcome: Callable[[CaptionOutcome], None] | None = None,
    ) -> CaptionRun:
        """Caption every clip that has no caption yet, `at_once` of them together.

        A clip that fails does not stop the others.

        Raises:
            ServerUnreachable, Unauthorized: nobody answers; what is written stays, and a second run goes on from there.
            StorageError: nothing can be written; DiskFull, when that is why.
        """
        outcomes: dict[str, CaptionOutcome] = {}
        waiting = iter(items)

        async def work(waiting: Iterator[WorkItem]) -> None:
            for item in waiting:
                outcomes[item.name] = await self._outcome(item, output)
                if on_outcome is not None:
                    on_outcome(outcomes[item.name])

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(max(1, min(at_once, len(items)))):
                    group.create_task(work(waiting))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return CaptionRun(outcomes=tuple(outcomes[item.name] for item in items))

    async def _outcome(self, item: WorkItem, output: Path) -> CaptionOutcome:
        if is_finished(output / item.name):
            return CaptionOutcome(name=item.name, state="skipped")
        try:
            if not item.video.is_file():
                raise BadInput(f"There is no file {item.video}.")
            controls = Controls.of_clip(await self._probe(item.video))
            clip = await self.caption(await self._attach(item.video), controls)
            folder = await write_caption(output, item, clip.caption)
            if self._keep_answers:
                for name, answer in zip(("analysis", "narrative"), clip.answers, strict=True):
                    await write_text(folder / f"{name}.raw.txt", sendable(answer))
        except (ServerUnreachable, Unauthorized, StorageError):
            raise
        except StudioError as error:
            return CaptionOutcome(name=item.name, state="failed", reason=str(error))
        return CaptionOutcome(name=item.name, state="written")

    async def caption(self, video: VideoUrl, controls: Controls) -> CaptionedClip:
        """Ask about one clip: first what is in it, as data, then the same as prose.

        Raises:
            EngineError: no answer could be used.
            StudioError: whatever `ask` raises.
        """
        question = analysis_question(video, controls, self._texts, self._sampling)
        analysis = await self._usable(question, lambda answer: check_analysis(answer, controls))
        caption, repairs = analysis.said
        turns = (said("assistant", split_thought(analysis.text).answer), said("user", fill(self._texts.narrative)))
        # The second question goes on from the first, so that the clip's tokens are prefilled once.
        follow_up = question.model_copy(update={"messages": question.messages + turns, "answer_schema": None})
        narrative = await self._usable(follow_up, read_narrative)
        whole = caption.model_copy(update={"temporal_caption": narrative.said})
        return CaptionedClip(whole, repairs, (analysis.text, narrative.text))

    async def _usable(self, question: Question, read: Callable[[str], Read]) -> Usable[Read]:
        try:
            return await first_usable(self._ask, question, read, attempts=self._attempts, retry=self._texts.retry)
        except UnusableAnswer as error:
            raise EngineError(
                f"The reasoner gave no usable caption in {self._attempts} attempts: {error.why}"
            ) from None


def analysis_question(
    video: VideoUrl, controls: Controls, texts: CaptionTexts, sampling: ReasonerSampling = CAPTIONING
) -> Question:
    """The first question about a clip."""
    names = [name for name in VideoCaption.model_fields if name not in ("temporal_caption", *MEDIA)]
    text = fill(
        texts.analysis,
        template=output_template(VideoCaption, names, {}),
        last=clock(controls.last_s or 0),
    )
    return Question(
        messages=asked_alone(text, video),
        sampling=sampling,
        answer_schema=analysis_schema(controls),
        video_fps=VIDEO_FPS,
    )


def read_narrative(answer: str) -> str:
    """The prose of the second answer, on one line, without a fence or quotation marks around it.

    Raises:
        UnusableAnswer: it is empty, is data again, or repeats itself.
    """
    text = _FENCE.sub("", split_thought(answer).answer).strip()
    if len(text) > 1 and text[0] + text[-1] in ('""', "“”"):
        text = text[1:-1]
    prose = " ".join(sendable(text).split())
    if prose[:1] in ("{", "[", "<"):
        raise UnusableAnswer("The answer is data; a paragraph of prose is expected.")
    refuse_repetition(prose)
    if len(prose.split()) < MIN_WORDS and len(prose) < 4 * MIN_WORDS:
        raise UnusableAnswer("The answer is empty; a paragraph of prose is expected.")
    return shortened(prose, NARRATIVE) if len(prose) > NARRATIVE else prose


def read_caption_texts(path: Path) -> CaptionTexts:
    """Prompts that somebody wrote: a TOML file with `analysis`, `narrative` and `retry`.

    Raises:
        BadInput: it cannot be read, or is not such a file.
    """
    return read_toml(CaptionTexts, path, f"The captioning prompt file {path}", param="prompts")
