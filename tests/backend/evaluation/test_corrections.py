"""Corrections through the service: they outlive a restart and a run, and go out in the zips."""

import asyncio
import io
import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from backend.database import Database, open_database
from evaluation_studio import Studio, colours, reads, studio
from sent_files import clip_bytes
from studio.errors import BadInput, BenchmarkNotFound, CorrectionNotFound, RunNotFound
from studio.evaluation import load_schema
from studio.evaluation.corrections import BringCorrections, Correction, CorrectItem
from studio.evaluation.layouts import read
from studio.evaluation.runs import StartRun

SAID = "<answer>\nEvent 1: <0.25> <0.50> a\nEvent 2: <0.50> <1.00> b\n</answer>"
EVENTS = ["grasping the pod", "inserting the pod"]


def answers(_: Any) -> str:
    return SAID


async def begun(own: Studio, num: int = 2) -> str:
    """A run of the form "events" that has ended; its id."""
    video = own.media.put_upload(io.BytesIO(clip_bytes(24, fps=12))).id
    items = [
        {"id": f"coffee_demo{number}", "media": [video], "events": EVENTS, "reference": [0.5, 1.5]}
        for number in range(num)
    ]
    await own.benchmarks.add({"name": "coffee", "form": "events", "items": items})
    run = await own.runs.start(StartRun(benchmark="coffee", reasoner="sage"))
    return (await own.ended(run.id)).id


def corrects(item: str = "coffee_demo1", end: float = 1.25, by: str = "ada") -> CorrectItem:
    return CorrectItem(item=item, reference=[[0.25, 0.75], [0.75, end]], by=by)


def unzipped(stream: Iterator[bytes], folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(b"".join(stream))) as archive:
        archive.extractall(folder)
    return folder


def test_a_correction_survives_a_restart_and_never_changes_an_answer(tmp_path: Path):
    database = open_database(tmp_path / "orrery.db")

    async def first() -> str:
        async with studio(database, tmp_path, sage=answers) as own:
            run_id = await begun(own)
            before = (await own.runs.answers(run_id)).items
            assert [one.correction for one in before] == [None, None]
            changes = own.changes
            await own.corrections.correct(run_id, corrects(end=1.0))
            await own.corrections.correct(run_id, corrects())
            assert own.changes == changes + 2
            return run_id

    async def second(run_id: str) -> None:
        async with studio(again, tmp_path, sage=answers) as own:
            one = (await own.runs.answers(run_id)).items[1]
            assert one.answers[0].text == SAID
            assert one.correction is not None
            assert (one.correction.by, one.correction.reference) == ("ada", [[0.25, 0.75], [0.75, 1.25]])
            assert one.boundaries is not None
            assert one.boundaries.length is not None
            assert (one.boundaries.length.fps, one.boundaries.length.num_frames) == (12, 24)
            assert one.boundaries.answered[0].spans[1].end_s == 1.0
            assert len((await own.corrections.listing(run_id)).corrections) == 1
            await own.corrections.take_back(run_id, "coffee_demo1", "ada")
            assert (await own.runs.answers(run_id)).items[1].correction is None
            with pytest.raises(CorrectionNotFound, match="'ada' has not corrected"):
                await own.corrections.take_back(run_id, "coffee_demo1", "ada")

    run_id = asyncio.run(first())
    database.close()
    again = open_database(tmp_path / "orrery.db")
    asyncio.run(second(run_id))
    again.close()


def test_a_correction_stays_when_its_run_is_deleted_and_goes_with_its_benchmark(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, sage=answers) as own:
            run_id = await begun(own)
            version = (await own.runs.get(run_id)).benchmark_id
            await own.corrections.correct(run_id, corrects())
            await own.runs.remove(run_id)
            assert len(await own.store.corrections(version)) == 1
            await own.benchmarks.remove("coffee")
            assert await own.store.corrections(version) == ()

    asyncio.run(act())


def test_the_zip_of_a_run_has_its_corrections(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, sage=answers) as own:
            run_id = await begun(own)
            await own.corrections.correct(run_id, corrects())
            folder = unzipped(await own.runs.export(run_id), tmp_path / "run")
            (row,) = [json.loads(line) for line in (folder / "corrections.jsonl").read_text().splitlines()]
            assert (row["item"], row["by"], row["reference"][1]) == ("coffee_demo1", "ada", [0.75, 1.25])

    asyncio.run(act())


def test_boundaries_go_out_in_each_layout_corrected_or_answered(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, sage=answers) as own:
            run_id = await begun(own)
            with pytest.raises(BadInput, match="No item of run"):
                await own.corrections.archive(run_id, "mimicgen", "corrected")
            await own.corrections.correct(run_id, corrects())
            whole = await own.corrections.boundaries(run_id)
            assert [one.corrected is not None for one in whole.items] == [False, True]

            demos = unzipped(await own.corrections.archive(run_id, "mimicgen", "corrected"), tmp_path / "demos")
            (file,) = demos.iterdir()
            demo = json.loads(file.read_text())
            assert (file.name, demo["demo"]) == ("coffee_demo1.json", "demo_1")
            assert demo["subtask_indices"] == [[0, 11], [11, 17], [17, 24]]
            answered = unzipped(await own.corrections.archive(run_id, "mimicgen", "answered"), tmp_path / "answered")
            assert len(list(answered.iterdir())) == 2

            rows = unzipped(await own.corrections.archive(run_id, "lerobot", "corrected"), tmp_path / "lerobot")
            (row,) = [json.loads(line) for line in (rows / "episodes.jsonl").read_text().splitlines()]
            assert (row["episode_index"], row["sparse_subtask_end_times"]) == (1, [0.75, 1.25])

            trained = unzipped(await own.corrections.archive(run_id, "messages", "corrected"), tmp_path / "train")
            again = read(trained)
            assert [(item.id, item.events, item.reference) for item in again.items] == [
                ("coffee_demo1", tuple(EVENTS), [[0.25, 0.75], [0.75, 1.25]])
            ]

    asyncio.run(act())


def test_runs_without_boundaries_and_runs_that_are_gone_are_refused(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reader=reads) as own:
            await own.benchmarks.add(colours())
            run = await own.ended((await own.runs.start(StartRun(benchmark="colours", reasoner="reader"))).id)
            with pytest.raises(BadInput, match="no boundaries"):
                await own.corrections.boundaries(run.id)
            with pytest.raises(BadInput, match="form choice"):
                await own.corrections.correct(run.id, corrects())
            with pytest.raises(RunNotFound):
                await own.corrections.correct("gone", corrects())

    asyncio.run(act())


def test_a_corrected_annotation_tags_its_video_instead_of_what_stood_there(database: Database, tmp_path: Path):
    schema = load_schema("av")

    def says(_: Any) -> str:
        return json.dumps({"weather": "Overcast", "driving_difficulty": 3})

    async def act() -> None:
        async with studio(database, tmp_path, sage=says) as own:
            video = own.media.put_upload(io.BytesIO(clip_bytes(8))).id
            item = {"id": "drive", "media": [video], "reference": {"weather": "Overcast"}}
            benchmark = {"name": "drives", "form": "fields", "annotation": schema.model_dump(), "items": [item]}
            await own.benchmarks.add(benchmark)
            run_id = (await own.ended((await own.runs.start(StartRun(benchmark="drives", reasoner="sage"))).id)).id
            wrong = CorrectItem(item="drive", reference={"weather": "Hail"}, by="ada")
            with pytest.raises(BadInput, match="Hail"):
                await own.corrections.correct(run_id, wrong)
            assert own.tagged == []
            said = {"weather": "heavy rain.", "rule_violation": "True", "critical_object": []}
            kept = await own.corrections.correct(run_id, CorrectItem(item="drive", reference=said, by="ada"))
            assert kept.reference == {"weather": "Heavy rain", "rule_violation": True, "critical_object": []}
            removed, added = own.tagged
            assert removed.ids == added.ids == (video,)
            assert added.add_tags == ("Weather: Heavy rain", "Rule violation: true")
            assert {"Weather: Overcast", "Rule violation: false", "Driving difficulty: 3"} <= set(removed.remove_tags)
            page = await own.runs.answers(run_id)
            assert page.annotation == schema
            assert page.items[0].correction == kept
            own.tagged.clear()
            await own.corrections.take_back(run_id, "drive", "ada")
            (removed,) = own.tagged
            assert (removed.remove_tags, removed.add_tags) == (added.add_tags, ())

    asyncio.run(act())


def test_a_removed_annotation_gives_way_to_the_tags_of_another_person(database: Database, tmp_path: Path):
    schema = load_schema("av")

    async def act() -> None:
        async with studio(database, tmp_path, sage=lambda _: "{}") as own:
            video = own.media.put_upload(io.BytesIO(clip_bytes(8))).id
            item = {"id": "drive", "media": [video], "reference": {"weather": "Overcast"}}
            benchmark = {"name": "drives", "form": "fields", "annotation": schema.model_dump(), "items": [item]}
            await own.benchmarks.add(benchmark)
            run_id = (await own.ended((await own.runs.start(StartRun(benchmark="drives", reasoner="sage"))).id)).id
            for person, weather in (("ada", "Light rain"), ("ben", "Heavy rain")):
                said = CorrectItem(item="drive", reference={"weather": weather}, by=person)
                await own.corrections.correct(run_id, said)
            own.tagged.clear()
            await own.corrections.take_back(run_id, "drive", "ben")
            assert own.tagged[0].remove_tags == ("Weather: Heavy rain",)
            assert own.tagged[-1].add_tags == ("Weather: Light rain",)

    asyncio.run(act())


def test_corrections_of_another_orrery_come_in_unless_the_same_person_was_later_here(
    database: Database, tmp_path: Path
):
    def of(item: str, end: float, by: str, year: int) -> Correction:
        said = {"item": item, "reference": [[0.25, 0.5], [0.5, end]], "by": by}
        return Correction.model_validate({**said, "created_at": datetime(year, 1, 1, tzinfo=UTC)})

    async def act() -> None:
        async with studio(database, tmp_path, sage=answers) as own:
            run_id = await begun(own)
            here = await own.corrections.correct(run_id, corrects("coffee_demo1", 1.25, "ada"))
            benchmark = (await own.runs.get(run_id)).benchmark_id
            brought = (of("coffee_demo1", 1.5, "ada", 2020), of("coffee_demo1", 1.75, "ben", 2021))
            found = await own.corrections.bring_in(benchmark, BringCorrections(corrections=brought))
            assert [(one.by, one.reference) for one in found.corrections] == [
                ("ben", [[0.25, 0.5], [0.5, 1.75]]),
                ("ada", here.reference),
            ]
            newer = of("coffee_demo1", 1.5, "ben", 2022)
            later = of("coffee_demo0", 1.5, "ben", 2999)
            found = await own.corrections.bring_in("coffee", BringCorrections(corrections=(newer, later)))
            assert found.corrections[0] == newer
            assert found.corrections[-1].created_at <= datetime.now(UTC)
            wrong = BringCorrections(corrections=(newer, of("coffee_demo9", 1.5, "ben", 2023)))
            with pytest.raises(BadInput, match="coffee_demo9") as refused:
                await own.corrections.bring_in("coffee", wrong)
            assert refused.value.param == "corrections.1.item"
            with pytest.raises(BenchmarkNotFound):
                await own.corrections.bring_in("tea", wrong)

    asyncio.run(act())
