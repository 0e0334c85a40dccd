"""What waited without having been read is read before it runs."""

import asyncio

import pytest

from backend.guarding import Guard
from backend.jobs.preparations import Preparations, PreparedPrompt
from guardrail_fake import WordReader, guarding
from studio.errors import GuardrailBlocked, GuardrailLost
from studio.jobs import Job, JobState, Progress, Verdict
from studio.requests import GenerateImage, Request
from studio.settings import ServerSettings


class Shouting:
    """Writes prompts in capitals, and remembers which of them were to be read."""

    def __init__(self) -> None:
        self.guarded: list[bool] = []

    def is_wanted(self, request: Request) -> bool:
        return isinstance(request, GenerateImage) and request.upsample

    async def write(self, request: Request, *, guarded: bool) -> Request:
        assert isinstance(request, GenerateImage)
        self.guarded.append(guarded)
        return request.model_copy(update={"prompt": request.prompt.upper()})


def job(verdict: Verdict | None, prompt: str = "a cube", *, upsample: bool = False) -> Job:
    request = GenerateImage(prompt=prompt, upsample=upsample)
    made = {"id": "0123456789ab", "kind": "generate_image", "state": JobState.RUNNING, "checkpoint": "speck"}
    moment = "2026-01-02T03:04:05Z"
    return Job.model_validate(
        {**made, "request": request, "progress": Progress(steps=1), "created_at": moment, "guardrail": verdict}
    )


def prepared(
    settings: ServerSettings, waiting: Job, writer: Shouting | None = None
) -> tuple[str | None, PreparedPrompt]:
    async def run() -> tuple[str | None, PreparedPrompt]:
        guard = Guard(settings, lambda _: None)
        preparations = Preparations(guard, writer or Shouting())
        try:
            return preparations.first(waiting), await preparations.prepare(waiting)
        finally:
            await guard.close()

    return asyncio.run(run())


@pytest.mark.parametrize("verdict", ["not_installed", "off", "passed", None])
def test_without_a_guardrail_nothing_is_done(verdict: Verdict | None):
    waiting = job(verdict)
    assert prepared(ServerSettings(), waiting) == (None, PreparedPrompt(waiting.request, verdict))


def test_what_was_accepted_without_a_guardrail_is_read_by_one_that_has_come():
    reader = WordReader()
    with guarding(reader) as url:
        settings = ServerSettings(guardrail_url=url)
        phase, words = prepared(settings, job("not_installed"))
        assert (phase, words.guardrail, reader.read_texts) == ("starting", "passed", ["a cube"])
        assert prepared(settings, job(None))[1].guardrail == "passed"
        with pytest.raises(GuardrailBlocked):
            prepared(settings, job("not_installed", "a forbidden cube"))
        num_read = len(reader.read_texts)
        assert prepared(settings, job("passed"))[0] is prepared(settings, job("off"))[0] is None
        assert len(reader.read_texts) == num_read


@pytest.mark.parametrize("verdict", ["not_installed", "off", None])
def test_a_server_that_requires_one_runs_nothing_that_waited_unread(verdict: Verdict | None):
    with pytest.raises(GuardrailLost):
        prepared(ServerSettings(require_guardrail=True), job(verdict))


def test_a_caption_of_words_that_were_read_late_is_read_too():
    with guarding(WordReader()) as url:
        writer = Shouting()
        phase, words = prepared(ServerSettings(guardrail_url=url), job("not_installed", upsample=True), writer)
        assert (phase, words.request.prompt, words.guardrail, writer.guarded) == (
            "starting",
            "A CUBE",
            "passed",
            [True],
        )
        assert prepared(ServerSettings(), job("not_installed", upsample=True), writer)[0] == "upsampling"
        assert writer.guarded == [True, False]
