"""An answer with a key goes on without its caller, and is sent again to whoever asks the same."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from backend.reasoning import answers as module
from backend.reasoning.answers import AnswerStream, AnswerStreams
from studio.errors import BadInput, Busy, Conflict

Steps = list[asyncio.Event]


def writer(*pieces: str, gates: Steps | None = None) -> Callable[[Callable[[str], None]], Coroutine[Any, Any, None]]:
    """Writes pieces, each once its gate is open."""

    async def write(add: Callable[[str], None]) -> None:
        for at, piece in enumerate(pieces):
            if gates is not None:
                await gates[at].wait()
            add(piece)

    return write


async def read(answer: AnswerStream) -> list[str]:
    return [piece async for piece in answer.read()]


def test_one_with_a_key_goes_on_when_its_reader_leaves_and_is_sent_from_the_beginning():
    async def go() -> None:
        answers, gates = AnswerStreams(), [asyncio.Event(), asyncio.Event()]
        first = answers.begin("k", b"what", writer("a", "b", gates=gates))
        gates[0].set()
        await first.begun()
        first.leave()
        again = answers.begin("k", b"what", writer("other"))
        reading = asyncio.create_task(read(again))
        gates[1].set()
        assert await reading == ["a", "b"]
        assert await answers.begin("k", b"what", writer("other")).whole() == "ab"

    asyncio.run(go())


def test_one_without_a_key_ends_with_its_reader():
    async def go() -> None:
        answer = AnswerStreams().begin(None, b"", writer("a", "b", gates=[asyncio.Event(), asyncio.Event()]))
        answer.leave()
        with pytest.raises(Conflict, match="stopped"):
            await answer.whole()

    asyncio.run(go())


def test_one_that_is_stopped_keeps_what_is_written():
    async def go() -> None:
        answers, gates = AnswerStreams(), [asyncio.Event(), asyncio.Event()]
        gates[0].set()
        answer = answers.begin("k", b"", writer("a", "b", gates=gates))
        await answer.begun()
        answers.stop("k")
        assert await read(answer) == ["a"]
        answers.stop("unknown")

    asyncio.run(go())


def test_one_that_was_refused_is_asked_again():
    async def refuse(add: Callable[[str], None]) -> None:
        raise Busy("64 conversations are open.")

    async def go() -> None:
        answers = AnswerStreams()
        with pytest.raises(Busy):
            await answers.begin("k", b"", refuse).begun()
        assert await answers.begin("k", b"", writer("a")).whole() == "a"

    asyncio.run(go())


def test_what_breaks_in_the_middle_breaks_every_reading():
    async def write(add: Callable[[str], None]) -> None:
        add("a")
        raise RuntimeError("torn")

    async def go() -> None:
        answer = AnswerStreams().begin("k", b"", write)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="torn"):
                await answer.whole()

    asyncio.run(go())


@pytest.mark.parametrize("key", ["", "é", "x" * 257])
def test_a_key_that_cannot_be_one_is_refused(key: str):
    async def go() -> None:
        with pytest.raises(BadInput, match="Idempotency-Key"):
            AnswerStreams().begin(key, b"", writer("a"))

    asyncio.run(go())


def test_a_key_of_another_body_is_refused():
    async def go() -> None:
        answers = AnswerStreams()
        await answers.begin("k", b"one", writer("a")).whole()
        with pytest.raises(Conflict, match="another request"):
            answers.begin("k", b"two", writer("a"))

    asyncio.run(go())


def test_whole_ones_give_way_and_open_ones_stay(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MAX_KEPT", 2)

    async def go() -> None:
        answers, gate = AnswerStreams(), asyncio.Event()
        open_one = answers.begin("open", b"", writer("a", gates=[gate]))
        for name in ("b", "c"):
            await answers.begin(name, b"", writer(name)).whole()
        assert answers.begin("open", b"", writer("z")) is open_one
        assert await answers.begin("b", b"other", writer("new")).whole() == "new"  # it was forgotten
        gate.set()
        assert await open_one.whole() == "a"

    asyncio.run(go())
