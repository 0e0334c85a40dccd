"""An arm's questions in the worker's loop: before everything, and jobs rest for them."""

from collections.abc import Callable
from dataclasses import replace
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
    Foreseen,
    JobCancelled,
    JobFinished,
    LoadCheckpoint,
    RestJobs,
    RunJob,
    StopActing,
    WorkerEnding,
)
from backend.worker.loop import Worker
from engine_fakes import FakeEngine, FakeServerPipe, Over
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


def chat(name: str, num_tokens: int) -> Converse:
    payload = {"messages": [{"role": "user", "content": "hm?"}], "sampling": {"max_tokens": num_tokens}}
    return Converse(name, Reason.model_validate(payload), {})


@pytest.fixture
def work(tmp_path: Path) -> Callable[..., FakeServerPipe]:
    """Run a worker over a script until it has nothing left to do."""

    def run(engine: Any, *script: Any) -> FakeServerPipe:
        pipe = FakeServerPipe([LOAD], *script)
        worker = Worker(pipe, MediaStore(tmp_path), AdapterFolder(tmp_path), "speck", engine.load)  # type: ignore
        with pytest.raises(Over):
            worker.run()
        return pipe

    return run


def test_a_question_is_answered_with_what_the_engine_came_to(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()

    pipe = work(engine, [act("a")])

    (acted,) = pipe.of(Acted)
    assert acted.act_id == "a"
    assert acted.actions.shape == (32, 8)
    assert acted.took_s >= 0
    assert engine.calls == ["act", "act"]


def test_a_running_job_rests_between_two_steps_until_it_is_told_to_go_on(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()

    pipe = work(engine, [job(5)], [], [], [], [act("a")], [], [], [act("b")], [], [], [RestJobs(False)])

    assert engine.calls == ["step"] * 3 + ["act"] * 4 + ["step"] * 2
    assert [report.act_id for report in pipe.of(Acted)] == ["a", "b"]
    assert pipe.of(JobFinished)


def test_a_job_that_begins_meanwhile_rests_before_it_touches_the_device(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()

    work(engine, [act("a"), job(2)], [], [], [], [RestJobs(False)])

    assert engine.calls == ["act"] * 2 + ["step"] * 2


def test_what_came_behind_a_job_that_rests_is_obeyed_all_the_same(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()

    pipe = work(engine, [act("a")], [], [job(2), act("b"), RestJobs(False)])

    assert engine.calls == ["act"] * 4 + ["step"] * 2
    assert len(pipe.of(Acted)) == 2
    assert pipe.of(JobFinished)


def test_a_resting_job_is_cancelled_at_once(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()

    pipe = work(engine, [job(4)], [act("a")], [], [], [CancelJob(JOB)], [act("b")])

    assert pipe.of(JobCancelled) == [JobCancelled(JOB, engine.calls.count("step"), 4)]
    assert len(pipe.of(Acted)) == 2
    assert not pipe.of(JobFinished)


def test_a_clip_that_is_being_decoded_rests_between_two_pieces(work: Callable[..., FakeServerPipe]):
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

    pipe = work(engine, [job(1, "generate_video")], [], [], [], [], [act("a", 3)], [], [], [], [RestJobs(False)])

    first = engine.calls.index("act")
    assert engine.calls[first : first + 3] == ["act"] * 3
    assert "piece" in engine.calls[:first]
    assert "piece" in engine.calls[first + 3 :]
    assert pipe.of(Acted)
    assert pipe.of(JobFinished)


def test_conversations_go_on_between_two_answers_and_never_within_one(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()

    pipe = work(engine, [chat("t", 6)], [act("a", 3), act("b", 3)])

    first = engine.calls.index("act")
    assert engine.calls[first : first + 7] == ["act"] * 3 + ["decode 1"] + ["act"] * 3
    assert "".join(report.text for report in pipe.of(ConversationSaid)) == "xxxxxx"


def test_a_question_that_nobody_waits_for_any_more_takes_no_further_step(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()

    pipe = work(engine, [act("a", 100)], [], [StopActing("a")])

    assert engine.calls == ["act"]
    assert not pipe.of(Acted)


def test_a_question_that_cannot_be_answered_fails_alone(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine("cuda")
    engine.breaks["step"] = OutOfMemory("It does not fit.")

    pipe = work(engine, [act("a"), act("b")])

    assert [report.failure.code for report in pipe.of(ActFailed)] == ["out_of_memory"]
    assert [report.act_id for report in pipe.of(Acted)] == ["b"]
    assert not pipe.ended


def test_what_breaks_a_gpu_ends_the_worker_and_says_so(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine("cuda")
    engine.breaks["begin"] = RuntimeError("CUDA error: device-side assert triggered")

    pipe = work(engine, [act("a")])

    assert pipe.ended
    assert pipe.reports[0] == WorkerEnding()
    assert isinstance(pipe.reports[1], ActFailed)
    assert pipe.reports[1].failure.code == "unexpected"


def foreseen_act(name: str) -> Act:
    asked = act(name)
    return replace(asked, request=asked.request.model_copy(update={"decode_video": False}), foresee=True)


def test_what_is_foreseen_comes_behind_the_answer(work: Callable[..., FakeServerPipe]):
    pipe = work(FakeEngine(), [foreseen_act("a")])

    assert [type(report) for report in pipe.reports] == [Acted, Foreseen]
    assert pipe.of(Foreseen)[0].video.shape == (1, 16, 16, 3)
    assert pipe.of(Acted)[0].video is None


def test_a_question_goes_before_what_was_foreseen_with_the_last_one_which_is_dropped(
    work: Callable[..., FakeServerPipe],
):
    engine = FakeEngine()

    pipe = work(engine, [foreseen_act("a")], [], [act("b")])

    assert [report.act_id for report in pipe.of(Acted)] == ["a", "b"]
    assert not pipe.of(Foreseen)


def test_nobody_waits_any_more_for_what_is_foreseen(work: Callable[..., FakeServerPipe]):
    pipe = work(FakeEngine(), [foreseen_act("a")], [], [], [StopActing("a")])

    assert pipe.of(Acted)
    assert not pipe.of(Foreseen)


def test_frames_that_cannot_be_decoded_cost_no_answer(work: Callable[..., FakeServerPipe]):
    class Broken(FakeEngine):
        def finish(self, trajectory: Any) -> Any:
            def frames() -> Any:
                yield np.zeros((1, 16, 16, 3), np.uint8)
                raise OutOfMemory("There is no room for the next piece.")

            return SimpleNamespace(frames=frames(), actions=np.zeros((32, 8), np.float32))

    pipe = work(Broken(), [foreseen_act("a")], [], [], [], [], [foreseen_act("b")])

    assert [report.act_id for report in pipe.of(Acted)] == ["a", "b"]
    assert not pipe.of(ActFailed)
    assert not pipe.of(Foreseen)
