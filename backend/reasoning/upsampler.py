"""The prompt upsampler: for whoever asks, and for jobs that want it before they run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import structlog

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.guarding import Guard
from backend.jobs.inputs import with_length
from backend.media import DECODERS, MediaStore
from backend.reasoning.asking import OWN, Resident, endpoint_of
from backend.reasoning.service import ReasoningService, Told, unheard
from studio.errors import NotAllowed, UnknownKind
from studio.presets import complete
from studio.prompting import (
    UPSAMPLING,
    Captioned,
    ImageUrl,
    Upsampled,
    VideoUrl,
    attach_image,
    attach_video,
    is_captioned,
    is_upsampled,
    shown_media,
    uncaptioned,
    upsample,
    wish_of,
)
from studio.requests import KINDS, Adapter, Request, parse_request, shown
from studio.settings import ServerSettings

log = structlog.get_logger("orrery.upsampler")

SENTENCES = frozenset({"use_resolution_template", "use_duration_template"})
"""Fields for the sentences that say size and length, of those kinds that have such."""


class Upsampler:
    """Words to structured captions, by the resident reasoner or by the endpoint that the settings name."""

    def __init__(
        self,
        service: ReasoningService,
        store: MediaStore,
        catalogue: CheckpointCatalogue,
        settings: ServerSettings,
        guard: Guard,
    ) -> None:
        self._service = service
        self._store = store
        self._catalogue = catalogue
        self._settings = settings
        self._guard = guard

    async def answer(
        self, payload: Mapping[str, Any], told: Told = unheard, *, adapter: Adapter | None = None
    ) -> Upsampled:
        """The caption for a request's JSON; what it leaves out comes from the checkpoint's preset, as in a job.

        Args:
            told: gets what the resident reasoner writes as it comes, also what an attempt writes that is given up.
            adapter: that the resident reasoner wears; the request's own is the generator's.

        Raises:
            UnknownKind: it is no request that has words.
            NotAllowed: no structured caption belongs to such requests, and why.
            BadInput: it is no legal request.
            MediaNotFound: what it starts from or follows is not in the store.
            EngineError: no caption came that can be used, and why.
            Busy, ServerUnreachable: nobody can be asked.
        """
        kind = payload.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            captioned = ", ".join(name for name, row in KINDS.items() if row.is_captioned)
            raise UnknownKind(f"kind is {shown(kind)}; expected one of {captioned}.", param="kind")
        if why := uncaptioned(kind):
            raise NotAllowed(f"{kind} has no structured caption: {why}.", param="kind")
        request = parse_request(complete(self._catalogue.serving(payload.get("checkpoint")).preset, payload))
        assert is_captioned(request)
        return await self._upsample(request, counted=True, told=told, adapter=adapter)

    def is_wanted(self, request: Request) -> bool:
        """Whether a request asks for it and has plain words."""
        return is_captioned(request) and request.upsample and not is_upsampled(request.prompt)

    async def write(self, request: Request, *, guarded: bool) -> Request:
        """The request with the caption as its prompt and the words that it was written from beside it.

        Size and length stand in the caption, so that the sentences about them are left out; a transfer has none.

        Args:
            guarded: the caption is read by the guardrail, as the words were.

        Raises:
            StudioError: as `answer`, and as `Guard.check_written`.
        """
        assert is_captioned(request)
        done = await self._upsample(request, counted=False)
        if guarded:
            await self._guard.check_written(done.prompt)
        written = {**request.model_dump(mode="json"), "prompt": done.prompt, "written_from": request.prompt}
        if done.negative_prompt and not request.negative_prompt:
            written["negative_prompt"] = done.negative_prompt
        return parse_request({**written, **dict.fromkeys(SENTENCES & written.keys(), False)})

    async def _upsample(
        self, request: Captioned, *, counted: bool, told: Told = unheard, adapter: Adapter | None = None
    ) -> Upsampled:
        sized = await DECODERS.beside(lambda: with_length(request, self._store))
        assert is_captioned(sized)
        media = shown_media(request)
        param = media[0].param if media else ""
        is_picture = param == "start_image"
        files = {found.id: self._store.file(found.id) for found in media}
        served = self._catalogue.serving(request.checkpoint).capabilities()
        if self._settings.upsampler_url is not None:
            attach = attach_image if is_picture else attach_video
            attached = await asyncio.to_thread(lambda: [attach(files[found.id]) for found in media])
            async with endpoint_of(self._settings) as ask:
                done = await upsample(ask, wish_of(sized, attached, prompting=served.prompting))
        else:
            part = ImageUrl if is_picture else VideoUrl
            # A caption longer than the generator reads would be of no use; the schema closes it in time.
            most = min(UPSAMPLING.max_tokens, served.max_prompt_tokens)
            sampling = UPSAMPLING.model_copy(update={"max_tokens": most})
            shown_parts = [part(url=f"{OWN}{found.id}") for found in media]
            wish = wish_of(sized, shown_parts, sampling=sampling, prompting=served.prompting)
            resident = Resident(
                self._service,
                files,
                param,
                checkpoint=request.checkpoint,
                adapter=adapter,
                counted=counted,
                told=told,
            )
            done = await upsample(resident, wish)
        log.info("prompt_upsampled", kind=request.kind, attempts=done.attempts, repairs=len(done.repairs))
        return done
