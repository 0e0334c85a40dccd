"""An arm's questions in the worker's loop: before everything, and jobs rest for them."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from backend.checkpoints.adapters import AdapterFolder
from backend.media import MediaStore
from backend.messages import (
    Act,
    Acted,
    ActFailed,
    CancelJob,
    ConversationSaid,
    Converse,
    JobCancelled,
    JobFinished,
    LoadCheckpoint,
    RestJobs,
    RunJob,
    StopActing,
    WorkerEnding,
)
from backend.worker.loop import Worker
from engine_fakes import FakeEngine, FakeLifeline, Over
from studio.errors import OutOfMemory
from studio.requests import Reason, RunPolicy, parse_request

LOAD = LoadCheckpoint(Path("nowhere"), build=False, device="auto")
CANVAS = np.zeros((540, 640, 3), np.uint8)
JOB = "0123456789ab"


def act(name: str, steps: int = 2) -> Act:
    request = parse_request(
        {
            "kind": "run_policy",
            "prompt": "lift it",
            "embodiment": "droid_joint_position",
            "start_image": "u0000000000000000",
            "state": [0.0] * 8,
            "num_actions": 32,
            "sampling": {"num_inference_steps": steps, "seed": 1},
        }
    )
    assert isinstance(request, RunPolicy)
    return Act(name, request, CANVAS)


def job(steps: int, kind: str = "generate_image") -> RunJob:
    sampling = {"num_inference_steps": steps, "seed": 1}
    return RunJob(JOB, parse_request({"kind": kind, "prompt": "x", "sampling": sampling}), previewed=False)


def talk(name: str, num_tokens: int) -> Converse:
    payload = {"messages": [{"role": "user", "content": "hm?"}], "sampling": {"max_tokens": num_tokens}}
    return Converse(name, Reason.model_validate(payload), {})


@pytest.fixture
def work(tmp_path: Path) -> Callable[..., FakeLifeline]:
    """Run a worker over a script until it has nothing left to do."""

    def run(engine: Any, *script: Any) -> FakeLifeline:
        lifeline = FakeLifeline([LOAD], *script)
        worker = Worker(lifeline, MediaStore(tmp_path), AdapterFolder(tmp_path), "speck", engine.load)  # type: ignore
        with pytest.raises(Over):
            worker.run()
        return lifeline

    return run


def test_a_question_is_answered_with_what_the_engine_came_to(work: Callable[..., FakeLifeline]):
    engine = FakeEngine()

    lifeline = work(engine, [act("a")])

    (acted,) = lifeline.of(Acted)
    assert acted.act_id == "a"
    assert acted.actions.shape == (32, 8)
    assert acted.took_s >= 0
    assert engine.calls == ["act", "act"]


def test_a_running_job_rests_between_two_steps_until_it_is_told_to_go_on(work: Callable[..., FakeLifeline]):
    engine = FakeEngine()

    lifeline = work(engine, [job(5)], [], [], [], [act("a")], [], [], [act("b")], [], [], [RestJobs(False)])

    assert engine.calls == ["step"] * 3 + ["act"] * 4 + ["step"] * 2
    assert [report.act_id for report in lifeline.of(Acted)] == ["a", "b"]
    assert lifeline.of(JobFinished)


def test_a_job_that_begins_meanwhile_rests_before_it_touches_the_device(work: Callable[..., FakeLifeline]):
    engine = FakeEngine()

    work(engine, [act("a"), job(2)], [], [], [], [RestJobs(False)])

    assert engine.calls == ["act"] * 2 + ["step"] * 2


def test_what_came_behind_a_job_that_rests_is_obeyed_all_the_same(work: Callable[..., FakeLifeline]):
    engine = FakeEngine()

    lifeline = work(engine, [act("a")], [], [job(2), act("b"), RestJobs(False)])

    assert engine.calls == ["act"] * 4 + ["step"] * 2
    assert len(lifeline.of(Acted)) == 2
    assert lifeline.of(JobFinished)


def test_a_resting_job_is_cancelled_at_once(work: Callable[..., FakeLifeline]):
    engine = FakeEngine()

    lifeline = work(engine, [job(4)], [act("a")], [], [], [CancelJob(JOB)], [act("b")])

    assert lifeline.of(JobCancelled) == [JobCancelled(JOB, engine.calls.count("step"), 4)]
    assert len(lifeline.of(Acted)) == 2
    assert not lifeline.of(JobFinished)


def test_a_clip_that_is_being_decoded_rests_between_two_pieces(work: Callable[..., FakeLifeline]):
    class Decoding(FakeEngine):
        def finish(self, trajectory: Any) -> Any:
            result = super().finish(trajectory)
            if trajectory.acts:
                return result
            return SimpleNamespace(frames=self._pieces(), sound=None, actions=None, latents={})

        def _pieces(self) -> Any:
            for _ in range(5):
                self.calls.append("piece")
                yield np.zeros((1, 16, 16, 3), np.uint8)

    engine = Decoding()

    lifeline = work(engine, [job(1, "generate_video")], [], [], [], [], [act("a", 3)], [], [], [], [RestJobs(False)])

    first = engine.calls.index("act")
    assert engine.calls[first : first + 3] == ["act"] * 3
    assert "piece" in engine.calls[:first]
    assert "piece" in engine.calls[first + 3 :]
    assert lifeline.of(Acted)
    assert lifeline.of(JobFinished)


def test_conversations_go_on_between_two_answers_and_never_within_one(work: Callable[..., FakeLifeline]):
    engine = FakeEngine()

    lifeline = work(engine, [talk("t", 6)], [act("a", 3), act("b", 3)])

    first = engine.calls.index("act")
    assert engine.calls[first : first + 7] == ["act"] * 3 + ["decode 1"] + ["act"] * 3
    assert "".join(report.text for report in lifeline.of(ConversationSaid)) == "xxxxxx"


def test_a_question_that_nobody_waits_for_any_more_takes_no_further_step(work: Callable[..., FakeLifeline]):
    engine = FakeEngine()

    lifeline = work(engine, [act("a", 100)], [], [StopActing("a")])

    assert engine.calls == ["act"]
    assert not lifeline.of(Acted)


def test_a_question_that_cannot_be_answered_fails_alone(work: Callable[..., FakeLifeline]):
    engine = FakeEngine("cuda")
    engine.breaks["step"] = OutOfMemory("It does not fit.")

    lifeline = work(engine, [act("a"), act("b")])

    assert [report.failure.code for report in lifeline.of(ActFailed)] == ["out_of_memory"]
    assert [report.act_id for report in lifeline.of(Acted)] == ["b"]
    assert not lifeline.ended


def test_what_breaks_a_gpu_ends_the_worker_and_says_so(work: Callable[..., FakeLifeline]):
    engine = FakeEngine("cuda")
    engine.breaks["begin"] = RuntimeError("CUDA error: device-side assert triggered")

    lifeline = work(engine, [act("a")])

    assert lifeline.ended
    assert lifeline.reports[0] == WorkerEnding()
    assert isinstance(lifeline.reports[1], ActFailed)
    assert lifeline.reports[1].failure.code == "unexpected"
