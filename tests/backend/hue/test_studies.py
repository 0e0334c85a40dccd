"""A HUE study from its videos to its scores: questions by a reasoner, ratings by people, kill and resume."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from backend.comparisons.grid import Grid, GridPlace
from backend.database import Database, open_database
from backend.database.tables import ComparisonRow, JobRow
from backend.hue import HueService, HueTaskService
from backend.hue.store import HueStore
from backend.jobs.ledger import Accepted, Ledger
from backend.media import MediaStore
from library_rows import put
from scripted_reasoners import CATALOGUE, Said, ScriptedReasoners, words_of
from studio.comparisons import Column
from studio.errors import (
    BadInput,
    Conflict,
    EngineError,
    MediaNotFound,
    QuestionNotFound,
    RatingNotFound,
    StudyNotFound,
    Unauthorized,
)
from studio.hue_studies import (
    AddHueQuestion,
    CreateHueStudy,
    HueStudy,
    RateVideo,
    SetHueDomain,
    StartHueTask,
)
from studio.jobs import BatchPlace
from studio.requests import GenerateVideo

CUP, BALL = "A cup falls off a table.", "A ball rolls."
WRITE = StartHueTask(task="questions", reasoner="author")
RATE = StartHueTask(task="ratings", reasoner="critic")
SCENE = {"objects": ["one"], "actions": [], "setting": [], "camera": [], "text": []}
BANK = [
    {"dimension": "semantic_alignment", "text": "Is it there?"},
    {"dimension": "physical_laws", "text": "Does it move as it would?"},
]


def author(question: Any) -> str:
    """The three steps."""
    words = words_of(question)
    if '"domain"' in words:
        return json.dumps({"reason": "It falls.", "domain": "physics" if CUP in words else "misc"})
    return json.dumps({"questions": BANK}) if '"questions"' in words else json.dumps(SCENE)


def critic(question: Any) -> str:
    """Sees what is there, and no motion."""
    said = "yes" if "Is it there?" in words_of(question) else "no"
    return json.dumps({"reason": "It is seen.", "said": said})


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "orrery.db")
    with database.transaction() as session:
        for name, prompt, checkpoint in (
            ("00000000000a-0", CUP, "nano"),
            ("00000000000b-0", CUP, "super"),
            ("00000000000c-0", BALL, "nano"),
        ):
            put(session, name, prompt, type="video", mime="video/mp4", checkpoint=checkpoint)
        row = put(session, "u000000000000feed", type="video", mime="video/mp4", checkpoint=None, job_id=None)
        row.prompt = ""
        put(session, "00000000000d-0", CUP)
    for name in ("00000000000a-0", "00000000000b-0", "00000000000c-0", "u000000000000feed"):
        place(tmp_path, name)
    yield database
    database.close()


def place(folder: Path, name: str) -> None:
    store = MediaStore(folder / "media")
    path = store._place(name, ".mp4")  # pyright: ignore[reportPrivateUsage]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"video")


class Studio:
    """The services over one database, with scripted reasoners."""

    def __init__(self, database: Database, folder: Path, **said: Said) -> None:
        self.reasoners = ScriptedReasoners(**said)
        self.store = HueStore(database)
        media = MediaStore(folder / "media")
        self.tasks = HueTaskService(
            store=self.store,
            reasoners=cast(Any, self.reasoners),
            catalogue=cast(Any, CATALOGUE),
            media=media,
            changed=lambda: None,
        )
        self.hue = HueService(store=self.store, tasks=self.tasks, media=media, title_of=str.title, changed=lambda: None)

    async def ended(self, study_id: str) -> HueStudy:
        """A study once nobody is at work on it."""
        while self.tasks.is_at_work(study_id):
            await asyncio.sleep(0.005)
        return await self.hue.get(study_id)

    async def written(self, *media: str) -> HueStudy:
        """A study with its questions."""
        videos = [{"media": name} for name in media]
        study = await self.hue.create(CreateHueStudy.model_validate({"videos": videos, "author": "author"}))
        return await self.ended(study.id)

    async def rate(self, study: HueStudy, rater: str, **said: str) -> None:
        """Let a person answer everything that is left: "yes", or what is said of a row."""
        while (card := (await self.hue.next(study.id, rater)).card) is not None:
            video = next(video for video in study.videos if video.id == card.video.id)
            answer = {"video": video.id, "question": card.question.id, "rater": rater}
            answer["said"] = said.get(video.model, "yes")
            await self.hue.rate(study.id, RateVideo.model_validate(answer))


@asynccontextmanager
async def studio(database: Database, folder: Path, **said: Said) -> AsyncGenerator[Studio]:
    own = Studio(database, folder, **({"author": author, "critic": critic} | said))
    await own.tasks.open()
    try:
        yield own
    finally:
        await own.tasks.close()


def test_videos_are_grouped_by_checkpoint_and_the_questions_come_in_three_steps(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            study = await own.written("00000000000a-0", "00000000000b-0", "00000000000c-0")
            assert (study.title, study.models) == (CUP, ("Nano", "Super"))
            assert [(prompt.text, prompt.domain, prompt.written) for prompt in study.prompts] == [
                (CUP, "physics", True),
                (BALL, "misc", True),
            ]
            assert [question.text for question in study.questions] == [line["text"] for line in BANK] * 2
            assert (study.num_pairs, len(own.reasoners.asked)) == (6, 6)
            (task,) = study.tasks
            assert (task.state, task.num_done, task.num_planned, task.num_failed) == ("succeeded", 2, 2, 0)
            (listed,) = (await own.hue.listing(9)).studies
            assert listed.model_dump() == study.model_dump(exclude={"prompts", "questions"})

    asyncio.run(act())


def test_two_people_decide_a_third_where_they_differ_and_real_videos_have_their_row(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            study = await own.written("00000000000a-0", "00000000000b-0", "u000000000000feed")
            assert study.models == ("Nano", "Super", "Real videos")
            await own.rate(study, "ada", Super="no")
            await own.rate(study, "ben", Super="no", Nano="no")
            results = await own.hue.scores(study.id)
            assert results.real == ("Real videos",)
            assert [(score.model, score.overall.value, score.undecided) for score in results.people] == [
                ("Real videos", 1.0, 0),
                ("Super", 0.0, 0),
                ("Nano", None, 2),
            ]
            left = await own.hue.next(study.id, "cleo")
            assert (left.num_left, left.num_done, left.last) == (2, 0, None)
            await own.rate(study, "cleo")
            results = await own.hue.scores(study.id)
            assert [(score.model, score.overall.value) for score in results.people][1:] == [("Nano", 1.0), ("Super", 0)]
            nano = results.people[1]
            assert set(nano.dimensions) == {"semantic_alignment", "physical_laws"}
            assert (set(nano.domains), nano.agreement.share, results.num_raters) == ({"physics"}, 0.0, 3)
            assert (await own.hue.next(study.id, "dora")).card is None
            wrong = await own.hue.answers(study.id, said="no", limit=1)
            assert (wrong.total, wrong.next_offset, wrong.answers[0].video.model) == (2, 1, "Super")

    asyncio.run(act())


def test_the_last_answer_can_be_undone_and_no_one_answers_twice(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            study = await own.written("00000000000a-0")
            first = await own.hue.next(study.id, "ada")
            assert first.card is not None
            said = RateVideo(video=first.card.video.id, question=first.card.question.id, said="yes", rater="ada")
            rated = await own.hue.rate(study.id, said)
            assert await own.hue.rate(study.id, said) == rated
            with pytest.raises(Conflict, match="'ada' has answered yes"):
                await own.hue.rate(study.id, said.model_copy(update={"said": "no"}))
            then = await own.hue.next(study.id, "ada")
            assert (then.last, then.num_left, then.num_done) == (rated, 1, 1)
            await own.hue.undo(study.id, rated.id)
            assert await own.hue.next(study.id, "ada") == first
            with pytest.raises(RatingNotFound):
                await own.hue.undo(study.id, rated.id)

    asyncio.run(act())


def test_a_reasoner_as_rater_is_kept_apart_with_its_agreement(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            study = await own.written("00000000000a-0", "00000000000b-0")
            for rater in ("ada", "ben"):
                await own.rate(study, rater)
            people = (await own.hue.scores(study.id)).people
            await own.tasks.start(study, RATE)
            study = await own.ended(study.id)
            results = await own.hue.scores(study.id)
            assert results.people == people
            (apart,) = results.reasoners
            assert (apart.reasoner, apart.agreement.share, apart.agreement.n) == ("critic", 0.5, 4)
            assert [score.overall.value for score in apart.models] == [0.5, 0.5]
            page = await own.hue.answers(study.id)
            assert {rated.reason for each in page.answers for rated in each.ratings} == {"", "It is seen."}
            pair = next(study.pairs())
            said = {"video": pair.video.id, "question": pair.question.id, "said": "yes", "by": "reasoner"}
            with pytest.raises(BadInput, match="rates by itself"):
                await own.hue.rate(study.id, RateVideo.model_validate({**said, "rater": "critic"}))

    asyncio.run(act())


def test_what_a_kill_interrupts_continues_with_the_next_step(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            own.reasoners.gate.clear()
            videos = [{"media": "00000000000a-0"}, {"media": "00000000000c-0"}]
            study = await own.hue.create(CreateHueStudy.model_validate({"videos": videos, "author": "author"}))
            prompt = study.prompts[0].model_copy(update={"domain": "physics"})
            await own.store.put_prompt(study.id, prompt)  # the only step that was written down before the kill
        async with studio(database, tmp_path) as own:
            study = await own.ended(study.id)
            assert len(own.reasoners.asked) == 5
            assert (study.num_questions, study.tasks[0].state) == (4, "succeeded")
            own.reasoners.gate.clear()
            await own.tasks.start(study, RATE)
            await asyncio.sleep(0.01)
        async with studio(database, tmp_path) as own:
            study = await own.ended(study.id)
            assert len(own.reasoners.asked) == study.num_pairs == 4
            await own.tasks.start(study, RATE)
            await own.ended(study.id)
            assert len(own.reasoners.asked) == 4

    asyncio.run(act())


def test_a_prompt_that_fails_is_counted_and_asked_again(database: Database, tmp_path: Path):
    broken = [True]

    def moody(question: Any) -> str:
        if broken[0] and BALL in words_of(question):
            raise EngineError("The engine gave up.")
        return author(question)

    async def act() -> None:
        async with studio(database, tmp_path, author=moody) as own:
            study = await own.written("00000000000a-0", "00000000000c-0")
            (task,) = study.tasks
            assert (task.state, task.num_done, task.num_failed) == ("succeeded", 1, 1)
            assert [prompt.error and prompt.error.message for prompt in study.prompts] == [None, "The engine gave up."]
            broken[0] = False
            await own.tasks.start(study, WRITE)
            study = await own.ended(study.id)
            assert [(prompt.written, prompt.error) for prompt in study.prompts] == [(True, None)] * 2
            assert (study.tasks[0].num_done, study.tasks[0].num_failed, study.num_questions) == (2, 0, 4)

    asyncio.run(act())


def test_what_stands_against_everything_ends_a_task_which_continues_later(database: Database, tmp_path: Path):
    locked = [True]

    def keyed(question: Any) -> str:
        if locked[0]:
            raise Unauthorized("The key is not accepted.")
        return critic(question)

    async def act() -> None:
        async with studio(database, tmp_path, critic=keyed) as own:
            study = await own.written("00000000000a-0")
            await own.tasks.start(study, RATE)
            study = await own.ended(study.id)
            failed = next(task for task in study.tasks if task.task == "ratings")
            assert failed.error is not None
            assert (failed.state, failed.error.code) == ("failed", "unauthorized")
            locked[0] = False
            await own.tasks.start(study, RATE)
            study = await own.ended(study.id)
            assert next(task for task in study.tasks if task.task == "ratings").num_done == 2

    asyncio.run(act())


def test_a_task_is_stopped_and_a_study_at_work_is_not_deleted(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            study = await own.written("00000000000a-0")
            own.reasoners.gate.clear()
            await own.tasks.start(study, RATE)
            with pytest.raises(Conflict, match="at work"):
                await own.tasks.start(study, RATE)
            with pytest.raises(Conflict, match="at work"):
                await own.hue.remove(study.id)
            assert (await own.tasks.stop(study, RATE)).state == "stopped"
            assert (await own.tasks.stop(study, RATE)).state == "stopped"
            with pytest.raises(Conflict, match="never worked"):
                await own.tasks.stop(study, RATE.model_copy(update={"reasoner": "author"}))
            await own.hue.remove(study.id)
            with pytest.raises(StudyNotFound):
                await own.hue.get(study.id)
            assert await own.store.ratings(study.id) == []

    asyncio.run(act())


def test_people_add_and_remove_questions_and_a_removed_one_returns_with_its_ratings(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            study = await own.hue.create(CreateHueStudy.model_validate({"videos": [{"media": "00000000000a-0"}]}))
            with pytest.raises(Conflict, match="no questions yet"):
                await own.tasks.start(study, RATE)
            own_question = AddHueQuestion(
                prompt="p1", text="Is the cup whole?", dimension="visual_integrity", author="ada"
            )
            added = await own.hue.add_question(study.id, own_question)
            with pytest.raises(Conflict, match="already"):
                await own.hue.add_question(study.id, own_question.model_copy(update={"text": "is the CUP whole?"}))
            study = await own.hue.get(study.id)
            for rater in ("ada", "ben"):
                await own.rate(study, rater)
            await own.hue.remove_question(study.id, added.id)
            assert (await own.hue.scores(study.id)).people[0].overall.n == 0
            with pytest.raises(QuestionNotFound):
                await own.hue.remove_question(study.id, added.id)
            assert (await own.hue.add_question(study.id, own_question)).id == added.id
            assert (await own.hue.scores(study.id)).people[0].overall.n == 1
            for number in range(19):
                await own.hue.add_question(study.id, own_question.model_copy(update={"text": f"Is it {number}?"}))
            with pytest.raises(Conflict, match="the limit"):
                await own.hue.add_question(study.id, own_question.model_copy(update={"text": "Is it more?"}))
            with pytest.raises(BadInput, match="no prompt 'p9'"):
                await own.hue.add_question(study.id, own_question.model_copy(update={"prompt": "p9"}))
            await own.hue.set_domain(study.id, "p1", SetHueDomain(domain="human"))
            await own.tasks.start(study, WRITE)
            study = await own.ended(study.id)
            assert study.prompts[0].domain == "human"
            assert len(own.reasoners.asked) == 2

    asyncio.run(act())


def test_what_is_no_video_or_has_no_prompt_is_refused_and_named(database: Database, tmp_path: Path):
    async def refused(own: Studio, kind: type[Exception], words: str, param: str, **asked: Any) -> None:
        with pytest.raises(kind, match=words) as error:
            await own.hue.create(CreateHueStudy.model_validate(asked))
        assert cast(Any, error.value).param == param

    async def act() -> None:
        async with studio(database, tmp_path) as own:
            none = [{"media": "ffffffffffff-0"}]
            await refused(own, MediaNotFound, "no item", "videos.0.media", videos=none)
            image = [{"media": "00000000000d-0"}]
            await refused(own, BadInput, "expected a video", "videos.0.media", videos=image)
            alone = [{"media": "u000000000000feed"}]
            await refused(own, BadInput, "no prompt of its own", "videos.0.prompt", videos=alone)
            await refused(own, BadInput, "has 0 videos", "videos")
            await refused(own, BadInput, "has 0 videos", "batch", batch="nothing")
            mixed = [{"media": "00000000000a-0"}, {"media": "u000000000000feed", "model": "Nano"}]
            await refused(own, BadInput, "real and generated", "videos", videos=mixed)
            await refused(own, BadInput, "no reasoner", "author", videos=image, author="nobody")
            assert (await own.hue.listing(9)).studies == ()

    asyncio.run(act())


def test_a_comparison_gives_its_results_by_checkpoint_and_its_ground_truth_as_real(database: Database, tmp_path: Path):
    batch = "c" * 12
    ledger = Ledger(database, None)
    adapter = {"name": "table", "scale": 0.5}
    for index, extra in enumerate(({}, {"adapter": adapter})):
        job = f"0000000000e{index}"
        request = GenerateVideo.model_validate({"prompt": CUP, **extra})
        ledger.insert(Accepted(job, request, "nano"), batch=BatchPlace(id=batch, index=index, size=2))
        with database.transaction() as session:
            put(session, f"{job}-0", CUP, type="video", mime="video/mp4", checkpoint="nano", job_id=job)
            assert session.query(JobRow).count() == index + 1
    grid = Grid(
        title="Two of them",
        rows=("cup",),
        columns=(Column(label="ground truth", role="reference"), Column(label="a", role="made")),
        places=(
            GridPlace(row=0, column=0, media_id="u000000000000feed"),
            *(GridPlace(row=0, column=1, index=index) for index in range(2)),
        ),
    )
    with database.transaction() as session:
        session.add(ComparisonRow(id=batch, document=grid.model_dump(mode="json"), created_at=datetime.now(UTC)))

    async def act() -> None:
        async with studio(database, tmp_path) as own:
            study = await own.hue.create(CreateHueStudy(batch=batch))
            assert (study.title, study.models) == ("Two of them", ("Real videos", "Nano", "Nano + table × 0.5"))
            assert [prompt.text for prompt in study.prompts] == [CUP]
            assert study.prompts[0].given == ("u000000000000feed",)
            assert [video.real for video in study.videos] == [True, False, False]

    asyncio.run(act())


def test_a_video_whose_file_is_gone_is_not_asked_about(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            study = await own.written("00000000000a-0", "00000000000b-0")
            MediaStore(tmp_path / "media").erase("00000000000a-0")
            shown = await own.hue.next(study.id, "ada")
            assert shown.card is not None
            assert (shown.card.video.id, shown.num_left) == ("00000000000b-0", 2)

    asyncio.run(act())
