"""The three roles of a refinement, put to whoever takes them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.media import MediaStore
from backend.reasoning import ReasoningService
from backend.reasoning.asking import OWN, Resident, endpoint_of
from backend.reasoning.patience import BUSY_PAUSES_S, COMING, Patient
from backend.refining.loop import Revision, Spend
from studio.errors import NotAllowed
from studio.events import CheckpointStatus
from studio.prompting import (
    UPSAMPLING,
    ImageUrl,
    Question,
    ReasonerSampling,
    VideoUrl,
    attach_image,
    attach_video,
    upsample,
    wish_of,
)
from studio.prompting.critique import Critique, read_critique
from studio.prompting.opening import PromptPair, opening_question, read_opening
from studio.prompting.question import MediaPart
from studio.prompting.refining import (
    CRITIC,
    ask_until,
    critic_question,
    read_rewrite,
    rewrite_question,
)
from studio.prompting.templates import RefiningTexts
from studio.requests import GenerateImage, GenerateVideo
from studio.requests.refine_image import Answerer, RefineImage, Role
from studio.settings import ServerSettings


@dataclass(frozen=True)
class _Asked:
    """Somebody who answers.

    Attributes:
        ask: them, with patience.
        is_resident: whether this server's own reasoner answers.
        media: what is shown, as they can read it.
        max_tokens: that they may write; none leaves it to the question.
    """

    ask: Patient
    is_resident: bool
    media: tuple[MediaPart, ...]
    max_tokens: int | None

    async def __call__(self, question: Question, /) -> str:
        """The answer. Raises as `Patient`."""
        return await self.ask(question)

    def within(self, sampling: ReasonerSampling, thrift: int) -> ReasonerSampling:
        """The sampling with no more tokens than may be written, halved so often."""
        most = min(sampling.max_tokens, self.max_tokens or sampling.max_tokens)
        return sampling.model_copy(update={"max_tokens": max(64, most >> thrift)})


class Roles:
    """Asks upsampler, critic and rewriter, the resident reasoner or endpoints of the settings."""

    def __init__(
        self,
        *,
        service: ReasoningService,
        store: MediaStore,
        catalogue: CheckpointCatalogue,
        settings: ServerSettings,
        texts: RefiningTexts,
        status_of: Callable[[str], CheckpointStatus],
        bring: Callable[[str], Awaitable[None]],
        pauses_s: Sequence[float] = BUSY_PAUSES_S,
    ) -> None:
        self._service = service
        self._store = store
        self._catalogue = catalogue
        self._settings = settings
        self._texts = texts
        self._status_of = status_of
        self._bring = bring
        self._pauses_s = pauses_s

    def endpoints(self) -> dict[Role, str]:
        """The address of each role's endpoint, as far as they have one."""
        roles: tuple[Role, ...] = ("upsampler", "critic", "rewriter")
        return {role: address for role in roles if (address := self._settings.endpoint(role)[0]) is not None}

    def check(self, request: RefineImage) -> None:
        """Raises NotAllowed: a role is given to an endpoint that is not set."""
        chosen: dict[Role, Answerer] = {
            "upsampler": request.upsampler,
            "critic": request.critic,
            "rewriter": request.rewriter,
        }
        for role, answerer in chosen.items():
            if answerer == "endpoint" and role not in self.endpoints():
                raise NotAllowed(
                    f"The {role} is set to an endpoint, but this server has none for it.",
                    param=role,
                    hint=f"Start it with --{role}-url, or use the loaded reasoner.",
                )

    async def open(self, request: RefineImage, words: str, thrift: int, spend: Spend) -> PromptPair:
        """The first round's prompts. Raises StudioErrors."""
        made = request.generate
        start = made.start_image if isinstance(made, GenerateVideo) else None
        async with self._asked("upsampler", request.upsampler, start, "image", made.checkpoint, spend) as asked:
            sampling = asked.within(UPSAMPLING, thrift)
            if isinstance(made, GenerateVideo):
                question = opening_question(self._texts, words, asked.media[0], sampling)
                return await ask_until(asked, question, read_opening, request.attempts, "upsampler")
            plain = made.model_copy(update={"prompt": words})
            done = await upsample(asked, wish_of(plain, sampling=sampling, attempts=request.attempts))
            return PromptPair(prompt=done.prompt, negative_prompt=made.negative_prompt)

    async def judge(
        self, request: RefineImage, made: GenerateImage | GenerateVideo, words: str, media_id: str, spend: Spend
    ) -> Critique:
        """What is wrong with a result. Raises StudioErrors."""
        kind = "image" if isinstance(made, GenerateImage) else "video"
        async with self._asked("critic", request.critic, media_id, kind, made.checkpoint, spend) as asked:
            question = critic_question(
                self._texts, made, words, asked.media[0], asked.within(CRITIC, asked.is_resident)
            )
            return await ask_until(asked, question, read_critique, request.attempts, "critic")

    async def rewrite(self, request: RefineImage, revision: Revision, spend: Spend) -> PromptPair:
        """Both prompts anew. Raises StudioErrors."""
        last = revision.last
        start = last.start_image if isinstance(last, GenerateVideo) else None
        async with self._asked("rewriter", request.rewriter, start, "image", last.checkpoint, spend) as asked:
            question = rewrite_question(
                self._texts,
                last,
                revision.words,
                revision.critique,
                revision.history,
                wish=revision.wish,
                start=asked.media[0] if asked.media else None,
                sampling=asked.within(UPSAMPLING, revision.thrift),
            )
            return await ask_until(
                asked, question, lambda answer: read_rewrite(last, answer), request.attempts, "rewriter"
            )

    @asynccontextmanager
    async def _asked(
        self, role: Role, answerer: Answerer, shown: str | None, kind: str, checkpoint: str | None, spend: Spend
    ) -> AsyncGenerator[_Asked]:
        files = {} if shown is None else {shown: self._store.file(shown)}
        if answerer == "resident" or (answerer == "server" and role not in self.endpoints()):
            resident = Resident(self._service, files, checkpoint=checkpoint, counted=False)
            part = ImageUrl if kind == "image" else VideoUrl
            # A prompt longer than the generator reads would be of no use; the schema closes it in time.
            most = self._catalogue.serving(checkpoint).capabilities().max_prompt_tokens
            served = self._catalogue.serving(checkpoint).id
            parts = tuple(part(url=f"{OWN}{own}") for own in files)
            try:
                patient = Patient(
                    resident,
                    pauses_s=self._pauses_s,
                    is_coming=lambda: self._status_of(served).state in COMING,
                    bring=lambda: self._bring(served),
                )
                yield _Asked(patient, is_resident=True, media=parts, max_tokens=most)
            finally:
                spend(resident.num_tokens)
            return
        attach = attach_image if kind == "image" else attach_video
        attached = await asyncio.to_thread(lambda: tuple(attach(path) for path in files.values()))
        async with endpoint_of(self._settings, role) as endpoint:
            try:
                yield _Asked(
                    Patient(endpoint, pauses_s=self._pauses_s), is_resident=False, media=attached, max_tokens=None
                )
            finally:
                spend(endpoint.num_tokens)
