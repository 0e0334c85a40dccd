"""The builder of multiple-choice questions: two sides answer, a person decides, and the rest is a benchmark."""

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from backend.database import Database
from evaluation_studio import Studio, studio
from scripted_reasoners import words_of
from sent_files import clip_bytes
from studio.errors import BadInput, Conflict, PromptTooLong, QuestionNotFound
from studio.evaluation import load_schema
from studio.evaluation.corrections import CorrectItem
from studio.evaluation.question_drafts import DecideQuestion, DraftQuestions, QuestionDrafts, SaveQuestions
from studio.evaluation.runs import StartRun

ASKED = DraftQuestions(reasoner="reads", video_reasoner="sees", per_video=3, categories=("Scene Description",))


def reads(question: Any) -> str:
    """Reads A in an annotation of rain, and nothing in others."""
    said = words_of(question)
    return "<answer>A</answer>" if "rain" in said.split("</annotation>")[0] else "<answer>?</answer>"


def sees(question: Any) -> str:
    """Sees A in everything but the weather, and annotates."""
    said = words_of(question)
    if "JSON object" in said:
        return json.dumps({"weather": "Overcast"})
    return "<answer>B</answer>" if "weather" in said else "<answer>A</answer>"


async def annotated(own: Studio) -> str:
    """A run of two annotated videos."""
    video = own.media.put_upload(io.BytesIO(clip_bytes(8))).id
    items = [
        {"id": f"drive-{number}", "media": [video], "reference": {"weather": weather}}
        for number, weather in enumerate(("Heavy rain", "Overcast"))
    ]
    schema = load_schema("av").model_dump()
    await own.benchmarks.add({"name": "drives", "form": "fields", "annotation": schema, "items": items})
    run = await own.runs.start(StartRun(benchmark="drives", reasoner="sees"))
    return (await own.ended(run.id)).id


async def drafted(own: Studio, run_id: str, asked: DraftQuestions = ASKED) -> QuestionDrafts:
    """The drafts once nobody is asked any more."""
    found = await own.questions.start(run_id, asked)
    while found.is_running:
        await asyncio.sleep(0.005)
        found = await own.questions.drafts(run_id)
    return found


def test_both_sides_answer_each_question_once_and_what_they_agree_on_is_saved(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reads=reads, sees=sees) as own:
            run_id = await annotated(own)
            num_before = len(own.reasoners.asked)
            found = await drafted(own, run_id)
            assert len(found.categories) == 6
            assert {one.category for one in found.questions} == {"Scene Description"}
            assert [one.video for one in found.questions] == ["drive-0"] * 3 + ["drive-1"] * 3
            assert all(one.asked for one in found.questions)
            assert {one.state for one in found.questions if one.video == "drive-1"} == {"not_annotated"}
            assert len(own.reasoners.asked) == num_before + 12
            await drafted(own, run_id)
            assert len(own.reasoners.asked) == num_before + 12
            agreed = [one for one in found.questions if one.letter]
            removed, kept = agreed[0], agreed[1:]
            drop = DecideQuestion(video=removed.video, question=removed.question, by_person="drop")
            await own.questions.decide(run_id, drop)
            unsure = found.questions[-1]
            decided = DecideQuestion(video=unsure.video, question=unsure.question, by_person="C")
            await own.questions.decide(run_id, decided)
            saved = await own.questions.save(run_id, SaveQuestions(name="drive-vqa", title="Drives, asked"))
            benchmark = (await own.benchmarks.get(saved.id)).benchmark
            assert (benchmark.form, benchmark.title, benchmark.settings.num_frames) == ("choice", "Drives, asked", 16)
            wanted = {f"{one.video}/{one.question}": one.letter for one in kept}
            assert {item.id: item.reference for item in benchmark.items} == wanted | {
                f"{unsure.video}/{unsure.question}": "C"
            }

    asyncio.run(act())


def test_of_two_calls_that_draw_questions_one_is_refused(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reads=reads, sees=sees) as own:
            run_id = await annotated(own)
            own.reasoners.gate.clear()
            fewer = ASKED.model_copy(update={"per_video": 2})
            both = [own.questions.start(run_id, asked) for asked in (ASKED, fewer)]
            begun = await asyncio.gather(*both, return_exceptions=True)
            assert [isinstance(one, Conflict) for one in begun] == [False, True]
            assert len((await own.questions.drafts(run_id)).questions) == 6
            with pytest.raises(Conflict, match="at work"):
                await own.runs.remove(run_id)

    asyncio.run(act())


@pytest.mark.parametrize("person_is_late", [True, False])
def test_a_decision_and_the_letters_that_come_meanwhile_both_stay(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, person_is_late: bool
):
    write = database.write

    async def act() -> None:
        async with studio(database, tmp_path, reads=reads, sees=sees) as own:
            run_id = await annotated(own)
            own.reasoners.gate.clear()
            one = (await own.questions.start(run_id, ASKED)).questions[0]
            decided = asyncio.Event()

            async def late(change: Any) -> Any:
                """Of both sides one writes only after the other has."""
                task = asyncio.current_task()
                is_person = task is not None and task.get_name() == "person"
                if is_person and person_is_late:
                    while (await own.questions.drafts(run_id)).is_running:
                        await asyncio.sleep(0.005)
                elif not is_person and not person_is_late:
                    await decided.wait()
                return await write(change)

            monkeypatch.setattr(database, "write", late)
            decide = DecideQuestion(video=one.video, question=one.question, by_person="C")
            person = asyncio.create_task(own.questions.decide(run_id, decide), name="person")
            person.add_done_callback(lambda _: decided.set())
            own.reasoners.gate.set()
            await person
            while (found := await own.questions.drafts(run_id)).is_running:
                await asyncio.sleep(0.005)
            assert all(each.asked for each in found.questions)
            assert found.questions[0].by_person == "C"

    asyncio.run(act())


def test_drafts_that_were_read_before_the_last_answer_are_not_told_as_all(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reads=reads, sees=sees) as own:
            run_id = await annotated(own)
            own.reasoners.gate.clear()
            await own.questions.start(run_id, ASKED)
            read = own.questions._drafts

            async def late(of: str) -> Any:
                found = await read(of)
                own.reasoners.gate.set()
                while own.questions.is_at_work(of):
                    await asyncio.sleep(0.005)
                return found

            own.questions._drafts = late
            found = await own.questions.drafts(run_id)
            assert not all(one.asked for one in found.questions)
            assert found.is_running

    asyncio.run(act())


def test_a_second_drawing_keeps_what_people_have_decided_and_says_how_it_was_drawn(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reads=reads, sees=sees) as own:
            run_id = await annotated(own)
            found = await drafted(own, run_id)
            assert found.drawn_by == ASKED
            decided = {(one.video, one.question) for one in found.questions[:2]}
            for video, question in decided:
                await own.questions.decide(run_id, DecideQuestion(video=video, question=question, by_person="B"))
            other = ASKED.model_copy(update={"per_video": 1, "categories": ("Key Objects",)})
            again = await drafted(own, run_id, other)
            assert again.drawn_by == other
            by_person = {(one.video, one.question): one.by_person for one in again.questions}
            assert {place: by_person[place] for place in decided} == dict.fromkeys(decided, "B")
            assert len(by_person) == 4

    asyncio.run(act())


def test_a_drawing_that_a_kill_has_interrupted_is_continued_by_the_same_call(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reads=reads, sees=sees) as own:
            run_id = await annotated(own)
            own.reasoners.gate.clear()
            await own.questions.start(run_id, ASKED)
        async with studio(database, tmp_path, reads=reads, sees=sees) as own:
            found = await own.questions.drafts(run_id)
            assert found.drawn_by == ASKED
            assert not any(one.asked for one in found.questions)
            again = await drafted(own, run_id)
            assert [(one.video, one.question) for one in again.questions] == [
                (one.video, one.question) for one in found.questions
            ]
            assert all(one.asked for one in again.questions)

    asyncio.run(act())


def test_a_corrected_annotation_is_what_is_read(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reads=reads, sees=sees) as own:
            run_id = await annotated(own)
            said: JsonValue = {"weather": "Light rain"}
            await own.corrections.correct(run_id, CorrectItem(item="drive-1", reference=said, by="ada"))
            found = await drafted(own, run_id)
            assert {one.from_annotation for one in found.questions} == {"A"}

    asyncio.run(act())


def test_a_side_that_cannot_be_asked_one_question_gives_no_letter_and_the_rest_is_asked(
    database: Database, tmp_path: Path
):
    def short_sighted(question: Any) -> str:
        if "weather" in words_of(question) and "JSON object" not in words_of(question):
            raise PromptTooLong("The clip has more tokens than the reasoner reads.", param="prompt")
        return sees(question)

    async def act() -> None:
        async with studio(database, tmp_path, reads=reads, sees=short_sighted) as own:
            run_id = await annotated(own)
            found = await drafted(own, run_id, ASKED.model_copy(update={"per_video": 13}))
            assert found.error is None
            assert all(one.asked for one in found.questions)
            assert {one.from_video for one in found.questions} == {"A", None}
            gone = next(one.media[0] for one in found.questions)
            own.media.erase(gone)
            again = await drafted(own, run_id, ASKED.model_copy(update={"categories": (), "per_video": 30}))
            assert again.error is None
            assert all(one.asked for one in again.questions)

    asyncio.run(act())


def test_what_cannot_be_drawn_or_decided_is_named(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reads=reads, sees=sees) as own:
            run_id = await annotated(own)
            for changes, why in (
                ({"categories": ("Scenery",)}, "no category 'Scenery'"),
                ({"categories": ("Spatial & Temporal",), "per_video": 7}, "6 questions"),
                ({"reasoner": "nobody"}, "nobody"),
            ):
                with pytest.raises(BadInput, match=why):
                    await own.questions.start(run_id, ASKED.model_copy(update=changes))
            with pytest.raises(BadInput, match="No answer is known"):
                await own.questions.save(run_id, SaveQuestions(name="none"))
            with pytest.raises(QuestionNotFound):
                await own.questions.decide(run_id, DecideQuestion(video="a", question="b", by_person="drop"))
            one = (await drafted(own, run_id)).questions[0]
            wrong = DecideQuestion(video=one.video, question=one.question, by_person="H")
            with pytest.raises(BadInput, match="expected one of A, B"):
                await own.questions.decide(run_id, wrong)

    asyncio.run(act())


TABLE: dict[str, Any] = {
    "id": "table",
    "title": "Tables",
    "system": "Look.",
    "prompt": "Say what is there.",
    "fields": [
        {
            "name": "cube",
            "title": "Cube",
            "question": "Which colour has it?",
            "type": "enum",
            "values": ["red", "blue"],
        },
        {"name": "cups", "title": "Cups", "question": "How many?", "type": "integer", "low": 0, "high": 3},
        {"name": "held", "title": "Held", "question": "Is it held?", "type": "boolean"},
        {"name": "note", "title": "Note", "question": "What else?", "type": "text"},
        {"name": "parts", "title": "Parts", "question": "Which?", "type": "several", "values": ["lid", "handle"]},
    ],
}


def test_annotations_of_any_schema_are_asked_about_by_their_own_fields(database: Database, tmp_path: Path):
    def looks(question: Any) -> str:
        said = words_of(question)
        return "<answer>A</answer>" if "held" in said or "colour" in said else "<answer>C</answer>"

    async def act() -> None:
        async with studio(database, tmp_path, looks=looks) as own:
            video = own.media.put_upload(io.BytesIO(clip_bytes(8))).id
            said = {"cube": "Blue.", "cups": 2, "held": "true", "note": "a spoon", "parts": ["lid"]}
            items = [{"id": "one", "media": [video], "reference": said}]
            items.append({"id": "two", "media": [video], "reference": {"note": "nothing"}})
            await own.benchmarks.add({"name": "tables", "form": "fields", "annotation": TABLE, "items": items})
            run = await own.runs.start(StartRun(benchmark="tables", reasoner="looks"))
            await own.ended(run.id)
            num_before = len(own.reasoners.asked)
            found = await drafted(own, run.id, DraftQuestions(reasoner="looks"))
            assert found.categories == ("Cube", "Cups", "Held")
            first, second = found.questions[:3], found.questions[3:]
            assert [(one.from_annotation, one.from_video, one.letter) for one in first] == [
                ("B", "A", None),
                ("C", "C", "C"),
                ("A", "A", "A"),
            ]
            assert {one.state for one in second} == {"not_annotated"}
            assert len(own.reasoners.asked) == num_before + 6, "annotations are read without a reasoner"
            saved = await own.questions.save(run.id, SaveQuestions(name="tables-vqa"))
            assert saved.num_items == 2

    asyncio.run(act())


def test_annotations_of_texts_alone_make_no_questions(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, looks=lambda _: '{"note": "a spoon"}') as own:
            schema = {**TABLE, "fields": [TABLE["fields"][3]]}
            items = [{"id": "one", "reference": {"note": "a spoon"}}]
            await own.benchmarks.add({"name": "notes", "form": "fields", "annotation": schema, "items": items})
            run = await own.runs.start(StartRun(benchmark="notes", reasoner="looks"))
            assert (await own.questions.drafts(run.id)).categories == ()
            with pytest.raises(BadInput, match="one of two to eight values"):
                await own.questions.start(run.id, DraftQuestions(reasoner="looks"))

    asyncio.run(act())
