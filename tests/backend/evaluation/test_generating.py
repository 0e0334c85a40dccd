"""Runs whose items are jobs: each is made once, kept, measured, and measured again without being made."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from backend.database import Database
from backend.evaluation import Generators, ResultMeasuring
from backend.media import MediaStore
from evaluation_studio import Studio, studio
from studio.errors import BadInput, Conflict, EngineError
from studio.evaluation.generations import GenerationResult
from studio.evaluation.runs import EvaluationRun, StartRun
from studio.requests import PredictVideo, parse_request

GREY = np.full((64, 64, 3), 90, np.uint8)
POSE = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]
ROWS = [POSE] * 4


class MadeJobs:
    """`PromisedJobs` that draws what is asked for at once: a grey picture, brighter by 10 for odd seeds.

    Attributes:
        asked: ids and payloads of what was made.
        given_up: ids.
        gate: while it is cleared nothing ends.
        letting_go: while it is cleared nothing that was given up ends.
        fails: whether a request fails.
        broken: why the checkpoint could not be loaded.
    """

    def __init__(self, media: MediaStore) -> None:
        self._media = media
        self.asked: dict[str, dict[str, Any]] = {}
        self.priorities: set[str] = set()
        self.given_up: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.broken = ""
        self.letting_go = asyncio.Event()
        self.letting_go.set()
        self.fails: Callable[[Mapping[str, Any]], bool] = lambda _: False

    def refuse_if_failed(self, _: str) -> None:
        if self.broken:
            raise Conflict(self.broken)

    async def succeeded(self, job_id: str, payload: Mapping[str, Any], *, priority: str, evaluation: bool) -> Any:
        assert evaluation
        await self.gate.wait()
        if self.fails(payload):
            raise EngineError("The engine gave up.")
        assert job_id not in self.asked, "nothing is made twice"
        self.asked[job_id] = dict(payload)
        self.priorities.add(priority)
        request = parse_request(payload)
        seed = request.sampling.seed or 0
        pixels = GREY + np.uint8(10 * (seed % 2))
        if request.kind == "generate_image":
            results: tuple[Any, ...] = (self._media.put_image(job_id, 0, pixels, request, "speck"),)
        elif isinstance(request, PredictVideo):
            results = (self._media.put_clip(job_id, 0, [GREY, *[pixels] * 4], request, "speck", fps=5),)
        else:
            rows = np.asarray(ROWS, np.float32) + 0.5 * (seed % 2)
            results = self._media.put_actions(job_id, 0, rows, request, "speck")
        return SimpleNamespace(results=results, request=request)

    async def give_up(self, job_id: str) -> None:
        self.given_up.append(job_id)
        await self.letting_go.wait()


class Catalogue:
    def serving(self, name: object) -> Any:
        return SimpleNamespace(id=name or "speck", preset=SimpleNamespace(precision=None))

    def title(self, name: str) -> str:
        return name.title()


class Made:
    """What makes and measures, and the id of the truth in its store."""

    def __init__(self, folder: Path) -> None:
        self.media = MediaStore(folder / "media")
        request = parse_request({"kind": "generate_image", "prompt": "truth"})
        self.truth = self.media.put_image("0" * 12, 0, GREY, request, "speck").id
        self.jobs = MadeJobs(self.media)
        self.generators = Generators(
            cast(Any, Catalogue()), cast(Any, self.jobs), ResultMeasuring(self.media, cast(Any, None)), "fp8"
        )

    def benchmark(self, **fields: Any) -> dict[str, Any]:
        """Two images with the truth: the first seed is 0 unless they say otherwise."""
        items = [
            {
                "id": name,
                "request": {"kind": "generate_image", "prompt": name, "sampling": {"seed": seed}},
                "reference": {"media": self.truth},
            }
            for name, seed in (("even", 0), ("odd", 1))
        ]
        return {"name": "made", "form": "generation", "items": items, **fields}


async def ended(own: Studio, **said: Any) -> EvaluationRun:
    return await own.ended((await own.runs.start(StartRun(benchmark="made", **said))).id)


def test_a_checkpoint_without_a_precision_of_its_own_has_the_server_s(tmp_path: Path):
    name, _, precision = Made(tmp_path).generators.named(cast(Any, SimpleNamespace(reasoner="")))
    assert (name, precision) == ("speck", "fp8")


def test_every_trial_is_a_job_of_its_own_seed_and_is_measured(database: Database, tmp_path: Path):
    made = Made(tmp_path)

    async def act() -> None:
        async with studio(database, tmp_path, made.generators) as own:
            await own.benchmarks.add(made.benchmark())
            run = await ended(own, settings={"trials": 2}, adapter={"name": "grasp@100"})
            assert (run.state, run.num_answered, run.title) == ("succeeded", 4, "Speck + grasp@100")
            assert sorted(one["sampling"]["seed"] for one in made.jobs.asked.values()) == [0, 1, 1, 2]
            assert {one["checkpoint"] for one in made.jobs.asked.values()} == {"speck"}
            assert {one["adapter"]["name"] for one in made.jobs.asked.values()} == {"grasp@100"}
            assert made.jobs.priorities == {"low"}
            scores = await own.runs.scores(run.id)
            # Of each item one trial is the truth, 100 dB by definition, and one is 10 grey levels off it.
            assert scores.overall.value("psnr_db") == pytest.approx((100 + 10 * np.log10(255**2 / 100)) / 2)
            assert (scores.headline, scores.overall.counts.answered) == ("psnr_db", 4)
            page = await own.runs.answers(run.id)
            result = GenerationResult.model_validate_json(page.items[0].answers[0].text)
            assert result.media[0] in {f"{job}-0" for job in made.jobs.asked}

    asyncio.run(act())


def test_what_was_kept_before_a_kill_is_not_made_again_and_the_rest_has_the_same_jobs(
    database: Database, tmp_path: Path
):
    made = Made(tmp_path)

    async def act() -> None:
        async with studio(database, tmp_path, made.generators) as own:
            await own.benchmarks.add(made.benchmark())
            made.jobs.fails = lambda payload: payload["prompt"] == "odd"
            run = await ended(own)
            assert (run.num_answered, run.num_failed) == (1, 1)
            made.jobs.fails = lambda _: False
            made.jobs.gate.clear()
            await own.runs.resume(run.id)
            await asyncio.sleep(0)
        made.jobs.gate.set()
        async with studio(database, tmp_path, made.generators) as own:
            again = await own.ended(run.id)
            assert (again.state, again.num_answered) == ("succeeded", 2)
            assert [one["prompt"] for one in made.jobs.asked.values()] == ["even", "odd"]
            assert made.jobs.given_up == [], "a server that ends cancels no job"

    asyncio.run(act())


def test_a_new_metric_needs_no_new_result(database: Database, tmp_path: Path):
    made = Made(tmp_path)

    async def act() -> None:
        async with studio(database, tmp_path, made.generators) as own:
            await own.benchmarks.add(made.benchmark(metrics=["ssim"]))
            run = await ended(own)
            assert [one.metric for one in (await own.runs.scores(run.id)).overall.measurements] == ["ssim"]
            await own.benchmarks.add(made.benchmark(metrics=["ssim", "edge_f1", "action_mse"]))
            await own.runs.resume(run.id)
            assert (await own.ended(run.id)).state == "succeeded"
            assert len(made.jobs.asked) == 2

    asyncio.run(act())


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"num_frames": "many"}, "settings.request.num_frames"),
        ({"count": 4}, "settings.request.count"),
        ({"sampling": {"seed": "abc"}}, "settings.request.sampling.seed"),
    ],
)
def test_what_a_run_lays_over_the_requests_is_looked_at_first(
    database: Database, tmp_path: Path, changes: dict[str, Any], param: str
):
    made = Made(tmp_path)

    async def act() -> None:
        async with studio(database, tmp_path, made.generators) as own:
            await own.benchmarks.add(made.benchmark())
            with pytest.raises(BadInput) as refused:
                await own.runs.start(StartRun(benchmark="made", settings={"request": changes}))
            assert refused.value.param == param
            assert (await own.runs.listing(10)).runs == ()

    asyncio.run(act())


def test_a_checkpoint_that_cannot_be_loaded_is_not_counted_against_items(database: Database, tmp_path: Path):
    made = Made(tmp_path)

    async def act() -> None:
        async with studio(database, tmp_path, made.generators) as own:
            await own.benchmarks.add(made.benchmark())
            made.jobs.broken = "speck could not be loaded: out of memory."
            run = await ended(own)
            assert run.error is not None
            assert (run.state, run.num_failed, run.error.message) == ("failed", 0, made.jobs.broken)

    asyncio.run(act())


def test_a_stopped_run_gives_its_jobs_up(database: Database, tmp_path: Path):
    made = Made(tmp_path)

    async def act() -> None:
        async with studio(database, tmp_path, made.generators) as own:
            await own.benchmarks.add(made.benchmark())
            made.jobs.gate.clear()
            run = await own.runs.start(StartRun(benchmark="made"))
            await asyncio.sleep(0.05)
            assert (await own.runs.stop(run.id)).state == "stopped"
            assert len(made.jobs.given_up) == 2

    asyncio.run(act())


def test_a_run_is_resumed_only_after_its_jobs_have_let_go(database: Database, tmp_path: Path):
    made = Made(tmp_path)

    async def act() -> None:
        async with studio(database, tmp_path, made.generators) as own:
            await own.benchmarks.add(made.benchmark(metrics=["action_mse"]))
            made.jobs.gate.clear()
            made.jobs.letting_go.clear()
            run = await own.runs.start(StartRun(benchmark="made"))
            await asyncio.sleep(0.05)
            stopping = asyncio.create_task(own.runs.stop(run.id))
            await asyncio.sleep(0.05)
            resuming = asyncio.create_task(own.runs.resume(run.id))
            await asyncio.sleep(0.05)
            assert not resuming.done()
            made.jobs.letting_go.set()
            assert [(await stopping).state, (await resuming).state] == ["stopped", "running"]
            made.jobs.gate.set()
            assert (await own.ended(run.id)).num_answered == 2

    asyncio.run(act())


def test_a_result_that_was_deleted_is_noted_and_its_run_still_ends(database: Database, tmp_path: Path):
    made = Made(tmp_path)

    async def act() -> None:
        async with studio(database, tmp_path, made.generators) as own:
            await own.benchmarks.add(made.benchmark(metrics=["edge_f1"]))
            run = await ended(own)
            for job in made.jobs.asked:
                made.media.erase(f"{job}-0")
            await own.benchmarks.add(made.benchmark())
            await own.runs.resume(run.id)
            assert (await own.ended(run.id)).state == "succeeded"
            page = await own.runs.answers(run.id)
            result = GenerationResult.model_validate_json(page.items[0].answers[0].text)
            assert result.figures is not None
            assert set(result.figures.notes) == {"psnr_db", "ssim"}
            assert (await own.runs.scores(run.id)).overall.value("psnr_db") is None

    asyncio.run(act())


def test_predicted_videos_are_measured_by_frame_and_on_the_way_back(database: Database, tmp_path: Path):
    made = Made(tmp_path)
    predict = {
        "kind": "predict_video",
        "prompt": "go",
        "embodiment": "bridge_orig_lerobot",
        "start_image": made.truth,
        "actions": ROWS,
        "fps": 5,
        "sampling": {"seed": 1},
    }
    request = parse_request(predict)
    truth = made.media.put_clip("1" * 12, 0, [GREY] * 5, request, "speck", fps=5).id
    items = [
        {"id": "fd", "request": predict, "reference": {"media": truth}},
        {
            "id": "id",
            "request": {
                "kind": "predict_actions",
                "prompt": "go",
                "embodiment": "bridge_orig_lerobot",
                "source_video": truth,
                "num_actions": 4,
                "sampling": {"seed": 0},
            },
            "reference": {"actions": ROWS},
        },
    ]

    async def act() -> None:
        async with studio(database, tmp_path, made.generators) as own:
            await own.benchmarks.add(
                {"name": "made", "form": "generation", "items": items, "settings": {"round_trip": True}}
            )
            run = await ended(own)
            scores = await own.runs.scores(run.id)
            assert len(made.jobs.asked) == 3
            # The given frame does not count; the others are 10 grey levels off, give or take what the codec does.
            assert scores.overall.value("psnr_db") == pytest.approx(10 * np.log10(255**2 / 100), abs=1)
            assert [len(parts) for parts in scores.overall.series.values()] == [4, 10, 10]
            assert scores.overall.value("round_trip_mse") == pytest.approx(0.25)
            assert scores.overall.value("action_mse") == 0
            assert scores.overall.value("rotation_error_deg") == pytest.approx(0, abs=1e-6)

    asyncio.run(act())


def test_adapters_that_are_unknown_or_asked_of_an_endpoint_are_refused(database: Database, tmp_path: Path):
    made = Made(tmp_path)

    async def act() -> None:
        async with studio(database, tmp_path, made.generators, reader=lambda _: "A") as own:
            await own.benchmarks.add(made.benchmark())
            with pytest.raises(BadInput, match="no adapter other"):
                await own.runs.start(StartRun.model_validate({"benchmark": "made", "adapter": {"name": "other"}}))
            await own.benchmarks.add(
                {"name": "said", "form": "text", "items": [{"id": "1", "question": "?", "reference": "A"}]}
            )
            with pytest.raises(BadInput, match="is an endpoint, which cannot use an adapter"):
                await own.runs.start(
                    StartRun.model_validate(
                        {"benchmark": "said", "reasoner": "reader", "adapter": {"name": "grasp@100"}}
                    )
                )
            run = await ended(own)
            with pytest.raises(Conflict, match="answered"):
                await own.runs.give(run.id, await own.store.answers(run.id))

    asyncio.run(act())
