"""A run from its start to its end: resumed, stopped, judged, and drawn up without asking again."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from backend.database import Database
from backend.evaluation import running
from backend.evaluation.service import MAX_RUNNING
from evaluation_studio import COLOURS, Studio, always_a, colours, reads, studio
from scripted_reasoners import words_of
from studio.errors import (
    BadInput,
    BenchmarkNotFound,
    Busy,
    Conflict,
    EngineError,
    MediaNotFound,
    PromptTooLong,
    RunNotFound,
    Unauthorized,
)
from studio.evaluation.judge import known_pairs
from studio.evaluation.runs import AskVerdicts, EvaluationRun, StartRun


def test_every_item_is_asked_once_a_trial_and_scored_by_category(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reader=reads, stubborn=always_a) as own:
            await own.benchmarks.add(colours())
            said = StartRun(benchmark="colours", reasoner="stubborn", settings={"trials": 2, "temperature": 0.5})
            run = await own.ended((await own.runs.start(said)).id)
            assert (run.state, run.num_planned, run.num_answered, run.num_failed) == ("succeeded", 12, 12, 0)
            assert len(own.reasoners.asked) == 12
            seeds = sorted({question.sampling.seed for _, question in own.reasoners.asked})
            assert seeds == [0, 1]
            scores = await own.runs.scores(run.id)
            assert scores.overall.value("accuracy") == 0.5
            assert {group.name: group.value("accuracy") for group in scores.categories} == {"warm": 1.0, "cold": 0.0}
            other = await own.ended((await own.runs.start(StartRun(benchmark="colours", reasoner="reader"))).id)
            table = await own.runs.table([run.id, other.id])
            assert table.models == ("Stubborn", "Reader")
            assert [row.cells["Reader"].best for row in table.rows] == [True, True, True]
            changed = await own.runs.changes(run.id, other.id)
            assert {change.item for change in changed} == {"cube-1", "cube-2", "cube-4"}
            page = await own.runs.answers(run.id, category="cold", limit=2)
            assert (page.total, page.next_offset, [len(each.answers) for each in page.items]) == (3, 2, [2, 2])

    asyncio.run(act())


def test_a_run_that_a_kill_has_interrupted_equals_a_whole_one(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reader=reads) as own:
            await own.benchmarks.add(colours())
            whole = await own.ended((await own.runs.start(StartRun(benchmark="colours", reasoner="reader"))).id)
        async with studio(database, tmp_path, reader=reads) as own:
            own.reasoners.gate.clear()
            run = await own.runs.start(StartRun(benchmark="colours", reasoner="reader"))
            answer = (await own.store.answers(whole.id))[0]
            await own.store.keep_answer(run.id, answer)  # the only one that was written down before the kill
            await asyncio.sleep(0)
        async with studio(database, tmp_path, reader=reads) as own:
            again = await own.ended(run.id)
            assert again.state == "succeeded"
            assert len(own.reasoners.asked) == len(COLOURS) - 1
            assert await own.runs.scores(run.id) == await own.runs.scores(whole.id)

    asyncio.run(act())


def test_an_item_that_fails_is_counted_and_asked_again_when_resumed(database: Database, tmp_path: Path):
    broken = {"cube-1"}

    def moody(question: Any) -> str:
        if broken and "is blue" in words_of(question):
            raise EngineError("The engine gave up.")
        return reads(question)

    async def act() -> None:
        async with studio(database, tmp_path, moody=moody) as own:
            await own.benchmarks.add(colours())
            run = await own.ended((await own.runs.start(StartRun(benchmark="colours", reasoner="moody"))).id)
            assert (run.state, run.num_answered, run.num_failed) == ("succeeded", 4, 2)
            scores = await own.runs.scores(run.id)
            assert (scores.overall.counts.failed, scores.overall.value("accuracy")) == (2, pytest.approx(4 / 6))
            failed = await own.runs.answers(run.id, state="failed")
            assert [each.answers[0].error.message for each in failed.items if each.answers[0].error] == [
                "The engine gave up."
            ] * 2
            broken.clear()
            await own.runs.resume(run.id)
            run = await own.ended(run.id)
            assert (run.num_answered, run.num_failed, len(own.reasoners.asked)) == (6, 0, 8)
            with pytest.raises(Conflict, match="an answer to everything"):
                await own.runs.resume(run.id)

    asyncio.run(act())


def test_what_stands_against_every_item_fails_the_run_which_goes_on_later(database: Database, tmp_path: Path):
    locked = [True]

    def keyed(question: Any) -> str:
        if locked[0] and len(own_asked) > 2:
            raise Unauthorized("The key is not accepted.")
        own_asked.append(question)
        return reads(question)

    own_asked: list[Any] = []

    async def act() -> None:
        async with studio(database, tmp_path, keyed=keyed) as own:
            await own.benchmarks.add(colours())
            run = await own.ended((await own.runs.start(StartRun(benchmark="colours", reasoner="keyed"))).id)
            assert run.error is not None
            assert (run.state, run.error.code) == ("failed", "unauthorized")
            assert run.num_answered <= 3
            locked[0] = False
            await own.runs.resume(run.id)
            assert (await own.ended(run.id)).num_answered == 6

    asyncio.run(act())


def test_a_stopped_run_keeps_its_answers_and_a_running_one_is_not_deleted(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reader=reads) as own:
            await own.benchmarks.add(colours())
            own.reasoners.gate.clear()
            run = await own.runs.start(StartRun(benchmark="colours", reasoner="reader"))
            with pytest.raises(Conflict, match="is running"):
                await own.runs.remove(run.id)
            stopped = await own.runs.stop(run.id)
            assert (stopped.state, stopped.num_answered) == ("stopped", 0)
            with pytest.raises(Conflict, match="only a running one"):
                await own.runs.stop(run.id)
            own.reasoners.gate.set()
            await own.runs.resume(run.id)
            assert (await own.ended(run.id)).num_answered == 6
            with pytest.raises(Conflict, match="has 1 runs"):
                await own.benchmarks.remove("colours")
            await own.runs.remove(run.id)
            with pytest.raises(RunNotFound):
                await own.runs.get(run.id)
            assert await own.store.answers(run.id) == ()
            await own.benchmarks.remove("colours")
            with pytest.raises(BenchmarkNotFound):
                await own.benchmarks.get("colours")

    asyncio.run(act())


def test_of_two_calls_that_start_the_same_work_one_is_refused(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, painter=lambda _: "a red cube", good=grades) as own:
            await own.benchmarks.add(captions())
            own.reasoners.gate.clear()
            run = await own.runs.start(StartRun(benchmark="captions", reasoner="painter"))
            await own.runs.stop(run.id)
            resumed = await asyncio.gather(*(own.runs.resume(run.id) for _ in range(2)), return_exceptions=True)
            assert sum(isinstance(one, Conflict) for one in resumed) == 1
            own.reasoners.gate.set()
            run = await own.ended(run.id)
            assert len(own.reasoners.asked) == 2
            said = AskVerdicts(judge="good")
            own.reasoners.gate.clear()
            judging = await asyncio.gather(*(own.judging.start(run, said) for _ in range(2)), return_exceptions=True)
            own.reasoners.gate.set()
            assert sum(isinstance(one, Conflict) for one in judging) == 1

    asyncio.run(act())


def test_a_run_that_has_just_written_down_its_end_is_resumed_and_deleted(database: Database, tmp_path: Path):
    def broken(_: Any) -> str:
        raise EngineError("Not now.")

    async def act() -> None:
        async with studio(database, tmp_path, broken=broken) as own:
            gate, put = asyncio.Event(), own.store.put

            async def linger(run: EvaluationRun) -> None:
                await put(run)
                if run.state != "running":
                    await gate.wait()

            own.store.put = linger
            await own.benchmarks.add(colours())
            run = await own.ended((await own.runs.start(StartRun(benchmark="colours", reasoner="broken"))).id)
            assert run.num_failed == 6
            with pytest.raises(Conflict, match="only a running one"):
                await own.runs.stop(run.id)
            asyncio.get_running_loop().call_later(0.05, gate.set)
            assert (await own.runs.resume(run.id)).state == "running"
            gate.clear()
            await own.ended(run.id)
            asyncio.get_running_loop().call_later(0.05, gate.set)
            await own.runs.remove(run.id)

    asyncio.run(act())


def test_no_more_runs_are_accepted_than_may_run(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reader=reads) as own:
            await own.benchmarks.add(colours())
            own.reasoners.gate.clear()
            said = StartRun(benchmark="colours", reasoner="reader")
            begun = await asyncio.gather(
                *(own.runs.start(said) for _ in range(MAX_RUNNING + 1)), return_exceptions=True
            )
            assert sum(isinstance(one, Busy) for one in begun) == 1
            own.reasoners.gate.set()

    asyncio.run(act())


def test_a_run_that_is_stopped_after_its_last_answer_has_succeeded(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    begun = asyncio.Event()
    draw_up = running.headline_of

    async def never_first(*given: Any) -> Any:
        if not begun.is_set():
            begun.set()
            await asyncio.Event().wait()
        return await draw_up(*given)

    monkeypatch.setattr(running, "headline_of", never_first)

    async def act() -> None:
        async with studio(database, tmp_path, reader=reads) as own:
            await own.benchmarks.add(colours())
            run = await own.runs.start(StartRun(benchmark="colours", reasoner="reader"))
            await begun.wait()
            stopped = await own.runs.stop(run.id)
            assert (stopped.state, stopped.num_answered) == ("succeeded", 6)
            assert stopped.headline is not None

    asyncio.run(act())


def test_other_items_are_another_version_and_a_run_keeps_its_own(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reader=reads) as own:
            first = await own.benchmarks.add(colours())
            assert (await own.benchmarks.add(colours(title="Renamed"))).id == first.id
            run = await own.ended((await own.runs.start(StartRun(benchmark="colours", reasoner="reader"))).id)
            second = await own.benchmarks.add(colours(num=2))
            assert second.id != first.id
            assert [one.id for one in (await own.benchmarks.listing()).benchmarks] == [second.id]
            assert (await own.benchmarks.get(first.id)).title == "Renamed"
            assert (await own.runs.scores(run.id)).overall.counts.planned == 6
            newer = await own.ended((await own.runs.start(StartRun(benchmark="colours", reasoner="reader"))).id)
            with pytest.raises(BadInput, match="2 benchmarks"):
                await own.runs.table([run.id, newer.id])
            assert [one.id for one in (await own.runs.listing(10, "colours")).runs] == [newer.id]

    asyncio.run(act())


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"reference": "Z"}, "items.1.reference"),
        ({"choices": {"A": "red"}}, "items.1.choices"),
        ({"media": ["u0000000000000000"]}, "items.1.media"),
        ({"id": "cube-0"}, ""),
        ({"hue": 3}, "items.1.hue"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(database: Database, tmp_path: Path, change: dict[str, Any], param: str):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            said = colours()
            said["items"][1] |= change
            with pytest.raises((BadInput, MediaNotFound)) as refused:
                await own.benchmarks.add(said)
            assert param in (refused.value.param or "")

    asyncio.run(act())


def test_a_setting_of_a_run_is_named_and_frames_are_counted_one_way(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reader=reads) as own:
            await own.benchmarks.add(colours(settings={"fps": 8}))
            with pytest.raises(BadInput) as refused:
                await own.runs.start(StartRun(benchmark="colours", reasoner="reader", settings={"trials": 0}))
            assert refused.value.param == "settings.trials"
            run = await own.runs.start(StartRun(benchmark="colours", reasoner="reader", settings={"num_frames": 16}))
            assert (run.settings.fps, run.settings.num_frames) == (None, 16)
            with pytest.raises(BadInput, match="no reasoner"):
                await own.runs.start(StartRun(benchmark="colours", reasoner="nobody"))

    asyncio.run(act())


def captions() -> dict[str, Any]:
    """Two texts to be compared by a judge."""
    items = [{"id": name, "question": "What is there?", "reference": f"a {name} cube"} for name in ("red", "blue")]
    return {"name": "captions", "form": "text", "items": items}


def grades(question: Any) -> str:
    """A judge that compares words: 5 where the answer has the person's, else 1; of the known pairs it knows all."""
    words = words_of(question)
    pair = next((pair for pair in known_pairs() if pair.answer in words), None)
    same = pair.same if pair else words.count("a red cube") > 1
    return f'{{"reason": "compared", "score": {5 if same else 1}}}'


def test_a_judge_is_calibrated_once_and_another_rescores_without_new_answers(database: Database, tmp_path: Path):
    async def act() -> None:
        said = {"painter": lambda _: "a red cube", "good": grades, "blind": lambda _: '{"reason": "?", "score": 5}'}
        async with studio(database, tmp_path, **said) as own:
            await own.benchmarks.add(captions())
            run = await own.ended((await own.runs.start(StartRun(benchmark="captions", reasoner="painter"))).id)
            before = await own.store.answers(run.id)
            await judged(own, run, "good")
            assert [one.trust for one in (await own.judging.listing()).judges] == ["good"]
            assert (await own.runs.scores(run.id)).overall.value("judge_score") == 3.0
            num_asked = len(own.reasoners.asked)
            await judged(own, run, "good")
            assert len(own.reasoners.asked) == num_asked  # every verdict is there
            refused = await judged(own, run, "blind")
            assert refused.error is not None
            assert "5 of 10 known pairs" in refused.error.message
            await judged(own, run, "blind", anyway=True)
            assert (await own.runs.scores(run.id, "blind")).overall.value("judge_score") == 5.0
            assert (await own.runs.get(run.id)).judges == ("blind", "good")
            assert await own.store.answers(run.id) == before

    asyncio.run(act())


def test_a_judge_that_gives_no_usable_grade_is_counted(database: Database, tmp_path: Path):
    def prose(question: Any) -> str:
        known = any(pair.answer in words_of(question) for pair in known_pairs())
        return grades(question) if known else "I would say a 7."

    async def act() -> None:
        async with studio(database, tmp_path, painter=lambda _: "a red cube", prose=prose) as own:
            await own.benchmarks.add(captions())
            run = await own.ended((await own.runs.start(StartRun(benchmark="captions", reasoner="painter"))).id)
            await judged(own, run, "prose")
            scores = await own.runs.scores(run.id)
            assert scores.overall.counts.unjudged == 2
            assert scores.overall.value("judge_score") is None

    asyncio.run(act())


def test_a_text_that_is_too_long_for_a_judge_is_counted_and_the_others_are_graded(database: Database, tmp_path: Path):
    def near(question: Any) -> str:
        if words_of(question).count("a blue cube"):
            raise PromptTooLong("The text has more tokens than the reasoner reads.", param="prompt")
        return grades(question)

    async def act() -> None:
        async with studio(database, tmp_path, painter=lambda _: "a red cube", near=near) as own:
            await own.benchmarks.add(captions())
            run = await own.ended((await own.runs.start(StartRun(benchmark="captions", reasoner="painter"))).id)
            assert (await judged(own, run, "near")).error is None
            scores = await own.runs.scores(run.id)
            assert (scores.overall.counts.unjudged, scores.overall.value("judge_score")) == (1, 5.0)

    asyncio.run(act())


def test_a_run_is_neither_judged_twice_at_once_nor_deleted_under_its_judge(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, painter=lambda _: "a red cube", good=grades) as own:
            await own.benchmarks.add(captions())
            run = await own.ended((await own.runs.start(StartRun(benchmark="captions", reasoner="painter"))).id)
            own.reasoners.gate.clear()
            await own.judging.start(run, AskVerdicts(judge="good"))
            with pytest.raises(Conflict, match="at work"):
                await own.judging.start(run, AskVerdicts(judge="good"))
            with pytest.raises(Conflict, match="at work"):
                await own.runs.remove(run.id)
            own.reasoners.gate.set()
            while own.judging.is_at_work(run.id):
                await asyncio.sleep(0.005)
            await own.runs.remove(run.id)
            assert await own.store.verdicts(run.id) == ()

    asyncio.run(act())


async def judged(own: Studio, run: EvaluationRun, judge: str, *, anyway: bool = False) -> Any:
    """What became of a judge's work, once it has ended."""
    await own.judging.start(run, AskVerdicts(judge=judge, anyway=anyway))
    while own.judging.is_at_work(run.id):
        await asyncio.sleep(0.005)
    return own.judging.progress(run.id)
