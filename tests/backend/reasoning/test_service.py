"""Open conversations at the server's side: a bound, an end for each, and nobody told who has left."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest

from backend.broadcast import Broadcast
from backend.engine_process import WorkerLost
from backend.fleet import EngineGroup
from backend.messages import Command, ConversationEnded, ConversationSaid, Converse, StopConversation, Token, Usage
from backend.metrics import Metrics
from backend.reasoning import ReasoningService
from backend.reasoning.asking import Resident, to_reason
from backend.reasoning.service import MAX_OPEN
from studio.checkpoints import Checkpoint
from studio.errors import BadInput, BrokenCheckpoint, Busy, EngineLost
from studio.events import CheckpointStatus, EngineState
from studio.jobs import Failure
from studio.presets import CheckpointPreset
from studio.prompting import PlainText, Question
from studio.prompting.question import THINKING, Turn
from studio.requests import Reason

SPECK = Checkpoint("speck", CheckpointPreset(id="speck", title="speck", summary=""), None, True)
ASKED = Reason.model_validate({"messages": [{"role": "user", "content": "hm?"}]})
TURN = Turn(role="user", parts=(PlainText(text="hm?"),))


class FakeDispatcher:
    """A worker that is ready and hears."""

    def __init__(self) -> None:
        self.status = CheckpointStatus(id="speck", title="speck", state="ready")
        self.worker_pid: int | None = 1
        self.sent: list[Command] = []
        self.num_said = 0
        self.idle = True
        self.is_near = lambda: True
        self.listeners: dict[str, Callable[[Any], None]] = {}

    def send(self, command: Command) -> None:
        self.sent.append(command)

    @contextmanager
    def listening(self, name: str, hear: Callable[[Any], None]) -> Generator[None]:
        self.listeners[name] = hear
        yield
        del self.listeners[name]

    def tell(self, event: Any) -> None:
        names = list(self.listeners) if isinstance(event, WorkerLost) else [event.conversation_id]
        for name in names:
            if hear := self.listeners.get(name):
                hear(event)

    @property
    def name(self) -> str:
        """Of the conversation that was opened last."""
        return next(command.conversation_id for command in reversed(self.sent) if isinstance(command, Converse))

    def say(self, text: str, *tokens: Token) -> None:
        self.num_said += 1
        self.tell(ConversationSaid(self.name, text, tokens, Usage(3, self.num_said, 0)))


class FakeFleet:
    """One checkpoint, one engine."""

    def __init__(self, dispatcher: Any, checkpoint: Checkpoint = SPECK) -> None:
        self._group = EngineGroup(checkpoint, [dispatcher], needed_gb=1.0)

    async def awake(self, checkpoint: str | None) -> None:
        """It never sleeps."""

    def group(self, checkpoint: str | None) -> EngineGroup:
        assert checkpoint is None
        return self._group


@pytest.fixture
def dispatcher() -> FakeDispatcher:
    return FakeDispatcher()


@pytest.fixture
def service(dispatcher: FakeDispatcher) -> ReasoningService:
    fleet: Any = FakeFleet(dispatcher)
    return ReasoningService(fleet, Metrics(), Broadcast())


def test_an_answer_is_what_was_said_and_nobody_is_told_to_stop(service: ReasoningService, dispatcher: FakeDispatcher):
    async def ask() -> Any:
        with service.converse(ASKED, {}) as conversation:
            for letter in "yes":
                dispatcher.say(letter, Token(letter.encode(), -1.0, ()))
            dispatcher.tell(ConversationEnded(dispatcher.name, "stop"))
            first = await conversation.said()
            assert first is not None
            assert first.text == "yes"
            assert await conversation.said() is None
            return conversation

    conversation = asyncio.run(ask())

    assert conversation.finish_reason == "stop"
    assert conversation.usage.completion_tokens == 3
    assert [type(command) for command in dispatcher.sent] == [Converse]
    assert service.num_open == 0


def test_whoever_leaves_stops_the_decoding(service: ReasoningService, dispatcher: FakeDispatcher):
    async def leave() -> None:
        with service.converse(ASKED, {}):
            dispatcher.say("y")

    asyncio.run(leave())

    assert dispatcher.sent[-1] == StopConversation(dispatcher.name)
    assert service.num_open == 0
    dispatcher.say("es")


def test_one_more_than_are_held_is_refused_and_the_server_s_own_is_not(service: ReasoningService):
    async def fill() -> None:
        opened = [service.converse(ASKED, {}) for _ in range(MAX_OPEN)]
        for conversation in opened:
            conversation.__enter__()
        with pytest.raises(Busy, match=str(MAX_OPEN)), service.converse(ASKED, {}):
            pass
        with service.converse(ASKED, {}, counted=False):
            assert service.num_open == MAX_OPEN + 1
        for conversation in opened:
            conversation.__exit__(None, None, None)
        with service.converse(ASKED, {}):
            pass

    asyncio.run(fill())

    assert service.num_open == 0


def test_a_dead_worker_ends_every_conversation_with_a_reason(service: ReasoningService, dispatcher: FakeDispatcher):
    async def lose() -> None:
        with service.converse(ASKED, {}) as one, service.converse(ASKED, {}) as other:
            dispatcher.say("half")
            dispatcher.tell(WorkerLost(-9))
            assert (await other.said()) is not None
            for conversation in (one, other):
                with pytest.raises(EngineLost):
                    await asyncio.wait_for(conversation.said(), 60)

    asyncio.run(lose())

    assert not any(isinstance(command, StopConversation) for command in dispatcher.sent)


def test_what_the_engine_minds_is_raised(service: ReasoningService, dispatcher: FakeDispatcher):
    async def refuse() -> None:
        asking = asyncio.ensure_future(service.answer(ASKED, {}))
        await asyncio.sleep(0)
        minded = Failure.of(BadInput("No.", param="messages.0"))
        dispatcher.tell(ConversationEnded(dispatcher.name, failure=minded))
        with pytest.raises(BadInput, match=r"No\."):
            await asyncio.wait_for(asking, 60)

    asyncio.run(refuse())


@pytest.mark.parametrize(
    ("state", "pid", "failure", "error"),
    [
        ("loading", 1, None, Busy),
        ("lost", None, None, Busy),
        ("ready", None, None, Busy),
        ("failed", 1, Failure.of(BrokenCheckpoint("Broken.")), BrokenCheckpoint),
    ],
)
def test_a_checkpoint_that_is_not_ready_answers_nobody(
    service: ReasoningService,
    dispatcher: FakeDispatcher,
    state: EngineState,
    pid: int | None,
    failure: Failure | None,
    error: type[Exception],
):
    dispatcher.status = CheckpointStatus(id="speck", title="speck", state=state, error=failure)
    dispatcher.worker_pid = pid

    with pytest.raises(error), service.converse(ASKED, {}):
        pass

    assert dispatcher.sent == []


def test_what_nobody_has_said_of_the_sampling_is_the_checkpoints_own():
    preset = CheckpointPreset.model_validate(
        {"id": "x", "title": "x", "summary": "", "reasoner": {"temperature": 0.2, "presence_penalty": 0.0}}
    )
    dispatcher = FakeDispatcher()
    fleet: Any = FakeFleet(dispatcher, Checkpoint("x", preset, None, True))
    service = ReasoningService(fleet, Metrics(), Broadcast())

    def drawn(request: Reason) -> tuple[float, float, int]:
        with service.converse(request, {}):
            sent = next(command for command in reversed(dispatcher.sent) if isinstance(command, Converse))
        sampling = sent.request.sampling
        return sampling.temperature, sampling.presence_penalty, sampling.max_tokens

    assert drawn(ASKED) == (0.2, 0.0, 2048)
    said = Reason.model_validate({**ASKED.model_dump(), "sampling": {"temperature": 0.9, "max_tokens": 7}})
    assert drawn(said) == (0.9, 0.0, 7)
    # The studio's own questions: what differs from the usual was meant.
    assert drawn(to_reason(Question(messages=(TURN,)))) == (0.2, 0.0, 4096)
    assert drawn(to_reason(Question(messages=(TURN,), sampling=THINKING))) == (0.6, 0.0, 4096)


def test_the_studio_asks_a_checkpoint_for_no_more_than_it_was_taught_and_a_client_for_what_he_wants():
    preset = CheckpointPreset.model_validate(
        {"id": "x", "title": "x", "summary": "", "reasoner": {"leaves_out_empty": True}}
    )
    dispatcher = FakeDispatcher()
    fleet: Any = FakeFleet(dispatcher, Checkpoint("x", preset, None, True))
    service = ReasoningService(fleet, Metrics(), Broadcast())
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    asked = Reason.model_validate({**ASKED.model_dump(), "response_schema": schema})

    with service.converse(asked, {}):
        pass

    async def ask_and_leave() -> None:
        question = Question(messages=(TURN,), answer_schema=schema)
        answering = asyncio.create_task(Resident(service, {}, counted=False)(question))
        await asyncio.sleep(0)
        answering.cancel()

    asyncio.run(ask_and_leave())
    sent = [command.request.response_schema for command in dispatcher.sent if isinstance(command, Converse)]
    assert sent == [schema, schema | {"required": []}]


def test_everybody_is_told_how_many_are_being_answered(dispatcher: FakeDispatcher):
    fleet: Any = FakeFleet(dispatcher)
    broadcast = Broadcast()
    service = ReasoningService(fleet, Metrics(), broadcast)

    with broadcast.subscribe() as page:
        with service.converse(ASKED, {}):
            assert service.num_open == 1
        with service.converse(ASKED, {}):
            dispatcher.tell(ConversationEnded(dispatcher.name, "stop"))
        told = [page.items.get_nowait() for _ in range(page.items.qsize())]

    assert [getattr(delta, "value", None) for delta in told] == [{"num_answering": number} for number in (1, 0, 1, 0)]
