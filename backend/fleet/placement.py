"""Which devices the engines of a checkpoint are put on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from studio.errors import BadInput
from studio.settings import ServerSettings


@dataclass(frozen=True)
class Placement:
    """Where the engines of a checkpoint compute; those of every checkpoint are put alike.

    Attributes:
        devices: what the engine of each replica is told. With `--gpus` its ranks take the GPUs from there on.
        gpus: numbers of the GPUs that hold weights; none on the host.
        engines_each: how many hold all weights of a checkpoint on one device; a rank does as an engine alone.
    """

    devices: tuple[str, ...]
    gpus: range
    engines_each: int

    @classmethod
    def of(cls, settings: ServerSettings, place: Literal["gpu", "host"]) -> Self:
        """As a server was told, on a machine with GPUs or without.

        Two replicas of two GPUs begin at cuda:0 and cuda:2. On a device that was named by its number all begin there.
        """
        replicas, wide = settings.replicas, settings.gpus
        if place == "host":
            return cls((settings.device,) * replicas, range(0), replicas * wide)
        _, is_numbered, number = settings.device.partition(":")
        if is_numbered or replicas == 1:
            first = int(number or 0)
            return cls((settings.device,) * replicas, range(first, first + wide), replicas)
        return cls(tuple(f"cuda:{replica * wide}" for replica in range(replicas)), range(replicas * wide), 1)

    def check(self, num_gpus: int) -> None:
        """Raises BadInput: it takes GPUs that the machine has not."""
        if self.gpus.stop <= num_gpus:
            return
        replicas, taken = len(self.devices), len(self.gpus)
        wide = taken * self.engines_each // replicas
        raise BadInput(
            f"--replicas {replicas} with --gpus {wide} needs {taken} of this machine's GPUs "
            f"from cuda:{self.gpus.start} on; it has {num_gpus}.",
            param="replicas" if replicas > 1 else "gpus",
            hint="Start with fewer replicas, or with fewer GPUs for each.",
        )
