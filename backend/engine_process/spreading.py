"""What of the machine a worker takes, as the settings say and as its command line is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from studio.settings import ServerSettings

BESIDE_AN_ARM = 5
"""A simulated arm on the same machine needs little of it and needs that on time, fifteen times a second; a step of the
engine takes what is left. The arm's program asks for a better place itself, which only root is given: this is the
other end of the same wish, and needs no right."""


@dataclass(frozen=True)
class Spreading:
    """How wide the engine spreads.

    Attributes:
        gpus: GPUs that share the steps of a clip; on a CPU processes.
        policy_gpus: those that share the steps of a policy.
        offload: the weights stay on the host.
        precision: `fp8` rounds the generator's products.
        niceness: how far it stands back where all cores are busy.
    """

    gpus: int = 1
    policy_gpus: int = 1
    offload: bool = False
    precision: str = "exact"
    niceness: int = 0

    @classmethod
    def of(cls, settings: ServerSettings) -> Self:
        """As a server was told."""
        return cls(
            gpus=settings.gpus,
            policy_gpus=settings.policy_gpus,
            offload=settings.offload,
            precision=settings.precision,
            niceness=BESIDE_AN_ARM if settings.robot == "simulated" else 0,
        )

    def arguments(self) -> tuple[str, ...]:
        """Of `python -m backend.worker`."""
        offload = ("--offload",) if self.offload else ()
        wide = (f"--gpus={self.gpus}", f"--policy-gpus={self.policy_gpus}")
        return (*wide, f"--precision={self.precision}", f"--nice={self.niceness}", *offload)


ALONE = Spreading()
