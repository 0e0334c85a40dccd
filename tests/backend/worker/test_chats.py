"""Conversations in the worker's loop: between steps, together, and never in each other's way."""

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backend.checkpoints.adapters import AdapterFolder
from backend.media import MediaStore
from backend.messages import (
    ConversationEnded,
    ConversationSaid,
    Converse,
    JobFailed,
    JobFinished,
    LoadCheckpoint,
    RunJob,
    StopConversation,
    WorkerEnding,
)
from backend.worker.chats import Chats, Looking
from backend.worker.loop import Worker
from engine_fakes import FakeEngine, FakeServerPipe, Over
from running import wait_for
from studio.errors import BadInput, OutOfMemory
from studio.requests import Reason, parse_request

LOAD = LoadCheckpoint(Path("nowhere"), build=False, device="auto")


def chat(name: str, num_tokens: int, *shown: tuple[str, str], files: dict[str, Path] | None = None) -> Converse:
    parts = [{"type": kind, kind: media} for kind, media in shown]
    content = [*parts, {"type": "text", "text": "hm?"}]
    payload = {"messages": [{"role": "user", "content": content}], "sampling": {"max_tokens": num_tokens}}
    return Converse(name, Reason.model_validate(payload), files or {})


def job(steps: int) -> RunJob:
    sampling = {"num_inference_steps": steps, "seed": 1}
    request = parse_request({"kind": "generate_image", "prompt": "x", "sampling": sampling})
    return RunJob("0123456789ab", request, previewed=False)


@pytest.fixture(autouse=True)
def begun_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that came together begin in one turn, however long the machine keeps the loop from it."""
    monkeypatch.setattr("backend.worker.loop.BEGIN_S", 600.0)


def run_to_the_end(pipe: FakeServerPipe, engine: FakeEngine, folder: Path) -> FakeServerPipe:
    load: Any = engine.load
    worker = Worker(pipe, MediaStore(folder), AdapterFolder(folder), "speck", load)  # type: ignore[arg-type]
    with pytest.raises(Over):
        worker.run()
    return pipe


def until_one_ends(pipe: FakeServerPipe) -> FakeServerPipe:
    """The script is over when a conversation is; until then an idle loop waits to be woken."""
    pipe.waits_for_wake = True
    report = pipe.report

    def heard(message: Any) -> None:
        report(message)
        if isinstance(message, ConversationEnded):
            raise Over

    pipe.report = heard  # type: ignore[method-assign]
    return pipe


@pytest.fixture
def work(tmp_path: Path) -> Callable[..., FakeServerPipe]:
    """Run a worker over a script until it has nothing left to do."""

    def run(engine: FakeEngine, *script: Any) -> FakeServerPipe:
        return run_to_the_end(FakeServerPipe([LOAD], *script), engine, tmp_path)

    return run


def said(pipe: FakeServerPipe, name: str) -> str:
    return "".join(report.text for report in pipe.of(ConversationSaid) if report.conversation_id == name)


def test_alone_a_conversation_is_answered_to_its_end(work: Callable[..., FakeServerPipe]):
    pipe = work(FakeEngine(), [chat("a", 5)])

    assert said(pipe, "a") == "xxxxx"
    assert pipe.reports[-1] == ConversationEnded("a", "length")
    assert pipe.of(ConversationSaid)[-1].usage.completion_tokens == 5


def test_several_are_decoded_in_one_pass(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()

    work(engine, [chat("a", 3), chat("b", 3)], [chat("c", 1)])

    assert engine.calls == ["decode 2", "decode 3", "decode 2"]


def test_a_job_and_a_conversation_take_turns_step_by_token(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()

    pipe = work(engine, [chat("a", 20), job(4)])

    first = engine.calls.index("step")
    assert engine.calls[first : first + 7] == ["step", "decode 1"] * 3 + ["step"]
    assert pipe.of(JobFinished)
    assert said(pipe, "a") == "x" * 20


def test_a_stopped_conversation_takes_no_further_token(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()

    pipe = work(engine, [chat("a", 1000)], [], [StopConversation("a")])

    assert engine.calls == ["decode 1"] * 2
    assert not pipe.of(ConversationEnded)


def test_without_memory_the_youngest_goes_and_the_others_go_on(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()
    engine.breaks["decode"] = OutOfMemory("It does not fit.")

    pipe = work(engine, [chat("a", 2), chat("b", 2)])

    ended = {report.conversation_id: report for report in pipe.of(ConversationEnded)}
    assert ended["b"].failure.code == "out_of_memory"
    assert ended["a"].finish_reason == "length"


def test_a_conversation_that_cannot_go_on_ends_alone(work: Callable[..., FakeServerPipe]):
    class Failing(FakeEngine):
        def decode(self, conversations: Any) -> None:
            super().decode(conversations)
            if len(conversations) == 2:
                conversations[0].failure = BadInput("Too complex.", param="response_schema")

    pipe = work(Failing(), [chat("a", 5), chat("b", 5)])

    ended = {report.conversation_id: report for report in pipe.of(ConversationEnded)}
    assert ended["a"].failure.param == "response_schema"
    assert ended["b"].finish_reason == "length"
    assert said(pipe, "b") == "xxxxx"


def test_on_a_cpu_the_worker_outlives_an_error_that_nobody_foresaw(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()
    engine.breaks |= {"decode": RuntimeError("odd"), "step": RuntimeError("odd")}

    pipe = work(engine, [chat("a", 2)], [job(2)], [], [], [], [chat("b", 2)])

    assert [report.failure.code for report in pipe.of(JobFailed)] == ["unexpected"]
    assert pipe.of(ConversationEnded)[0].failure.code == "unexpected"
    assert said(pipe, "b") == "xx"
    assert not pipe.ended


@pytest.mark.parametrize("call", ["begin", "step", "decode", "converse"])
def test_on_a_gpu_it_reports_and_ends_so_that_a_fresh_one_takes_over(work: Callable[..., FakeServerPipe], call: str):
    engine = FakeEngine("cuda")
    engine.breaks[call] = RuntimeError("CUDA error: device-side assert triggered")

    pipe = work(engine, [chat("a", 9)] if call in ("decode", "converse") else [job(9)])

    assert pipe.ended
    first, last = pipe.reports[-2:]
    assert first == WorkerEnding()
    assert isinstance(last, JobFailed | ConversationEnded)
    assert last.failure is not None
    assert last.failure.code == "unexpected"


def test_on_a_gpu_an_error_that_is_foreseen_ends_nothing_else(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine("cuda")
    engine.breaks["step"] = OutOfMemory("It does not fit.")

    pipe = work(engine, [job(2)], [chat("a", 1)])

    assert not pipe.ended
    assert said(pipe, "a") == "x"


def test_a_step_that_breaks_off_among_ranks_ends_the_worker_with_a_typed_error(work: Callable[..., FakeServerPipe]):
    engine = FakeEngine()
    engine.breaks["step"] = OutOfMemory("It does not fit.")
    engine.is_whole = False

    pipe = work(engine, [job(2)])

    assert pipe.ended
    first, last = pipe.reports[-2:]
    assert first == WorkerEnding()
    assert last.failure.code == "out_of_memory"


def test_what_is_shown_is_read_beside_the_loop_and_a_clip_as_few_frames(
    tmp_path: Path, make_clip: Callable[..., bytes], make_picture: Callable[..., bytes]
):
    engine = FakeEngine()
    clip, picture = tmp_path / "clip", tmp_path / "picture"
    clip.write_bytes(make_clip(num_frames=13, fps=12))
    picture.write_bytes(make_picture())
    shown = (("video", "u0000000000000001"), ("image", "u0000000000000002"))
    asked = chat("a", 2, *shown, files={"u0000000000000001": clip, "u0000000000000002": picture})

    run_to_the_end(until_one_ends(FakeServerPipe([LOAD], [asked])), engine, tmp_path)

    footage = engine.media[0]
    assert footage["u0000000000000001"].frames.shape == (4, 160, 96, 3)
    assert footage["u0000000000000001"].times_s == pytest.approx((0, 4 / 12, 8 / 12, 1))
    assert footage["u0000000000000002"].times_s == ()
    assert footage["u0000000000000002"].frames.dtype == np.uint8


@pytest.mark.parametrize("content", [b"no clip at all", None], ids=["nonsense", "gone"])
def test_a_file_that_cannot_be_read_ends_its_conversation_alone_even_on_a_gpu(tmp_path: Path, content: bytes | None):
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    asked = chat("a", 2, ("video", "u0000000000000001"), files={"u0000000000000001": path})

    pipe = run_to_the_end(until_one_ends(FakeServerPipe([LOAD], [asked])), FakeEngine("cuda"), tmp_path)

    (ended,) = pipe.of(ConversationEnded)
    assert ended.failure.code == ("bad_input" if content else "media_not_found")
    assert ended.failure.param == "messages.0.content.0"
    assert not pipe.ended


def test_a_conversation_that_is_stopped_while_its_media_are_read_never_begins(
    tmp_path: Path, make_clip: Callable[..., bytes]
):
    engine, clip = FakeEngine(), tmp_path / "clip"
    clip.write_bytes(make_clip())
    asked = chat("a", 2, ("video", "u0000000000000001"), files={"u0000000000000001": clip})

    pipe = FakeServerPipe([LOAD], [asked, StopConversation("a")], [chat("b", 1)])
    run_to_the_end(until_one_ends(pipe), engine, tmp_path)

    assert engine.media == [{}]
    assert [report.conversation_id for report in pipe.of(ConversationEnded)] == ["b"]


class WatchedStore(MediaStore):
    """Knows the frames that it made room for, and makes who asked for it wait until they may go on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.made_room, self.go_on = threading.Event(), threading.Event()
        self.frames: weakref.ref[NDArray[np.uint8]] | None = None

    def frame_array(self, shape: tuple[int, ...], *, on_disk: bool) -> NDArray[np.uint8]:
        room = super().frame_array(shape, on_disk=on_disk)
        self.frames = weakref.ref(room)
        self.made_room.set()
        assert self.go_on.wait(60)
        return room


@pytest.fixture
def no_garbage_is_looked_for() -> Iterator[None]:
    """What is held in a circle stays held."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def reading(tmp_path: Path, make_clip: Callable[..., bytes]) -> tuple[Chats, WatchedStore, Path]:
    """A conversation whose clip is about to be decoded."""
    clip, store, engine = tmp_path / "clip", WatchedStore(tmp_path), FakeEngine()
    clip.write_bytes(make_clip(num_frames=40))
    chats = Chats(FakeServerPipe(), store)  # type: ignore[arg-type]
    asked = chat("a", 2, ("video", "u0000000000000001"), files={"u0000000000000001": clip})
    chats.open(asked, Looking(engine.choose_frames, engine.chat.seen_size))
    assert store.made_room.wait(60)
    assert store.frames is not None
    assert store.frames() is not None
    return chats, store, clip


@pytest.mark.usefixtures("no_garbage_is_looked_for")
@pytest.mark.parametrize("is_read", [False, True], ids=["while it is read", "once it is read"])
def test_frames_are_let_go_of_as_soon_as_the_caller_leaves(reading: tuple[Chats, WatchedStore, Path], is_read: bool):
    chats, store, _ = reading
    opened = weakref.ref(chats._open["a"])
    if is_read:
        store.go_on.set()
        wait_for(lambda: chats.ready, 60)
        assert store.frames() is not None

    chats.stop("a")
    store.go_on.set()

    wait_for(lambda: store.frames() is None and opened() is None, 60)


@pytest.mark.usefixtures("no_garbage_is_looked_for")
def test_frames_of_a_clip_that_breaks_off_are_let_go_of_before_anybody_hears_of_it(
    reading: tuple[Chats, WatchedStore, Path],
):
    chats, store, clip = reading
    clip.write_bytes(b"no clip any more")
    store.go_on.set()

    (failed,) = wait_for(lambda: chats.ready, 60)

    assert isinstance(failed.media.exception(), BadInput)
    wait_for(lambda: store.frames() is None, 60)
