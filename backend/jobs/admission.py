"""Whether a request may be queued: parsed, allowed by its checkpoint, and everything that it names is there."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from backend.checkpoints.adapters import AdapterFolder
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.guarding.guard import Guard, read_fields
from backend.jobs.inputs import check_inputs, with_length
from backend.jobs.ledger import Accepted
from backend.media import DECODERS, MediaStore
from studio.errors import StudioError, rebuild
from studio.jobs import Job, Verdict
from studio.presets import complete
from studio.requests import Request, media_of, parse_request
from studio.rules import refusals

T = TypeVar("T")

_SAID_ONLY = ("prompt", "negative_prompt", "written_from", "sampling", "upsample")
"""Fields that say nothing of what a request names, nor of how much of it is taken."""


class Admission:
    """Looks at what is asked for before it is written down."""

    def __init__(
        self, catalogue: CheckpointCatalogue, media: MediaStore, adapters: AdapterFolder, guard: Guard
    ) -> None:
        self._catalogue = catalogue
        self._media = media
        self._adapters = adapters
        self._guard = guard

    async def admit(
        self, payload: Mapping[str, Any], job_id: str | None = None, *, guardrails: bool | None = None
    ) -> Accepted:
        """A request that may be queued.

        Args:
            payload: decoded JSON of a request; what it leaves out comes from the checkpoint's preset.
            job_id: what its job will be called, where that has been promised; else any.
            guardrails: whether the guardrail is to read it; none is what the server does by itself.

        Raises:
            BadInput: it is no legal request, or this checkpoint refuses it.
            MediaNotFound: it names something that is not in the store.
            CheckpointNotFound, Conflict: it names a checkpoint that is unknown, or not loaded.
            GuardrailBlocked, GuardrailLost: see `Guard.check`.
        """
        accepted = self.parse(payload, job_id)
        await self.check_named(accepted.request)
        verdict = await self._guard.check(accepted.request, wanted=guardrails)
        return replace(accepted, guardrail=verdict, sized=await self.sized(accepted.request))

    async def admit_all(
        self, payloads: Sequence[Mapping[str, Any]], refused: dict[int, StudioError] | None = None
    ) -> list[Accepted]:
        """The same of many; what names the same is looked at once. An error's `param` says which one it is in.

        Args:
            refused: takes the errors by index, and the others are answered; none raises the first one.
        """
        every: list[Accepted] = []
        seen: dict[str, Request] = {}
        verdicts: dict[tuple[str, ...], Verdict] = {}
        for index, payload in enumerate(payloads):
            try:
                accepted = self.parse(payload)
                asked = json.dumps(accepted.request.model_dump(mode="json", exclude=set(_SAID_ONLY)))
                if asked not in seen:
                    await self.check_named(accepted.request)
                    seen[asked] = await self.sized(accepted.request)
                words = read_fields(accepted.request)
                if words not in verdicts:
                    verdicts[words] = await self._guard.check(accepted.request)
                accepted = replace(accepted, guardrail=verdicts[words], sized=seen[asked])
            except StudioError as error:
                if refused is not None:
                    refused[index] = error
                    continue
                param = f"requests.{index}.{error.param}" if error.param else f"requests.{index}"
                raise rebuild(error.code, error.message, param, error.hint) from None
            every.append(accepted)
        return every

    def parse(self, payload: Mapping[str, Any], job_id: str | None = None) -> Accepted:
        """`admit` without a look at what is named."""
        checkpoint = self._catalogue.serving(payload.get("checkpoint"))
        request = parse_request(complete(checkpoint.preset, payload))
        for refusal in refusals(request, checkpoint.capabilities()):
            raise refusal.error()
        return Accepted(job_id or secrets.token_hex(6), request, checkpoint.id)

    async def check_again(self, job: Job) -> Verdict:
        """What is looked at before a job that has ended runs once more, and what is to be said of it then.

        Raises as `admit`.
        """
        await self.check_named(job.request)
        return await self._guard.check(job.request, wanted=False if job.guardrail == "off" else None)

    async def sized(self, request: Request) -> Request:
        """The request with its length, which its clips may decide. Raises MediaNotFound, BadInput."""
        return await self._look(request, lambda: with_length(request, self._media))

    async def check_named(self, request: Request) -> None:
        """Everything that a request names is there, and can be used. Raises MediaNotFound, BadInput."""

        def check() -> None:
            if request.adapter is not None:
                self._adapters.path(request.adapter.name)
            check_inputs(request, self._media)

        await self._look(request, check)

    async def _look(self, request: Request, look: Callable[[], T]) -> T:
        """Beside those that look at media, if there are any to be looked at; others wait for nobody."""
        names_media = any(media_of(request))
        return await (DECODERS.beside(look) if names_media else asyncio.to_thread(look))

    def check_still_there(self, request: Request) -> None:
        """The files of what it names, once more, on the thread that removes files. Raises MediaNotFound."""
        for medium in media_of(request):
            self._media.file(medium.id)
