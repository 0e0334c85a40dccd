"""The hosts of a server that was started with `--ray`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Protocol

from backend import vital
from backend.cluster.host import Host
from backend.cluster.memory import ClusterMemory
from backend.cluster.remote_link import RemoteLink
from backend.cluster.seat import Seat
from backend.cluster.worker_host import Told
from backend.engine_process import Connect
from backend.jobs.dispatcher import Dispatcher
from studio.data_folder import DataFolder
from studio.errors import BadInput
from studio.settings import ServerSettings
from studio.system import HostEngine, HostLoad

PROBE = ".shared-"
"""How the name of a file begins that tells hosts whether they have the server's data folder."""


class Hosts(Protocol):
    """Who has hosts: Ray, or a test.

    Attributes:
        on_gpu: whether engines get GPUs there; otherwise processors.
    """

    on_gpu: bool

    def place(self, replica: int, told: Told) -> AbstractAsyncContextManager[Host]:
        """Find room for a replica and start its actor; at the end of the block both are removed."""
        ...

    def close(self) -> None:
        """The server ends."""


def join(settings: ServerSettings, data: DataFolder) -> Cluster | None:
    """The Ray cluster that a server was told of, if it was.

    Raises:
        BadInput: no cluster answers there, Ray is not installed, or another setting does not go with it.
    """
    if settings.ray is None:
        return None
    _check(settings)
    try:
        from backend.cluster.ray_hosts import RayHosts  # seconds, and only where it is wanted
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise BadInput(
            "--ray needs Ray, which is not installed.", param="ray", hint="Install it: pip install 'orrery[cluster]'."
        ) from None
    return Cluster(settings, data, RayHosts(settings.ray, settings.gpus, settings.device))


def _check(settings: ServerSettings) -> None:
    if ":" in settings.device:
        raise BadInput(
            f"--device {settings.device} with --ray: Ray selects the GPUs.",
            param="device",
            hint="Use --device auto, cuda or cpu.",
        )
    if settings.guardrail_url is not None:
        raise BadInput(
            "--guardrail-url with --ray: engines on other hosts cannot reach a guardrail on this one.",
            param="guardrail_url",
            hint="Start without --ray, or without the guardrail.",
        )


class Cluster:
    """Seats for as many replicas as the server was told."""

    def __init__(self, settings: ServerSettings, data: DataFolder, hosts: Hosts) -> None:
        self._data = data
        self._hosts = hosts
        # Where a host sees this file, it has the server's data folder.
        self._probe: Path = data.media / f"{PROBE}{token_hex(8)}"
        told = Told(data.root, self._probe.name, "cuda" if hosts.on_gpu else "cpu", settings.gpus)
        cards = "GPU" if hosts.on_gpu else "processor"
        needs = f"a host with {settings.gpus} free {cards}{'' if settings.gpus == 1 else 's'}"
        self.seats = [Seat(number, needs, partial(hosts.place, number, told)) for number in range(settings.replicas)]
        self.memory = ClusterMemory(settings, self.seats, on_gpu=hosts.on_gpu)

    def connect(self, device: str, checkpoint: str) -> Connect:
        """How the worker of one replica is started.

        Args:
            device: of `ClusterMemory.devices`.
        """
        return partial(RemoteLink, self._seat(device), self._data, checkpoint)

    def is_near(self, device: str) -> bool:
        """Whether a replica is on the server's own host."""
        host = self._seat(device).now
        return host is not None and host.near

    @asynccontextmanager
    async def living(self) -> AsyncGenerator[None]:
        """Every seat has a host, or waits for one."""
        for leftover in self._data.media.glob(f"{PROBE}*"):  # of a server that was killed
            leftover.unlink(missing_ok=True)
        self._probe.touch()
        tasks = [vital.keep(asyncio.create_task(seat.run()), f"replica {seat.number}") for seat in self.seats]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._probe.unlink(missing_ok=True)
            self._hosts.close()

    def hosts(self, engines: Sequence[Dispatcher]) -> tuple[HostLoad, ...]:
        """Each replica's host, and which of the fleet's engines it has."""
        names = self.memory.devices()
        return tuple(
            _load_of(seat, [engine for engine in engines if engine.device == name])
            for seat, name in zip(self.seats, names, strict=True)
        )

    def _seat(self, device: str) -> Seat:
        return self.seats[int(device.removeprefix("ray:"))]


def _load_of(seat: Seat, engines: Sequence[Dispatcher]) -> HostLoad:
    host = seat.now
    if host is None:
        return HostLoad(replica=seat.number, waits_for=seat.waits_for)
    said = [(engine.status, engine.job_id) for engine in engines]
    facts = host.facts
    return HostLoad(
        replica=seat.number,
        name=facts.name,
        near=host.near,
        latency_ms=host.latency_ms,
        shares_media=facts.shares,
        checkpoints=facts.checkpoints,
        load=facts.load,
        engines=tuple(
            HostEngine(checkpoint=status.id, state=status.state, detail=status.detail, job_id=job_id)
            for status, job_id in said
        ),
    )
