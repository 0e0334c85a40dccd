"""The verbs of `/v1/hue`."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.arena.service import side_of
from backend.database.tables import ArtefactRow
from backend.hue.dealing import answers_of, draw_up_hue, open_pairs
from backend.hue.drafting import AT_ONCE, draft
from backend.hue.store import HueStore
from backend.hue.tasks import HueTaskService
from backend.media import MediaStore
from studio.arena.votes import Side
from studio.errors import BadInput, Conflict, QuestionNotFound
from studio.evaluation.hue import Said
from studio.evaluation.hue_bank import MOST_QUESTIONS
from studio.hue_studies import (
    AddHueQuestion,
    CreateHueStudy,
    HueAnswerPage,
    HueBankQuestion,
    HueCard,
    HueNext,
    HuePrompt,
    HueRated,
    HueResults,
    HueStudy,
    HueStudyFacts,
    HueStudyList,
    RateVideo,
    SetHueDomain,
    StartHueTask,
)
from studio.requests import shown

log = structlog.get_logger("orrery.hue")


class HueService:
    """The studies of this server.

    Args:
        title_of: a checkpoint's title by its id.
        changed: called after every change of any of them.
    """

    def __init__(
        self,
        *,
        store: HueStore,
        tasks: HueTaskService,
        media: MediaStore,
        title_of: Callable[[str], str],
        changed: Callable[[], None],
    ) -> None:
        self._store = store
        self._tasks = tasks
        self._media = media
        self._title_of = title_of
        self._changed = changed

    async def create(self, asked: CreateHueStudy) -> HueStudy:
        """Write a study down; its author begins with the questions.

        Raises:
            MediaNotFound: an item is not in the library.
            BadInput: one is not a video or has no prompt, there are none, or there is no such reasoner.
            Busy: too many reasoners are at work; the study is there without questions.
        """
        if asked.author is not None:
            self._tasks.check(asked.author, "author")
        made = await self._store.database.look(lambda session: draft(session, asked, self._title_of))
        facts = HueStudyFacts(
            id=secrets.token_hex(6), title=made.title, videos=tuple(made.videos), created_at=datetime.now(UTC)
        )
        await self._store.add(facts, made.prompts)
        log.info("study_created", study_id=facts.id, num_videos=len(made.videos), num_prompts=len(made.prompts))
        if asked.author is not None:
            study = await self._store.get(facts.id)
            await self._tasks.start(study, StartHueTask(task="questions", reasoner=asked.author))
        self._changed()
        return await self._store.get(facts.id)

    async def get(self, study_id: str) -> HueStudy:
        """A study as it is now. Raises StudyNotFound."""
        return await self._store.get(study_id)

    async def listing(self, limit: int) -> HueStudyList:
        """The newest ones, newest first."""
        return HueStudyList(studies=await self._store.listing(limit))

    async def remove(self, study_id: str) -> None:
        """Forget a study with its questions and ratings; its videos stay. Raises StudyNotFound, Conflict."""
        await self._store.get(study_id)
        self._refuse_at_work(study_id)
        await self._store.remove(study_id)
        self._changed()

    async def add_question(self, study_id: str, asked: AddHueQuestion) -> HueBankQuestion:
        """Ask one more about the videos of a prompt; one that was removed returns with its ratings.

        Raises:
            StudyNotFound: there is no such study.
            BadInput: it has no such prompt.
            Conflict: the prompt has this question, or as many as it may have.
        """
        study = await self._store.get(study_id)
        prompt = _prompt(study, asked.prompt)
        live = [question for question in study.questions if question.prompt == prompt.id]
        known = await self._store.question_like(study_id, prompt.id, asked.text)
        if known is not None and any(question.id == known.id for question in live):
            raise Conflict("The prompt has this question already.", param="text")
        if len(live) >= MOST_QUESTIONS:
            raise Conflict(
                f"The prompt has {len(live)} questions, which is the limit.", hint="Remove one first.", param="prompt"
            )
        question = HueBankQuestion(
            id=known.id if known is not None else f"{prompt.id}-{secrets.token_hex(4)}",
            prompt=prompt.id,
            text=asked.text,
            dimension=asked.dimension,
            author=asked.author,
        )
        await self._store.add_question(study_id, question)
        self._changed()
        return question

    async def remove_question(self, study_id: str, question_id: str) -> None:
        """Ask a question no more; its ratings stay, and do not count. Raises StudyNotFound, QuestionNotFound."""
        _question(await self._store.get(study_id), question_id)
        await self._store.remove_question(study_id, question_id)
        self._changed()

    async def set_domain(self, study_id: str, prompt_id: str, asked: SetHueDomain) -> HuePrompt:
        """Let a person decide a prompt's domain.

        Raises:
            StudyNotFound, BadInput: there is no such study, or no such prompt in it.
            Conflict: a reasoner is at work on the study.
        """
        prompt = _prompt(await self._store.get(study_id), prompt_id)
        self._refuse_at_work(study_id)
        changed = prompt.model_copy(update={"domain": asked.domain})
        await self._store.put_prompt(study_id, changed)
        self._changed()
        return changed

    async def next(self, study_id: str, rater: str) -> HueNext:
        """What a person answers next. Videos whose file is gone are not asked about. Raises StudyNotFound."""
        study, ratings = await self._store.get(study_id), await self._store.ratings(study_id)
        pairs = await asyncio.to_thread(open_pairs, study, ratings, rater)
        sides = await self._sides(list(dict.fromkeys(pair.video.id for pair in pairs)))
        left = [pair for pair in pairs if pair.video.id in sides]
        own = [rated for rated in ratings if rated.by == "person" and rated.rater == rater]
        card = None
        if left:
            video, question = left[0]
            card = HueCard(video=sides[video.id], prompt=_prompt(study, video.prompt).text, question=question)
        return HueNext(card=card, num_left=len(left), num_done=len(own), last=own[-1] if own else None)

    async def rate(self, study_id: str, said: RateVideo) -> HueRated:
        """Keep the answer of a person, or of an agent; the same one again is that one.

        Raises:
            StudyNotFound, QuestionNotFound: there is no such study, or no such question in it.
            BadInput: the question is not about this video, or a reasoner of this server is named.
            Conflict: the rater has answered otherwise.
        """
        if said.by == "reasoner" and self._tasks.is_reasoner(said.rater):
            raise BadInput(
                f"{shown(said.rater)} is a reasoner of this server and rates by itself.",
                param="rater",
                hint=f"Rate under your own name, or use POST /v1/hue/{study_id}/tasks.",
            )
        study = await self._store.get(study_id)
        question = _question(study, said.question)
        if not any(video.id == said.video and video.prompt == question.prompt for video in study.videos):
            raise BadInput(f"The question is not about the video {shown(said.video)}.", param="video")
        rated = HueRated(**said.model_dump(), id=secrets.token_hex(6), created_at=datetime.now(UTC))
        kept = await self._store.keep_rating(study_id, rated)
        if kept.said != said.said:
            raise Conflict(
                f"{shown(said.rater)} has answered {kept.said} to this question.",
                param="said",
                hint=f"DELETE /v1/hue/{study_id}/ratings/{kept.id} withdraws that answer.",
            )
        self._changed()
        return kept

    async def undo(self, study_id: str, rating_id: str) -> HueRated:
        """Take an answer back. Raises StudyNotFound, RatingNotFound."""
        await self._store.get(study_id)
        gone = await self._store.remove_rating(study_id, rating_id)
        self._changed()
        return gone

    async def scores(self, study_id: str) -> HueResults:
        """What the answers come to, drawn up from them now. Raises StudyNotFound."""
        study, ratings = await self._store.get(study_id), await self._store.ratings(study_id)
        return await asyncio.to_thread(draw_up_hue, study, ratings)

    async def answers(
        self, study_id: str, *, model: str = "", said: Said | None = None, offset: int = 0, limit: int = 50
    ) -> HueAnswerPage:
        """A page of answered pairs.

        Args:
            study_id: of the study.
            model: only of this row.
            said: only those that people have decided so.
            offset, limit: of the page.

        Raises:
            StudyNotFound: there is no such study.
        """
        study, ratings = await self._store.get(study_id), await self._store.ratings(study_id)
        found = [
            answer
            for answer in await asyncio.to_thread(answers_of, study, ratings)
            if model in ("", answer.video.model) and said in (None, answer.decided)
        ]
        page = tuple(found[offset : offset + limit])
        more = offset + limit < len(found)
        return HueAnswerPage(answers=page, total=len(found), next_offset=offset + limit if more else None)

    async def _sides(self, ids: Sequence[str]) -> dict[str, Side]:
        """Videos whose file is there."""

        def look(session: Session) -> dict[str, Side]:
            found: dict[str, Side] = {}
            for begin in range(0, len(ids), AT_ONCE):
                rows = session.scalars(select(ArtefactRow).where(ArtefactRow.id.in_(ids[begin : begin + AT_ONCE])))
                held = (row for row in rows if self._media.holds(row.id, row.reference["mime"]))
                found |= {row.id: side_of(row) for row in held}
            return found

        return await self._store.database.look(look)

    def _refuse_at_work(self, study_id: str) -> None:
        if self._tasks.is_at_work(study_id):
            raise Conflict("A reasoner is at work on this study.", hint="Stop it first.")


def _prompt(study: HueStudy, prompt_id: str) -> HuePrompt:
    found = next((prompt for prompt in study.prompts if prompt.id == prompt_id), None)
    if found is None:
        raise BadInput(
            f"The study has no prompt {shown(prompt_id)}.", param="prompt", hint="GET the study to list them."
        )
    return found


def _question(study: HueStudy, question_id: str) -> HueBankQuestion:
    found = next((question for question in study.questions if question.id == question_id), None)
    if found is None:
        raise QuestionNotFound(f"The study has no question {shown(question_id)}.", param="question")
    return found
