"""HUE studies: videos of the library, the questions that are asked about them, and what raters answered."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field

from studio.arena.votes import Side, VotedBy, VoterName
from studio.evaluation.hue import (
    Dimension,
    HueAgreement,
    HueDomain,
    HueQuestion,
    HueRating,
    HueScores,
    HueVideo,
    Said,
)
from studio.evaluation.hue_bank import MAX_LINE, Scene
from studio.evaluation.runs import RunState
from studio.jobs import Failure
from studio.library import Title
from studio.requests import Frozen
from studio.requests.fields import BoundedText, MediaId, on_one_line

MAX_VIDEOS = 5000
"""Of a study; the report's has 500 of each checkpoint."""
MAX_ANSWERS_PAGE = 500
REAL = "Real videos"
"""The row of videos that were not generated."""

HueWork = Literal["questions", "ratings"]
QuestionText = Annotated[BoundedText, AfterValidator(on_one_line("the question", MAX_LINE))]


class HueGiven(Frozen):
    """One video for a study.

    Attributes:
        media: a video of the library.
        prompt: that it is of; empty takes the item's own, and of an upload the prompt that all others share.
        model: the row that it counts in; empty takes its checkpoint with the adapter.
        real: it was not generated and shows what a perfect one gets; none is true of uploads.
    """

    media: MediaId
    prompt: BoundedText = ""
    model: Title = ""
    real: bool | None = None


class CreateHueStudy(Frozen):
    """`POST /v1/hue`.

    Attributes:
        title: none takes the comparison's, or the first prompt.
        videos: of the library.
        batch: a comparison or batch, all of whose videos are added; the ground truth of a comparison counts as real.
        author: a reasoner that writes the questions now; without one people write them, or a reasoner later.
    """

    title: Title = ""
    videos: Annotated[tuple[HueGiven, ...], Field(max_length=MAX_VIDEOS)] = ()
    batch: BoundedText = ""
    author: str | None = None


class HueStudyVideo(Frozen):
    """One video of a study.

    Attributes:
        id: of the artefact.
        prompt: id of its prompt in the study.
        model: the row that it counts in.
        real: it was not generated.
    """

    id: str
    prompt: str
    model: str
    real: bool = False


class HueStudyFacts(Frozen):
    """What of a study never changes."""

    id: str
    title: str
    videos: tuple[HueStudyVideo, ...]
    created_at: datetime


class HueBankQuestion(HueQuestion):
    """One question of a study; `author` is the reasoner or the person who wrote it."""

    author: str


class HuePrompt(Frozen):
    """One prompt of a study, and how far a reasoner has come with its questions.

    Attributes:
        given: images and videos that the scene is read from: a start image, a real video.
        domain: none until it is decided, which counts as "misc".
        scene: what the prompt promises; none until it is read.
        written: the reasoner's questions are there.
        error: why they are not; asked again by the next task.
    """

    id: str
    text: str
    given: tuple[str, ...] = ()
    domain: HueDomain | None = None
    scene: Scene | None = None
    written: bool = False
    error: Failure | None = None


class HueTask(Frozen):
    """A reasoner that writes the questions of a study, or answers them.

    Attributes:
        num_done: prompts with questions, or answers, of `num_planned`.
        num_failed: of the last start; starting again asks them again.
        error: why it ended before everything was asked.
    """

    task: HueWork
    reasoner: str
    reasoner_title: str
    state: RunState = "running"
    num_done: int = 0
    num_planned: int = 0
    num_failed: int = 0
    error: Failure | None = None


class StartHueTask(Frozen):
    """`POST /v1/hue/{study}/tasks`: let a reasoner do what is missing; also resumes what was stopped or failed.

    Attributes:
        task: "questions" writes those of prompts that have none of a reasoner, "ratings" answers all questions.
        reasoner: a checkpoint, or a name of `reasoners.toml`; none takes the default checkpoint.
    """

    task: HueWork
    reasoner: str | None = None


class HueStudySummary(HueStudyFacts):
    """A study in a list.

    Attributes:
        models: rows of its scores.
        num_questions: of all prompts.
        num_pairs: a question about a video is a pair.
        num_ratings: by people.
        tasks: of reasoners, in no order.
    """

    models: tuple[str, ...]
    num_prompts: int
    num_questions: int
    num_pairs: int
    num_ratings: int
    tasks: tuple[HueTask, ...]


class HueStudyList(Frozen):
    """`GET /v1/hue`: the newest first."""

    studies: tuple[HueStudySummary, ...]


class HuePair(NamedTuple):
    """One question about one video."""

    video: HueStudyVideo
    question: HueBankQuestion


class HueStudy(HueStudySummary):
    """`GET /v1/hue/{study}`: with its prompts and questions."""

    prompts: tuple[HuePrompt, ...]
    questions: tuple[HueBankQuestion, ...]

    def pairs(self) -> Iterator[HuePair]:
        """Every question about every video, video by video."""
        for video in self.videos:
            for question in self.questions:
                if question.prompt == video.prompt:
                    yield HuePair(video, question)

    def as_hue_videos(self) -> list[HueVideo]:
        """The videos with their domains, as scores take them."""
        domains: dict[str, HueDomain] = {prompt.id: prompt.domain or "misc" for prompt in self.prompts}
        return [
            HueVideo(id=video.id, prompt=video.prompt, domain=domains[video.prompt], model=video.model)
            for video in self.videos
        ]


class AddHueQuestion(Frozen):
    """`POST /v1/hue/{study}/questions`: Yes is the desirable answer. A removed one returns with its ratings."""

    prompt: str
    text: QuestionText
    dimension: Dimension
    author: VoterName


class SetHueDomain(Frozen):
    """`PATCH /v1/hue/{study}/prompts/{prompt}`: a person decides the domain."""

    domain: HueDomain


class RateVideo(Frozen):
    """`POST /v1/hue/{study}/ratings`: an answer to one question about one video."""

    video: str
    question: str
    said: Said
    rater: VoterName
    by: VotedBy = "person"


class HueRated(HueRating):
    """An answer as it was written down.

    Attributes:
        by: a person, or a reasoner.
        reason: of a reasoner.
    """

    id: str
    by: VotedBy
    reason: str = ""
    created_at: datetime


class HueCard(Frozen):
    """A video and one question about it, without anything that says who made it."""

    video: Side
    prompt: str
    question: HueBankQuestion


class HueNext(Frozen):
    """`GET /v1/hue/{study}/next`.

    Attributes:
        card: none where nothing is left for this rater.
        num_left: pairs that this rater may answer.
        num_done: pairs that this rater has answered.
        last: the rater's newest answer, which can be undone.
    """

    card: HueCard | None
    num_left: int
    num_done: int
    last: HueRated | None = None


class HueReasonerScores(Frozen):
    """What one reasoner says of the study, and how often it says what people decided.

    Attributes:
        models: where its answer alone decides.
        agreement: with people, over the pairs that both have answered.
    """

    reasoner: str
    models: tuple[HueScores, ...]
    agreement: HueAgreement


class HueResults(Frozen):
    """`GET /v1/hue/{study}/scores`.

    Attributes:
        real: rows of videos that were not generated.
        people: scores by people, real videos first, then the best first.
        num_raters: people.
        reasoners: kept apart.
    """

    real: tuple[str, ...]
    people: tuple[HueScores, ...]
    num_raters: int
    reasoners: tuple[HueReasonerScores, ...]


class HueAnswer(Frozen):
    """One question about one video, and what was answered.

    Attributes:
        prompt: its text.
        decided: by people; none while an answer is missing.
        ratings: in their order, of people and reasoners.
    """

    video: HueStudyVideo
    prompt: str
    question: HueBankQuestion
    decided: Said | None
    ratings: tuple[HueRated, ...]


class HueAnswerPage(Frozen):
    """`GET /v1/hue/{study}/ratings`: pairs that have an answer; `total` of all that the filters find."""

    answers: tuple[HueAnswer, ...]
    total: int
    next_offset: int | None = None
