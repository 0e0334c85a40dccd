"""Comparisons, refinements and votes on their way from one data folder to another, and what is no such thing."""

import asyncio
import json
import sqlite3
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, select

from backend.arena.pairing import Wish
from backend.arena.questions import read_questions
from backend.arena.service import ArenaService
from backend.blind_tests.store import BlindTestStore
from backend.comparisons.drawing import Look, critic_scores, draw, find_comparison, list_all
from backend.comparisons.grid import Grid, GridPlace
from backend.database.evaluation_tables import (
    BenchmarkRow,
    BlindPairRow,
    BlindTestRow,
    BlindVerdictRow,
    CorrectionRow,
    EvaluationAnswerRow,
    EvaluationRunRow,
    EvaluationVerdictRow,
    HuePromptRow,
    HueQuestionRow,
    HueRatingRow,
    HueStudyRow,
    HueTaskRow,
    QuestionDraftRow,
    TuningRow,
    TuningStepRow,
)
from backend.database.tables import (
    AnswerRow,
    ComparisonRow,
    GradeRow,
    MeasurementRow,
    QuestionRow,
    RefinementRow,
    VoteRow,
)
from backend.evaluation import RunStore
from backend.hue.store import HueStore
from backend.jobs.ledger import Accepted
from backend.tuning.store import TuningStore
from critiques import critique
from refining_fakes import begun
from shelves import CUBE, Shelf, export_of, shelf_at
from studio.arena import CastVote, Choice, Standings
from studio.arena.questions import AskedQuestion
from studio.blind_tests import AddBlindPair, BlindEpisode, BlindTest, BlindVerdict
from studio.comparisons import Column, Comparison, Likeness
from studio.errors import BadInput
from studio.evaluation import Answer, Benchmark, FieldVerdict, content_hash
from studio.evaluation.corrections import Correction
from studio.evaluation.runs import EvaluationRun
from studio.hue_studies import (
    HueBankQuestion,
    HuePrompt,
    HueRated,
    HueStudyFacts,
    HueStudyVideo,
    HueTask,
)
from studio.jobs import BatchPlace, Failure, JobState
from studio.library import RecordName
from studio.prompting.critique import read_critique
from studio.refinements import RefinementNode, best_of
from studio.tuning import GeneratorRecipe, Stepped
from studio.tuning.lineage import LINEAGE, Lineage, lineage_of
from studio.tuning.tunings import Tuning, TuningProgress, TuningSave

GRID, TREE, QUESTION, RUN, STUDY, TUNING = "c" * 12, "a" * 12, "d" * 12, "b" * 12, "e" * 12, "f" * 12
STEP = {"step": 5, "steps": 20, "loss": 0.5, "gradient_norm": 1.0, "learning_rate": 1e-4, "seconds_per_step": 0.1}
FIRST, SECOND, RUNNING, SHOWN = (f"{number:012x}" for number in range(1, 5))
CHOICES: tuple[Choice, ...] = ("left", "left", "right", "tie", "left", "bad", "left")
SORTS: tuple[RecordName, ...] = (
    "comparisons",
    "measurements",
    "refinements",
    "questions",
    "answers",
    "grades",
    "votes",
    "benchmarks",
    "runs",
    "run_answers",
    "run_verdicts",
    "corrections",
    "question_drafts",
    "studies",
    "study_prompts",
    "study_questions",
    "study_ratings",
    "study_tasks",
    "tunings",
    "tuning_steps",
    "blind_tests",
    "blind_pairs",
    "blind_verdicts",
)


def fill(shelf: Shelf) -> None:
    """A library of which everything was said that can be."""
    shown = shelf.make(SHOWN)
    made = [
        shelf.make(job_id, checkpoint, BatchPlace(id=GRID, index=index, size=4))
        for index, (job_id, checkpoint) in enumerate(((FIRST, "nano"), (SECOND, "super")))
    ]
    shelf.ledger.insert(Accepted(RUNNING, CUBE, "speck"), batch=BatchPlace(id=GRID, index=2, size=4))
    shelf.ledger.claim("speck")
    _compare(shelf, shown, made[0])
    _refine(shelf, made[1])
    _ask(shelf, shown)
    _evaluate(shelf, shown)
    _study(shelf, shown)
    _tune(shelf)
    _blind_test(shelf, shown)
    asyncio.run(_vote(shelf.arena))


def _compare(shelf: Shelf, shown: str, made: str) -> None:
    names = ("ground truth", "nano", "super", "speck", "refused")
    grid = Grid(
        title="Three of them",
        rows=("a red cube",),
        columns=tuple(Column(label=name, role="made" if index else "reference") for index, name in enumerate(names)),
        places=(
            GridPlace(row=0, column=0, media_id=shown),
            *(GridPlace(row=0, column=index + 1, index=index) for index in range(4)),
        ),
        refused={3: Failure.of(BadInput("It has no such size."))},
    )
    likeness = Likeness.of({"psnr_db": 31.5, "ssim": 0.9}).model_dump(mode="json")
    with shelf.database.transaction() as session:
        session.add(ComparisonRow(id=GRID, document=grid.model_dump(mode="json"), created_at=datetime.now(UTC)))
        session.add(MeasurementRow(media_id=made, against_id=shown, document=likeness))


def _refine(shelf: Shelf, made: str) -> None:
    tree = begun()
    judged = tree.nodes[0].model_copy(
        update={
            "request": CUBE,
            "job_id": made[:12],
            "media": shelf.reference(made),
            "critique": read_critique(json.dumps(critique(6, "minor"))),
        }
    )
    waits = RefinementNode(number=1, parent=0, round=1, origin="rewritten", rewrites_left=1, job_id="e" * 12)
    nodes = (judged, waits)

    async def act() -> None:
        await shelf.refinements.add(tree)
        await shelf.refinements.put(tree.model_copy(update={"nodes": nodes, "best": best_of(nodes)}))

    asyncio.run(act())


def _ask(shelf: Shelf, about: str) -> None:
    with shelf.database.transaction() as session:
        session.add(
            QuestionRow(
                id=QUESTION, text="What is it?", media_id=about, max_tokens=9, seed=0, created_at=datetime.now(UTC)
            )
        )
        session.add(AnswerRow(id="1" * 12, question_id=QUESTION, reasoner="nano", text="A cube.", seconds=0.5))
        session.add(
            AnswerRow(id="2" * 12, question_id=QUESTION, reasoner="super", text="A ball.", thought="Round, it seems.")
        )
        failure = Failure.of(BadInput("It is not loaded.")).model_dump(mode="json")
        session.add(AnswerRow(id="3" * 12, question_id=QUESTION, reasoner="speck", error=failure))
        session.add(AnswerRow(id="4" * 12, question_id=QUESTION, reasoner="edge"))
        session.add(GradeRow(answer_id="1" * 12, judge="nano", score=5, reason="It is one."))


def _evaluate(shelf: Shelf, about: str) -> None:
    item = {"id": "one", "media": [about], "question": "What is it?", "reference": "A cube."}
    benchmark = Benchmark.model_validate({"name": "cubes", "form": "text", "items": [item]})
    version = content_hash(benchmark)[:12]
    run = EvaluationRun(
        id=RUN,
        title="nano",
        benchmark="cubes",
        benchmark_id=version,
        benchmark_title="cubes",
        form="text",
        reasoner="nano",
        reasoner_title="Nano",
        version="1",
        settings=benchmark.settings,
        num_items=1,
        num_planned=1,
        created_at=datetime.now(UTC),
    )

    async def act() -> None:
        store = RunStore(shelf.database)
        document = benchmark.model_dump(mode="json")
        row = BenchmarkRow(id=version, name="cubes", document=document, created_at=datetime.now(UTC))
        await shelf.database.write(lambda session: session.add(row))
        await store.add(run)
        await store.keep_answer(RUN, Answer(item="one", text="It is a cube."))
        said = Correction(item="one", reference="A cube.", by="ada", created_at=datetime.now(UTC))
        await store.keep_correction(version, said)
        draft = {"video": "one", "question": "weather"}
        await shelf.database.write(
            lambda session: session.add(QuestionDraftRow(run_id=RUN, **draft, document={**draft, "asked": False}))
        )
        await store.keep_verdicts(RUN, [FieldVerdict(item="one", judge="super", score=5, why="The same.")])

    asyncio.run(act())


def _study(shelf: Shelf, about: str) -> None:
    video = HueStudyVideo(id=about, prompt="p1", model="Nano")
    facts = HueStudyFacts(id=STUDY, title="Cups", videos=(video,), created_at=datetime.now(UTC))
    question = HueBankQuestion(
        id="p1-1", prompt="p1", text="Is it there?", dimension="semantic_alignment", author="nano"
    )
    rated = HueRated(
        id=STUDY, video=about, question="p1-1", rater="ada", said="yes", by="person", created_at=datetime.now(UTC)
    )

    async def act() -> None:
        store, prompt = HueStore(shelf.database), HuePrompt(id="p1", text="A cup.")
        await store.add(facts, [prompt])
        await store.put_prompt(STUDY, prompt, [question])
        await store.keep_rating(STUDY, rated)
        await store.put_task(STUDY, HueTask(task="ratings", reasoner="nano", reasoner_title="Nano"))

    asyncio.run(act())


def _tune(shelf: Shelf) -> None:
    """A tuning that runs, with an adapter where the trainer wrote it."""
    recipe = GeneratorRecipe(name="grasp", checkpoint="speck", data="cups")
    made = {"step": 10, "name": "grasp@10", "makes": "adapter", "size_bytes": 84, "created_at": datetime.now(UTC)}
    tuning = Tuning(
        id=TUNING,
        recipe=recipe,
        checkpoint_title="Speck",
        version="1",
        state="running",
        created_at=datetime.now(UTC),
        progress=TuningProgress(state="running", step=10, steps=20),
        saves=(TuningSave.model_validate(made),),
    )
    written = shelf.folder / "tunings" / TUNING / "saves" / "grasp@10"
    written.mkdir(parents=True)
    (written / "adapter_model.safetensors").write_bytes(b"weights")
    lineage = Lineage(tuning=TUNING, step=10, recipe=recipe, version="1", created_at=tuning.created_at)
    (written / LINEAGE).write_text(lineage.model_dump_json())
    (shelf.folder / "adapters").mkdir(exist_ok=True)
    (shelf.folder / "adapters" / "grasp@10").symlink_to(written, target_is_directory=True)

    async def act() -> None:
        store = TuningStore(shelf.database)
        await store.add(tuning)
        await store.keep_step(TUNING, Stepped.model_validate(STEP))

    asyncio.run(act())


def _blind_test(shelf: Shelf, about: str) -> None:
    now = datetime.now(UTC)
    test = BlindTest(id=STUDY, title="Cups", policies=("base", "tuned"), created_at=now)
    one, other = (BlindEpisode(policy=name, videos=("u0123456789abcdef",)) for name in test.policies)
    said = {"pair": 1, "better": "tie", "progress": (0.5, 0.5), "rater": "ada"}

    async def act() -> None:
        store = BlindTestStore(shelf.database)
        await store.add(test)
        await store.keep_pair(STUDY, AddBlindPair(id=about, task="Lift.", episodes=(one, other)))
        await store.keep_verdict(STUDY, BlindVerdict.model_validate({**said, "id": STUDY, "created_at": now}))

    asyncio.run(act())


async def _vote(arena: ArenaService) -> None:
    for number in range(28):
        voter, by = f"Voter {number} é", "reasoner" if number % 5 == 4 else "person"
        pair = (await arena.next_pair(Wish(contest="checkpoint"), voter, by)).pair
        assert pair is not None
        choices = {axis: CHOICES[(number + at) % len(CHOICES)] for at, axis in enumerate(pair.axes)}
        said = {"pair": pair.id, "left": pair.left.id, "voter": voter, "choices": choices, "by": by, "reason": "So."}
        vote = await arena.cast(CastVote.model_validate(said))
        if number == 3:
            await arena.revoke(vote.id)


def standings(shelf: Shelf) -> Standings:
    return asyncio.run(shelf.arena.standings("checkpoint", "everybody"))


def comparison(shelf: Shelf) -> Comparison:
    look = Look(shelf.store, lambda job: job, lambda _: 1.0)
    with shelf.database.transaction() as session:
        return draw(session, find_comparison(session, GRID), look)


def questions(shelf: Shelf) -> tuple[AskedQuestion, ...]:
    with shelf.database.transaction() as session:
        return read_questions(session, [QUESTION])


def rows_of(shelf: Shelf) -> dict[RecordName, int]:
    """Rows of every sort."""
    said = (ComparisonRow, MeasurementRow, RefinementRow, QuestionRow, AnswerRow, GradeRow, VoteRow)
    measured = (BenchmarkRow, EvaluationRunRow, EvaluationAnswerRow, EvaluationVerdictRow)
    drafted = (CorrectionRow, QuestionDraftRow)
    rated = (HueStudyRow, HuePromptRow, HueQuestionRow, HueRatingRow, HueTaskRow)
    with shelf.database.transaction() as session:
        blind = (BlindTestRow, BlindPairRow, BlindVerdictRow)
        tables = (*said, *measured, *drafted, *rated, TuningRow, TuningStepRow, *blind)
        counts = (session.scalar(select(func.count()).select_from(table)) or 0 for table in tables)
        return dict(zip(SORTS, counts, strict=True))


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Shelf]:
    with shelf_at(tmp_path / "one") as shelf:
        fill(shelf)
        yield shelf


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Shelf]:
    with shelf_at(tmp_path / "two") as shelf:
        yield shelf


def test_what_was_said_of_the_items_comes_in_as_it_was_and_nothing_of_it_begins(full: Shelf, other: Shelf):
    content = export_of(full)

    report = other.bring_in(content)

    assert {name: said.num_added for name, said in report.records.items()} == rows_of(full) == rows_of(other)
    assert not any(said.num_known for said in report.records.values())
    was, now = comparison(full), comparison(other)
    running = was.cell(0, 3)
    assert running is not None
    assert running.job is not None
    assert (running.job.state, now.ended) == (JobState.RUNNING, True)
    assert [cell.job and cell.job.state for cell in now.cells] == [
        *(None, JobState.SUCCEEDED, JobState.SUCCEEDED, JobState.CANCELLED, None)
    ]
    told = [cell.model_dump(include={"row", "column", "item", "error", "likeness", "critic"}) for cell in was.cells]
    assert [cell.model_dump(include=set(told[0])) for cell in now.cells] == told
    assert [cell.likeness.figure("psnr_db") for cell in now.cells if cell.likeness] == [31.5]
    assert standings(other) == standings(full)
    assert questions(other) == questions(full)
    assert other.ledger.open_jobs() == []

    async def look() -> None:
        assert await other.refinements.running() == []
        (tree,) = await other.refinements.newest(9)
        (came_from,) = await full.refinements.newest(9)
        assert (tree.state, came_from.state) == ("stopped", "running")
        assert [node.resting for node in tree.nodes] == [False, True]
        assert tree.nodes[0] == came_from.nodes[0]
        assert tree.best == came_from.best

    asyncio.run(look())
    (task,) = asyncio.run(HueStore(other.database).get(STUDY)).tasks
    assert (task.state, asyncio.run(HueStore(other.database).ratings(STUDY))[0].rater) == ("stopped", "ada")
    with other.database.transaction() as session:
        assert critic_scores(session, [f"{SECOND}-0"]) == {f"{SECOND}-0": 6.0}


def test_a_tuning_comes_in_stopped_with_its_curves_and_its_adapters(full: Shelf, other: Shelf):
    other.bring_in(export_of(full))

    async def look() -> None:
        store = TuningStore(other.database)
        tuning = await store.get(TUNING)
        assert (tuning.state, tuning.progress.state, tuning.progress.step) == ("stopped", "stopped", 10)
        assert tuning.recipe == (await TuningStore(full.database).get(TUNING)).recipe
        assert await store.open() == []
        assert [told.loss for told in await store.steps(TUNING)] == [0.5]

    asyncio.run(look())
    brought = other.folder / "adapters" / "grasp@10"
    assert not brought.is_symlink()
    assert (brought / "adapter_model.safetensors").read_bytes() == b"weights"
    lineage = lineage_of(brought)
    assert lineage is not None
    assert (lineage.tuning, lineage.step) == (TUNING, 10)


def test_what_came_in_can_be_taken_further(full: Shelf, other: Shelf):
    other.bring_in(export_of(full))

    with shelf_at(other.folder.parent / "three") as third:
        report = third.bring_in(export_of(other))

        assert (report.num_items, report.num_jobs) == (3, 4)
        assert rows_of(third) == rows_of(full)
        assert comparison(third) == comparison(other)
        assert standings(third) == standings(full)
        assert questions(third) == questions(full)


def test_what_is_here_already_stays_and_is_counted(full: Shelf, other: Shelf):
    content = export_of(full)
    other.bring_in(content)
    with other.database.transaction() as session:
        row = find_comparison(session, GRID)
        row.document = {**row.document, "title": "Mine"}
    asyncio.run(_revoke_one(other))
    said = standings(other)

    report = other.bring_in(content)

    assert {name: brought.num_known for name, brought in report.records.items()} == rows_of(full)
    assert not any(brought.num_added for brought in report.records.values())
    assert comparison(other).title == "Mine"
    assert standings(other) == said


async def _revoke_one(shelf: Shelf) -> None:
    votes = await shelf.arena.list_votes(None, None, False, 1)
    await shelf.arena.revoke(votes.votes[0].id)


def test_a_voter_who_has_voted_here_on_a_pair_keeps_that_vote(full: Shelf, other: Shelf):
    other.bring_in(export_of(full))
    with other.database.transaction() as session:
        for number, row in enumerate(session.scalars(select(VoteRow))):
            row.id, row.reason = f"{number:012x}", "Mine."

    report = other.bring_in(export_of(full))

    assert (report.records["votes"].num_known, report.records["votes"].num_added) == (27, 1)  # one was revoked
    with other.database.transaction() as session:
        assert session.scalars(select(VoteRow.reason).where(VoteRow.revoked_at.is_(None)).distinct()).all() == ["Mine."]


def test_what_came_is_older_than_what_is_here(full: Shelf, other: Shelf):
    grid = Grid(title="Mine", rows=(), columns=(), places=())
    with other.database.transaction() as session:
        session.add(ComparisonRow(id="f" * 12, document=grid.model_dump(mode="json"), created_at=datetime.now(UTC)))

    other.bring_in(export_of(full))

    with other.database.transaction() as session:
        listed = list_all(session, Look(other.store, lambda job: job, lambda _: None), 9)
    assert [each.title for each in listed] == ["Mine", "Three of them"]


def test_a_cell_that_was_made_again_here_stays_in_its_place(full: Shelf, other: Shelf):
    again = other.make("9" * 12, "nano", BatchPlace(id=GRID, index=0, size=4))

    other.bring_in(export_of(full))

    assert [cell.item.id for cell in comparison(other).cells if cell.item] == [
        *(f"{SHOWN}-0", again, f"{SECOND}-0"),
    ]


def test_results_that_a_job_has_not_made_here_stay_out_since_a_retry_makes_them(full: Shelf, other: Shelf):
    other.ledger.insert(Accepted(FIRST, CUBE, "nano"))
    other.ledger.cancel(FIRST)

    report = other.bring_in(export_of(full))

    assert (report.num_items, report.num_jobs, report.num_missing_items) == (2, 3, 1)
    other.ledger.retry(FIRST)
    other.ledger.claim("nano")
    result = other.store.put_image(FIRST, 0, np.zeros((16, 16, 3), np.uint8), CUBE, "nano")
    assert other.ledger.succeed(FIRST, (result,), None).state is JobState.SUCCEEDED


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    with shelf_at(tmp_path_factory.mktemp("exported")) as shelf:
        fill(shelf)
        return export_of(shelf)


def test_nothing_is_left_of_what_came(exported: bytes, other: Shelf):
    other.bring_in(exported)

    asyncio.run(other.backups.erase_everything())
    other.arena.forget()

    assert not any(rows_of(other).values())
    assert standings(other).num_votes == 0


def test_an_export_while_comparisons_begin_has_all_jobs_of_each(tmp_path: Path, other: Shelf):
    num_grids, num_cells = 12, 5
    grid = Grid(title="x", rows=(), columns=(), places=()).model_dump(mode="json")

    def begin() -> None:
        for number in range(num_grids):
            with other.ledger.transaction() as session:
                session.add(ComparisonRow(id=f"{number:012x}", document=grid, created_at=datetime.now(UTC)))
                for index in range(num_cells):
                    place = BatchPlace(id=f"{number:012x}", index=index, size=num_cells)
                    accepted = Accepted(f"{number:06x}{index:06x}", CUBE, "speck")
                    other.ledger.add(session, accepted, "normal", place)

    writer = threading.Thread(target=begin)
    writer.start()
    exports = [export_of(other)]
    while writer.is_alive():
        exports.append(export_of(other))
    writer.join()
    exports.append(export_of(other))

    counted: list[tuple[int, int]] = []
    for content in exports:
        with zipfile.ZipFile(BytesIO(content)) as archive, closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(archive.read("orrery.db"))
            counts = "SELECT (SELECT count(*) FROM comparisons), (SELECT count(*) FROM jobs)"
            counted.append(database.execute(counts).fetchone())
    assert all(num_jobs == num_cells * grids for grids, num_jobs in counted)
    assert counted[-1][0] == num_grids
