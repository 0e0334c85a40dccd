"""Ray: placement groups, actors, and what its errors mean. Nothing else of ours imports it.

Neither groups nor actors are detached: when the server ends, however it ends, Ray removes them, and the kernel ends the
workers with their actor. A server that starts again gets new ones.
"""

# Ray is an extra, and where it is not installed its types are unknown.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import ray
from ray.exceptions import ActorUnavailableError, GetTimeoutError, RayActorError, RayError, RayTaskError
from ray.util.placement_group import placement_group, placement_group_table, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from backend.cluster.host import Host, HostAwayError, HostGoneError
from backend.cluster.worker_host import Told, WorkerHost
from studio.errors import BadInput

NAMESPACE = "orrery"


class RayHosts:
    """The cluster at an address.

    Args:
        address: of its head, as in 10.0.0.7:6379; `auto` is the one that this host belongs to.
        gpus: of each replica, all of one host; on a CPU processors.
        device: `cuda`, `cpu`, or `auto` for GPUs if the cluster has any now.

    Raises:
        BadInput: no cluster answers there.
    """

    def __init__(self, address: str, gpus: int, device: str) -> None:
        ended_by = signal.getsignal(signal.SIGTERM)
        try:
            ray.init(address=address, namespace=NAMESPACE, log_to_driver=False, configure_logging=False)
        except (ConnectionError, RuntimeError, ValueError) as error:
            said = str(error).strip().partition("\n")[0]
            raise BadInput(
                f"No Ray cluster can be used at {address}: {said}",
                param="ray",
                hint="Start one on this host with ray start --head, or join one with ray start --address.",
            ) from None
        signal.signal(signal.SIGTERM, ended_by)  # Ray takes it, and the server has its own way to end
        self._here = ray.get_runtime_context().get_node_id()
        self.on_gpu = device == "cuda" or (device == "auto" and ray.cluster_resources().get("GPU", 0) > 0)
        self._bundle = {"GPU": gpus, "CPU": gpus} if self.on_gpu else {"CPU": gpus}

    @asynccontextmanager
    async def place(self, replica: int, told: Told) -> AsyncGenerator[Host]:
        """Room for a replica and its actor; waits until the cluster has it. Raises HostGoneError."""
        asked = {"bundles": [self._bundle], "strategy": "STRICT_PACK", "name": f"orrery-{replica}"}
        group = await asyncio.to_thread(placement_group, **asked)
        try:
            await _answer(group.ready())
            options = {"num_gpus": self._bundle.get("GPU", 0), "num_cpus": self._bundle["CPU"]}
            strategy = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=0)
            actor: Any = ray.remote(WorkerHost).options(scheduling_strategy=strategy, **options).remote(told)
            node = await asyncio.to_thread(_node_of, group)

            async def ask(method: str, *arguments: Any) -> Any:
                return await _answer(getattr(actor, method).remote(*arguments))

            host = Host(ask, await _answer(actor.facts.remote()), near=node == self._here)
            try:
                yield host
            finally:
                await asyncio.to_thread(ray.kill, actor)
        except HostAwayError as error:  # before it has ever answered
            raise HostGoneError(str(error)) from None
        finally:
            await asyncio.to_thread(remove_placement_group, group)

    def close(self) -> None:
        """Leave the cluster."""
        ray.shutdown()


def _node_of(group: Any) -> str:
    return placement_group_table(group)["bundles_to_node_id"][0]


async def _answer(reference: Any) -> Any:
    """What a call returns.

    Raises:
        HostGoneError: the actor has died.
        HostAwayError: it does not answer now, or the answer was lost.
    """
    try:
        return await reference
    except (ActorUnavailableError, GetTimeoutError) as error:
        raise HostAwayError(str(error)) from None
    except RayActorError as error:
        said = [line.strip() for line in str(error).splitlines() if line.strip()]
        # Of one that could not begin the last line has the reason, as in "ModuleNotFoundError: No module named 'av'".
        raise HostGoneError(said[-1 if error.actor_init_failed else 0]) from None
    except RayTaskError as error:
        raise error.cause from None
    except RayError as error:
        raise HostAwayError(str(error)) from None
