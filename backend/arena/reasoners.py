"""Who can be asked: checkpoints of this server, and the endpoints that `reasoners.toml` of the data folder names.

    [big-judge]
    url = "http://127.0.0.1:8000/v1"
    model = "Qwen3-VL-32B"   # may be left out: the first that the endpoint lists
    key = "…"                # may be left out
    title = "The big one"    # may be left out

The file is read each time, so that a new entry needs no restart; its keys are never answered.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.fleet import Fleet
from backend.media import DECODERS, inspect_upload
from backend.reasoning import ReasoningService
from backend.reasoning.asking import OWN, Resident
from backend.reasoning.patience import COMING, Patient
from studio.arena import Reasoner
from studio.errors import BadInput, Conflict, ServerUnreachable, Unauthorized
from studio.prompting import Ask, Endpoint, ImageUrl, VideoUrl, attach_image, attach_video
from studio.requests import Adapter, Frozen, explain, nearest, shown

MAX_NAME = 60

ENTRY_PARAMS = ("endpoint", "model")
"""What `Endpoint` names in a BadInput that is about the entry; any other is about one question."""


class NamedEndpoint(Frozen):
    """One entry of `reasoners.toml`."""

    url: str
    model: str | None = None
    key: SecretStr | None = None
    title: str = ""


@dataclass(frozen=True)
class Asking:
    """Somebody who is asked, and what it is shown, in the order in which it was named."""

    ask: Ask
    parts: tuple[ImageUrl | VideoUrl, ...]


class Reasoners:
    """The reasoners of this server.

    Args:
        file: `reasoners.toml`; it need not be there.
    """

    def __init__(self, service: ReasoningService, fleet: Fleet, catalogue: CheckpointCatalogue, file: Path) -> None:
        self._service = service
        self._fleet = fleet
        self._catalogue = catalogue
        self._file = file

    def listing(self) -> tuple[Reasoner, ...]:
        """Checkpoints that are here, then endpoints. Raises BadInput when the file cannot be read."""
        checkpoints = [
            Reasoner(
                name=name,
                title=self._catalogue.title(name),
                endpoint=False,
                ready=self._fleet.status_of(name).state == "ready",
            )
            for name in self._catalogue.here()
        ]
        endpoints = [
            Reasoner(name=name, title=entry.title or name, endpoint=True, ready=True)
            for name, entry in self._endpoints().items()
        ]
        return (*checkpoints, *endpoints)

    def check(self, name: str, param: str) -> None:
        """Raises BadInput unless there is one of this name."""
        known = [reasoner.name for reasoner in self.listing()]
        if name not in known:
            raise BadInput(f"There is no reasoner {shown(name)}.", param=param, hint=nearest(name, known))

    @asynccontextmanager
    async def asking(
        self, name: str, files: Mapping[str, Path], *, patient: bool = False, adapter: Adapter | None = None
    ) -> AsyncGenerator[Asking]:
        """Open the way to one of them.

        Args:
            name: as `listing` has it.
            files: pictures and clips that it is shown, by their id in the store.
            adapter: that a checkpoint uses for its answers.
            patient: whether it is waited for while it is busy, and its checkpoint loaded where no engine has it.

        What an endpoint says against a single question is raised unchanged.

        Raises:
            BadInput: a file is neither a picture nor a clip.
            ServerUnreachable: the endpoint cannot be used as its entry has it, and why.
            Conflict: from a question that is waited for: the checkpoint could not be loaded.
        """
        types = {own: await DECODERS.beside(partial(_type_of, path)) for own, path in files.items()}
        endpoint = self._endpoints().get(name)
        if endpoint is None:
            made = {"image": ImageUrl, "video": VideoUrl}
            parts = tuple(made[types[own]](url=f"{OWN}{own}") for own in files)
            resident = Resident(self._service, files, checkpoint=name, adapter=adapter, counted=not patient)
            yield Asking(self._patient(resident, name) if patient else resident, parts)
            return
        attach = {"image": attach_image, "video": attach_video}
        attached = await asyncio.to_thread(lambda: tuple(attach[types[own]](path) for own, path in files.items()))
        key = endpoint.key.get_secret_value() if endpoint.key else None
        try:
            async with Endpoint(endpoint.url, model=endpoint.model, api_key=key) as ask:
                yield Asking(Patient(ask) if patient else ask, attached)
        except (BadInput, Unauthorized) as error:
            if isinstance(error, BadInput) and error.param not in ENTRY_PARAMS:
                raise
            raise ServerUnreachable(
                f"The reasoner {name}: {error.message}", hint="Check its entry in reasoners.toml."
            ) from None

    def _patient(self, resident: Resident, checkpoint: str) -> Patient:
        return Patient(
            resident,
            is_coming=lambda: self._fleet.status_of(checkpoint).state in COMING,
            bring=lambda: self._bring(checkpoint),
        )

    async def _bring(self, checkpoint: str) -> None:
        await self._fleet.bring(checkpoint)
        if (failed := self._fleet.status_of(checkpoint).error) is not None:
            title = self._catalogue.title(checkpoint)
            raise Conflict(f"{title} could not be loaded: {failed.message}", hint=failed.hint)

    def _endpoints(self) -> dict[str, NamedEndpoint]:
        try:
            raw: dict[str, Any] = tomllib.loads(self._file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise BadInput(f"reasoners.toml in the data folder cannot be read: {error}.") from None
        found: dict[str, NamedEndpoint] = {}
        for name, entry in raw.items():
            try:
                found[name[:MAX_NAME]] = NamedEndpoint.model_validate(entry)
            except ValidationError as error:
                why = explain(error, NamedEndpoint)
                raise BadInput(
                    f"{shown(name)} in reasoners.toml is not a reasoner: {why.message}", hint=why.hint
                ) from None
        return found


def _type_of(path: Path) -> str:
    facts = inspect_upload(path)
    if facts.type not in ("image", "video"):
        raise BadInput(f"A file of type {facts.type} cannot be shown; expected an image or a video.", param="media")
    return facts.type
