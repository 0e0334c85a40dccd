"""Studies as rows, with their prompts, questions, ratings and tasks; what is there twice is written once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import Session

from backend.database import Database
from backend.database.evaluation_tables import HuePromptRow, HueQuestionRow, HueRatingRow, HueStudyRow, HueTaskRow
from studio.arena.votes import VotedBy
from studio.errors import RatingNotFound, StudyNotFound
from studio.evaluation.hue import Dimension, Said
from studio.hue_studies import (
    HueBankQuestion,
    HuePrompt,
    HueRated,
    HueStudy,
    HueStudyFacts,
    HueStudySummary,
    HueTask,
    HueWork,
)
from studio.requests import shown

OF_A_STUDY = (HuePromptRow, HueQuestionRow, HueRatingRow, HueTaskRow)


class HueStore:
    """Writes studies down and finds them again. Every method raises StorageError."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def add(self, facts: HueStudyFacts, prompts: Iterable[HuePrompt]) -> None:
        """Write down a new one."""

        def act(session: Session) -> None:
            session.add(HueStudyRow(id=facts.id, document=facts.model_dump(mode="json")))
            for prompt in prompts:
                document = prompt.model_dump(mode="json")
                session.add(HuePromptRow(study_id=facts.id, id=prompt.id, document=document))

        await self.database.write(act)

    async def get(self, study_id: str) -> HueStudy:
        """A study with its prompts and questions. Raises StudyNotFound."""
        return await self.database.look(lambda session: read_study(session, study_id))

    async def listing(self, limit: int) -> tuple[HueStudySummary, ...]:
        """The newest ones, newest first."""
        names = set(HueStudySummary.model_fields)

        def look(session: Session) -> tuple[HueStudySummary, ...]:
            newest = session.scalars(select(HueStudyRow.id).order_by(HueStudyRow.number.desc()).limit(limit)).all()
            studies = [read_study(session, study_id) for study_id in newest]
            return tuple(HueStudySummary(**{name: getattr(study, name) for name in names}) for study in studies)

        return await self.database.look(look)

    async def remove(self, study_id: str) -> None:
        """Forget a study with everything that was said in it."""

        def act(session: Session) -> None:
            for kind in OF_A_STUDY:
                session.execute(delete(kind).where(kind.study_id == study_id))
            session.execute(delete(HueStudyRow).where(HueStudyRow.id == study_id))

        await self.database.write(act)

    async def put_prompt(self, study_id: str, prompt: HuePrompt, questions: Iterable[HueBankQuestion] = ()) -> None:
        """Write a prompt down as it is now, with new questions about it; nothing happens in a deleted study."""
        place = (HuePromptRow.study_id == study_id, HuePromptRow.id == prompt.id)

        def act(session: Session) -> None:
            row = session.scalars(select(HuePromptRow).where(*place)).first()
            if row is None:
                return
            row.document = prompt.model_dump(mode="json")
            session.add_all(HueQuestionRow(study_id=study_id, **question.model_dump()) for question in questions)

        await self.database.write(act)

    async def question_like(self, study_id: str, prompt: str, text: str) -> HueQuestionRow | None:
        """A question of a prompt with this text, in any case of its letters, also a removed one."""
        query = select(HueQuestionRow).where(HueQuestionRow.study_id == study_id, HueQuestionRow.prompt == prompt)

        def look(session: Session) -> HueQuestionRow | None:
            rows = session.scalars(query).all()
            found = next((row for row in rows if row.text.casefold() == text.casefold()), None)
            if found is not None:
                session.expunge(found)
            return found

        return await self.database.look(look)

    async def add_question(self, study_id: str, question: HueBankQuestion) -> None:
        """Write a question down; one with its id returns as it is written now."""
        statement = sqlite.insert(HueQuestionRow).values(study_id=study_id, removed=False, **question.model_dump())
        new = {name: statement.excluded[name] for name in ("text", "dimension", "author", "removed")}
        once = statement.on_conflict_do_update(["study_id", "id"], set_=new)
        await self.database.write(lambda session: session.execute(once))

    async def remove_question(self, study_id: str, question_id: str) -> None:
        """Ask it no more; its ratings stay."""
        place = (HueQuestionRow.study_id == study_id, HueQuestionRow.id == question_id)
        await self.database.write(
            lambda session: session.execute(update(HueQuestionRow).where(*place).values(removed=True))
        )

    async def keep_rating(self, study_id: str, rated: HueRated) -> HueRated:
        """Write an answer down, and answer what stands there: of the same rater the first one stays."""
        row = HueRatingRow
        values = rated.model_dump(exclude={"by"}) | {"study_id": study_id, "rated_by": rated.by}
        once = sqlite.insert(row).values(**values).on_conflict_do_nothing()
        place = (
            *(row.study_id == study_id, row.video == rated.video, row.question == rated.question),
            *(row.rated_by == rated.by, row.rater == rated.rater),
        )

        def act(session: Session) -> HueRated:
            session.execute(once)
            return _rated(session.scalars(select(row).where(*place)).one())

        return await self.database.write(act)

    async def remove_rating(self, study_id: str, rating_id: str) -> HueRated:
        """Take an answer back. Raises RatingNotFound."""

        def act(session: Session) -> HueRated:
            place = (HueRatingRow.study_id == study_id, HueRatingRow.id == rating_id)
            row = session.scalars(select(HueRatingRow).where(*place)).first()
            if row is None:
                raise RatingNotFound(
                    f"There is no rating {shown(rating_id)} in this study.",
                    hint=f"GET /v1/hue/{study_id}/ratings lists them.",
                )
            session.delete(row)
            return _rated(row)

        return await self.database.write(act)

    async def ratings(self, study_id: str) -> list[HueRated]:
        """All answers of people and reasoners, in the order in which they were given, also to removed questions."""
        query = select(HueRatingRow).where(HueRatingRow.study_id == study_id).order_by(HueRatingRow.number)
        return await self.database.look(lambda session: [_rated(row) for row in session.scalars(query)])

    async def put_task(self, study_id: str, task: HueTask) -> None:
        """Write down how a reasoner's work stands."""
        document = task.model_dump(mode="json")
        row = HueTaskRow(study_id=study_id, task=task.task, reasoner=task.reasoner, state=task.state, document=document)
        await self.database.write(lambda session: session.merge(row) and None)

    async def task(self, study_id: str, task: HueWork, reasoner: str) -> HueTask | None:
        """How a reasoner's work stands; none where it was never started."""
        place = (HueTaskRow.study_id == study_id, HueTaskRow.task == task, HueTaskRow.reasoner == reasoner)
        query = select(HueTaskRow.document).where(*place)
        found = await self.database.look(lambda session: session.scalars(query).first())
        return None if found is None else HueTask.model_validate(found)

    async def running_tasks(self) -> list[tuple[str, HueTask]]:
        """Those that ran when the server ended, with the ids of their studies."""
        query = select(HueTaskRow.study_id, HueTaskRow.document).where(HueTaskRow.state == "running")
        return await self.database.look(
            lambda session: [(study, HueTask.model_validate(found)) for study, found in session.execute(query)]
        )


def read_study(session: Session, study_id: str) -> HueStudy:
    """A study with its prompts and questions. Raises StudyNotFound."""
    row = session.scalars(select(HueStudyRow).where(HueStudyRow.id == study_id)).first()
    if row is None:
        raise StudyNotFound(f"There is no study {shown(study_id)}.", param="study", hint="GET /v1/hue lists them.")
    facts = HueStudyFacts.model_validate(row.document)
    documents = session.scalars(select(HuePromptRow.document).where(HuePromptRow.study_id == study_id))
    prompts = sorted((HuePrompt.model_validate(found) for found in documents), key=lambda prompt: int(prompt.id[1:]))
    asked: Select[Any] = (
        select(HueQuestionRow)
        .where(HueQuestionRow.study_id == study_id, ~HueQuestionRow.removed)
        .order_by(HueQuestionRow.number)
    )
    questions = tuple(question_of(found) for found in session.scalars(asked))
    counts: Mapping[str, int] = {
        prompt.id: sum(question.prompt == prompt.id for question in questions) for prompt in prompts
    }
    by_people = (HueRatingRow.study_id == study_id, HueRatingRow.rated_by == "person")
    tasks = session.scalars(select(HueTaskRow.document).where(HueTaskRow.study_id == study_id))
    return HueStudy(
        **facts.model_dump(),
        models=tuple(dict.fromkeys(video.model for video in facts.videos)),
        num_prompts=len(prompts),
        num_questions=len(questions),
        num_pairs=sum(counts[video.prompt] for video in facts.videos),
        num_ratings=session.scalar(select(func.count()).select_from(HueRatingRow).where(*by_people)) or 0,
        tasks=tuple(HueTask.model_validate(found) for found in tasks),
        prompts=tuple(prompts),
        questions=questions,
    )


def question_of(row: HueQuestionRow) -> HueBankQuestion:
    """The question that a row holds."""
    return HueBankQuestion(
        id=row.id, prompt=row.prompt, text=row.text, dimension=cast("Dimension", row.dimension), author=row.author
    )


def _rated(row: HueRatingRow) -> HueRated:
    return HueRated(
        id=row.id,
        video=row.video,
        question=row.question,
        rater=row.rater,
        said=cast("Said", row.said),
        by=cast("VotedBy", row.rated_by),
        reason=row.reason,
        created_at=row.created_at,
    )
