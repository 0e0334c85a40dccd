"""An engine without weights and a pipe without a server, for tests of the worker's loop."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from backend.messages import CheckpointMoved, Command, Report
from engine.reasoner import Usage
from studio.errors import StudioError


class Over(BaseException):
    """The script of commands has come to its end."""


@dataclass
class FakeConversation:
    """Says one letter a token."""

    request: Any
    num_tokens: int
    finish_reason: str | None = None
    failure: StudioError | None = None
    said: int = 0
    taken: int = 0
    logprobs: list[Any] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return self.finish_reason is not None or self.failure is not None

    @property
    def usage(self) -> Usage:
        return Usage(3, self.said, 0)

    def take(self) -> str:
        new, self.taken = self.said - self.taken, self.said
        return "x" * new


@dataclass
class FakeTrajectory:
    num_steps: int
    step: int = 0
    num_tokens: int = 10
    acts: bool = False

    @property
    def done(self) -> bool:
        return self.step == self.num_steps


class FakeEngine:
    """Counts what it is asked for, in order: "step", of an arm's question "act", and "decode N"."""

    def __init__(self, device: str = "cpu") -> None:
        self.model = SimpleNamespace(device=SimpleNamespace(type=device))
        self.chat = SimpleNamespace(seen_size=lambda width, height, num_frames, request: (width, height))
        self.calls: list[str] = []
        self.adapter: object = None
        self.is_whole = True
        self.media: list[Mapping[str, Any]] = []
        self.breaks: dict[str, Exception] = {}
        """Raised once by the call of that name."""

    def load(self, folder: object, *, device: str) -> "FakeEngine":
        return self

    def describe(self) -> str:
        return "fake"

    def use_adapter(self, path: object, scale: float = 1.0) -> None:
        self.adapter = path

    def choose_frames(self, num_frames: int, fps: float, request: Any) -> tuple[int, ...]:
        return tuple(range(0, num_frames, 4))

    def converse(self, request: Any, media: Mapping[str, Any]) -> FakeConversation:
        self._break("converse")
        self.media.append(media)
        return FakeConversation(request, request.sampling.max_tokens)

    def decode(self, conversations: Sequence[FakeConversation]) -> None:
        self._break("decode")
        assert self.adapter is None
        assert not any(conversation.done for conversation in conversations)
        self.calls.append(f"decode {len(conversations)}")
        for conversation in conversations:
            conversation.said += 1
            if conversation.said == conversation.num_tokens:
                conversation.finish_reason = "length"

    def begin(self, request: Any, media: object) -> FakeTrajectory:
        self._break("begin")
        return FakeTrajectory(request.sampling.num_inference_steps, acts=request.kind == "run_policy")

    def step(self, trajectories: Sequence[FakeTrajectory]) -> None:
        self._break("step")
        self.calls.append("act" if trajectories[0].acts else "step")
        for trajectory in trajectories:
            trajectory.step += 1

    def finish(self, trajectory: FakeTrajectory) -> Any:
        actions = np.full((32, 8), 0.5, np.float32) if trajectory.acts else None
        return SimpleNamespace(frames=iter([np.zeros((1, 16, 16, 3), np.uint8)]), actions=actions)

    def _break(self, name: str) -> None:
        if name in self.breaks:
            raise self.breaks.pop(name)


class FakeServerPipe:
    """Commands from a script: before each turn of the loop the commands of the next entry arrive.

    An entry may be a function, which is called and gives them. An idle loop waits until it is woken; a loop that is
    busy when the script has ended goes on until it is idle.
    """

    def __init__(self, *script: Sequence[Command] | Callable[[], Sequence[Command]]) -> None:
        self.reports: list[Report] = []
        self.ended = False
        self._script: Iterator[Any] = iter(script)
        self._woken = threading.Event()
        self.waits_for_wake = False
        """Whether something beside the script will end a wait."""

    def report(self, message: Report) -> None:
        if not isinstance(message, CheckpointMoved):
            self.reports.append(message)

    def commands(self, *, wait: bool) -> list[Command]:
        entry = next(self._script, None)
        if entry is None:
            if not wait:
                return []
            if self.waits_for_wake:
                assert self._woken.wait(60)
                self._woken.clear()
                return []
            raise Over
        return list(entry() if callable(entry) else entry)

    def wake(self) -> None:
        self._woken.set()

    def end(self) -> None:
        self.ended = True
        raise Over

    def of(self, kind: type[Any]) -> list[Any]:
        return [report for report in self.reports if isinstance(report, kind)]
