"""The order of jobs, and what people do to it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.database import open_database
from backend.jobs.eta import Measured, Stopwatch, estimate, estimate_job, record
from backend.jobs.ledger import Accepted, Ledger
from backend.jobs.live_jobs import queue_status
from backend.jobs.queue_service import (
    batch_jobs,
    cancel_queued,
    combinations,
    insert_batch,
    move_job,
    set_paused,
    set_priority,
)
from library_rows import put, reference
from studio.errors import BadInput, Conflict, JobNotFound
from studio.jobs import JobState, Progress
from studio.queue import BatchRequest, Estimate
from studio.requests import GenerateImage, GenerateVideo, TransferVideo

CUBE = GenerateImage.model_validate({"prompt": "a red cube", "sampling": {"num_inference_steps": 10}})


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger(open_database(tmp_path / "orrery.db"))
    yield ledger
    ledger.close()


def accept(ledger: Ledger, *names: str) -> None:
    for name in names:
        ledger.insert(Accepted(name, CUBE, "speck"))


def order(ledger: Ledger) -> str:
    return " ".join(job.id for job in ledger.open_jobs())


def test_a_job_is_moved_before_another_or_to_the_end(ledger: Ledger):
    accept(ledger, "a", "b", "c", "d")

    assert move_job(ledger, "d", "a").position < 2**33
    assert order(ledger) == "d a b c"
    move_job(ledger, "d", "c")
    assert order(ledger) == "a b d c"
    move_job(ledger, "a", None)
    assert order(ledger) == "b d c a"
    move_job(ledger, "b", "b")
    assert order(ledger) == "b d c a"


def test_only_queued_jobs_have_places(ledger: Ledger):
    accept(ledger, "a", "b")
    ledger.claim("speck")

    for job_id, before in (("a", "b"), ("b", "a")):
        with pytest.raises(Conflict, match="running"):
            move_job(ledger, job_id, before)
    with pytest.raises(Conflict, match="running"):
        set_priority(ledger, "a", "high")
    with pytest.raises(JobNotFound):
        move_job(ledger, "b", "nobody")


def test_priorities_stand_before_each_other_in_order_of_acceptance(ledger: Ledger):
    for name, priority in (
        ("n1", "normal"),
        ("l1", "low"),
        ("h1", "high"),
        ("n2", "normal"),
        ("h2", "high"),
        ("l2", "low"),
    ):
        ledger.insert(Accepted(name, CUBE, "speck"), priority=priority)  # type: ignore[arg-type]
    assert order(ledger) == "h1 h2 n1 n2 l1 l2"

    assert set_priority(ledger, "l1", "high").priority == "high"
    assert order(ledger) == "h1 h2 l1 n1 n2 l2"
    set_priority(ledger, "h1", "low")
    assert order(ledger) == "h2 l1 n1 n2 l2 h1"


def test_a_retried_job_stands_behind_the_last_of_its_priority(ledger: Ledger):
    ledger.insert(Accepted("high", CUBE, "speck"), priority="high")
    ledger.cancel("high")
    accept(ledger, "a", "b")

    ledger.retry("high")

    assert order(ledger) == "high a b"


def test_there_is_always_room_between_two_jobs(ledger: Ledger):
    accept(ledger, "a", "c", "b")

    for round_ in range(100):
        move_job(ledger, "c" if round_ % 2 else "a", "b")
        assert order(ledger).split()[-1] == "b"

    assert ledger.num_spreads > 0
    for number in range(300):
        ledger.insert(Accepted(f"h{number:03}", CUBE, "speck"), priority="high")
    assert order(ledger).split()[:300] == [f"h{number:03}" for number in range(300)]
    assert len({job.position for job in ledger.open_jobs()}) == 303


def test_a_paused_queue_starts_nothing_and_stays_paused(tmp_path: Path, ledger: Ledger):
    accept(ledger, "a")
    set_paused(ledger, True)
    set_paused(ledger, True)

    again = Ledger(open_database(tmp_path / "orrery.db"))
    assert again.claim("speck") is None
    assert again.waiting_checkpoints() == []
    assert queue_status(again).paused
    set_paused(again, False)
    set_paused(again, False)
    claimed = again.claim("speck")
    assert claimed is not None
    again.close()


def test_a_full_library_lets_jobs_wait_and_fails_what_does_not_fit(tmp_path: Path):
    ledger = Ledger(open_database(tmp_path / "full.db"), 2500)
    with ledger.transaction() as session:
        put(session, "000000000001-0")
    accept(ledger, "a", "b")
    assert ledger.claim("speck") is not None

    failed = ledger.succeed("a", (reference("a-0", size_bytes=1501),), None)

    assert failed.state is JobState.FAILED
    assert failed.error is not None
    assert failed.error.code == "quota_exceeded"
    with ledger.transaction() as session:
        put(session, "000000000002-0", size_bytes=1500)
    assert (ledger.claim("speck"), queue_status(ledger).full) == (None, True)
    ledger.close()


def test_a_batch_is_accepted_whole_and_in_order(ledger: Ledger):
    jobs = insert_batch(ledger, "batch", [Accepted(name, CUBE, "speck") for name in ("x", "y", "z")], "normal")

    assert [(job.batch.index, job.batch.size) for job in jobs if job.batch] == [(0, 3), (1, 3), (2, 3)]
    assert [job.id for job in batch_jobs(ledger, "batch")] == ["x", "y", "z"]
    ledger.claim("speck")
    assert [job.id for job in cancel_queued(ledger, "batch")] == ["y", "z"]
    assert [job.state for job in batch_jobs(ledger, "batch")] == ["running", "cancelled", "cancelled"]
    with pytest.raises(JobNotFound, match="no batch"):
        batch_jobs(ledger, "other")


def test_axes_are_combined_with_the_last_one_fastest():
    asked = BatchRequest(
        request={"kind": "k", "sampling": {"a": 1}}, axes={"prompt": ("p", "q"), "sampling.seed": (1, 2)}
    )

    assert combinations(asked) == [
        {"kind": "k", "sampling": {"a": 1, "seed": seed}, "prompt": prompt} for prompt in "pq" for seed in (1, 2)
    ]
    with pytest.raises(BadInput, match="not an object"):
        combinations(BatchRequest(request={"prompt": "x"}, axes={"prompt.seed": (1,)}))
    with pytest.raises(BadInput, match="combinations"):
        combinations(BatchRequest(request={}, axes={name: tuple(range(20)) for name in "abc"}))


def test_estimates_are_measured_or_scaled_and_never_guessed(ledger: Ledger):
    def seconds(request: GenerateImage | GenerateVideo) -> Estimate:
        with ledger.transaction() as session:
            return estimate(session, request, "speck")

    assert seconds(CUBE) == Estimate()
    ledger.insert(Accepted("done", CUBE, "speck"))
    ledger.cancel("done")
    with ledger.transaction() as session:
        record(session, "done", Measured(0.5, 1.0))
        record(session, "done", Measured(0.5, 2.0))
    larger = CUBE.model_copy(update={"resolution": "480"})

    assert (seconds(CUBE).basis, seconds(CUBE).samples) == ("measured", 2)
    assert seconds(CUBE).seconds == pytest.approx(6.3)
    assert seconds(larger).basis == "similar"
    assert seconds(larger).seconds == pytest.approx(6.3 * 640 * 640 / 256 / 256)
    assert seconds(GenerateVideo(prompt="x")) == Estimate()
    with ledger.transaction() as session:
        assert estimate(session, CUBE, "cosmos3-nano") == Estimate()
    accept(ledger, "a", "b")
    assert queue_status(ledger).seconds_left == pytest.approx(12.6)
    ledger.insert(Accepted("c", GenerateVideo(prompt="x"), "speck"))
    assert queue_status(ledger).seconds_left is None


def test_jobs_with_and_without_a_step_cache_say_nothing_exact_of_each_other(ledger: Ledger):
    cached, wider = (
        CUBE.model_copy(update={"sampling": CUBE.sampling.model_copy(update={"step_cache": part})})
        for part in (0.05, 0.1)
    )
    ledger.insert(Accepted("plain", CUBE, "speck"))
    ledger.insert(Accepted("cached", cached, "speck"))
    with ledger.transaction() as session:
        record(session, "plain", Measured(0.5, 1.0))
        record(session, "cached", Measured(0.25, 1.0))
        found = [estimate(session, request, "speck") for request in (CUBE, cached, wider)]
    assert [one.basis for one in found] == ["measured", "measured", "similar"]
    assert [one.seconds for one in found[:2]] == [pytest.approx(6), pytest.approx(3.5)]


def test_a_clip_as_long_as_its_controls_is_estimated_by_their_length(ledger: Ledger):
    request = TransferVideo.model_validate(
        {"prompt": "x", "source_video": "u0123456789abcdef", "controls": [{"hint": "edge"}]}
    )
    sized, longer = (request.model_copy(update={"num_frames": count}) for count in (93, 189))
    ledger.insert(Accepted("unknown", request, "speck"))
    ledger.insert(Accepted("one", request, "speck", sized=sized))
    with ledger.transaction() as session:
        record(session, "unknown", Measured(1.0, 1.0))
        assert estimate(session, sized, "speck") == Estimate()
        record(session, "one", Measured(1.0, 1.0))
        assert estimate(session, request, "speck") == Estimate()
        assert estimate(session, sized, "speck") == estimate_job(session, "one")
        assert estimate(session, sized, "speck").basis == "measured"
        assert estimate(session, longer, "speck").basis == "similar"
    assert ledger.get("one").request.num_frames is None, "the recipe stays as it was asked for"


def test_a_stopwatch_tells_steps_from_what_is_around_them():
    watch = Stopwatch(20, Estimate(seconds=30.0, basis="measured", samples=3), now=0.0)

    starting = watch.note(Progress(phase="starting", steps=20), now=2.0)
    assert starting.seconds_left == 28.0
    watch.note(Progress(phase="denoising", step=1, steps=20, seconds_left=None), now=6.0)
    known = watch.note(Progress(phase="denoising", step=11, steps=20, seconds_left=9.0), now=16.0)
    assert known.seconds_left == 9.0
    assert watch.measured(20, now=30.0) == Measured(1.0, 10.0)
    watch.pause()
    assert watch.measured(20, now=31.0) is None


def test_the_database_is_closed_with_what_was_begun(tmp_path: Path):
    database = open_database(tmp_path / "orrery.db")

    async def act() -> int:
        return await database.alone(lambda: 1) + await database.beside(lambda: 2)

    assert asyncio.run(act()) == 3
    database.close()
