"""Several arms at one policy: how long each waits, as a table. `python tests/policy_arms.py [CHECKPOINT]`.

Each arm is a plain client that asks again as soon as it is answered, so that the policy is never idle: the worst case
of sharing. For 1, 2 and 3 arms it prints each arm's median and 95th percentile, from question to answer, and how much
of that the policy computed. On a machine that others use, the figures are theirs too.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from policy_wire import policy_client
from running import RunningServer, running

MOST_ARMS, NUM_QUESTIONS = 3, 20


@dataclass
class Arm:
    """What one arm has seen.

    Attributes:
        latencies_s: from each question to its answer.
        computed_s: of each, by the server.
    """

    latencies_s: list[float] = field(default_factory=list[float])
    computed_s: list[float] = field(default_factory=list[float])

    def percentile_s(self, percent: float) -> float:
        return float(np.percentile(self.latencies_s, percent))


def drive(server: RunningServer, num_arms: int, num_questions: int) -> tuple[list[Arm], list[int]]:
    """Let arms ask at the same time, each so often; what each saw, and in which order they were answered."""
    arms = [Arm() for _ in range(num_arms)]
    order: list[int] = []
    begin = threading.Barrier(num_arms)

    def ask(number: int) -> None:
        with policy_client(server) as client:
            begin.wait(60)
            for _ in range(num_questions):
                asked_s = time.monotonic()
                answer = client.ask()
                arms[number].latencies_s.append(time.monotonic() - asked_s)
                arms[number].computed_s.append(answer["server_timing"]["infer_ms"] / 1000)
                order.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(num_arms)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    return arms, order


def lines(server: RunningServer, most_arms: int, num_questions: int) -> Iterator[Sequence[str]]:
    """A line for each arm of 1, 2, … together."""
    for num_arms in range(1, most_arms + 1):
        arms, _ = drive(server, num_arms, num_questions)
        for number, arm in enumerate(arms, 1):
            figures = (arm.percentile_s(50), arm.percentile_s(95), float(np.median(arm.computed_s)))
            yield str(num_arms), str(number), *(f"{1e3 * value:.0f} ms" for value in figures)


def main() -> int:
    checkpoint = sys.argv[1] if len(sys.argv) > 1 else "speck"
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), ORRERY_CHECKPOINT=checkpoint, ORRERY_POLICY_ARMS=str(MOST_ARMS)) as server,
    ):
        server.wait_ready()
        sys.stdout.write("| arms | arm | median | 95 % | computed |\n|---|---|---|---|---|\n")
        for line in lines(server, MOST_ARMS, NUM_QUESTIONS):
            sys.stdout.write(f"| {' | '.join(line)} |\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
