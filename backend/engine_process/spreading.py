"""What of the machine a worker takes, as the settings say and as its command line is told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from studio.presets import Precision
from studio.settings import ServerSettings


@dataclass(frozen=True)
class Spreading:
    """How wide the engine spreads.

    Attributes:
        gpus: GPUs that share the steps of a clip; on a CPU processes.
        policy_gpus: those that share the steps of a policy.
        offload: the weights stay on the host.
        precision: `fp8` rounds the generator's products.
    """

    gpus: int = 1
    policy_gpus: int = 1
    offload: bool = False
    precision: Precision = "exact"

    @classmethod
    def of(cls, settings: ServerSettings) -> Self:
        """As a server was told."""
        return cls(
            gpus=settings.gpus,
            policy_gpus=settings.policy_gpus,
            offload=settings.offload,
            precision=settings.precision,
        )

    def at(self, precision: Precision | None) -> Self:
        """The same in the precision that a checkpoint's preset says, if it says one."""
        return self if precision is None else replace(self, precision=precision)

    def arguments(self) -> tuple[str, ...]:
        """Of `python -m backend.worker`."""
        offload = ("--offload",) if self.offload else ()
        wide = (f"--gpus={self.gpus}", f"--policy-gpus={self.policy_gpus}")
        return (*wide, f"--precision={self.precision}", *offload)


ALONE = Spreading()
