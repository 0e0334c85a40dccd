"""A Franka in simulation, run by the interpreter that has franky-sim: its address on stdout, then what it went through.

It ends when stdin does, and writes what it noted, every simulated millisecond, to the file of its argument.
"""

import sys
import threading
import time
from pathlib import Path

import numpy as np
from franky_sim import SimulationServer
from franky_sim.mujoco_simulator import MujocoSimulator

from robot.process import raise_priority

STEP_S = 0.001
SHORTEST_S = 0.0003
MAX_BEHIND_S = 0.05


class Notes:
    """What the arm did and what it was commanded, by simulated milliseconds since the start."""

    def __init__(self) -> None:
        self.positions: list[tuple[float, ...]] = []
        self.velocities: list[tuple[float, ...]] = []
        self.moving: list[bool] = []
        self.commands: list[tuple[float, ...]] = []
        """(ms it came at, ms of the state that it answers, 1 where it ends a motion, 7 positions in rad, 7 Nm)."""

    @property
    def now_ms(self) -> int:
        return len(self.positions)

    def write(self, path: Path) -> None:
        np.savez(
            path,
            positions=np.array(self.positions),
            velocities=np.array(self.velocities),
            moving=np.array(self.moving),
            commands=np.array(self.commands).reshape(-1, 17),
        )


def main(path: Path) -> None:
    raise_priority()
    notes = Notes()
    with MujocoSimulator() as simulator:
        robot = simulator.add_robot()
        with SimulationServer(simulator) as server:
            link = server.robot_servers[0]
            take = link._handle_udp_command

            def note_command(data: bytes) -> None:
                command = _parsed(data)
                if command is not None:
                    notes.commands.append((notes.now_ms, *command))
                take(data)

            def note_state(_: MujocoSimulator) -> None:
                state = robot.inner_state
                notes.positions.append(state.q)
                notes.velocities.append(state.dq)
                notes.moving.append(link.current_motion_id > 0)

            link._handle_udp_command = note_command
            simulator.register_post_step_callback(note_state)
            ended = threading.Event()
            threading.Thread(target=_wait_for_end, args=(ended,), daemon=True).start()
            sys.stdout.write(f"{robot.hostname}\n")
            sys.stdout.flush()
            _keep_time(server, ended)
    notes.write(path)


def _keep_time(server: SimulationServer, ended: threading.Event) -> None:
    """A millisecond each millisecond: its own loop sleeps a millisecond after each step, and the arm would be slow."""
    due_s = time.monotonic()
    while not ended.is_set():
        server.run_once(realtime=False)
        now_s = time.monotonic()
        due_s = max(due_s + STEP_S, now_s - MAX_BEHIND_S)
        # The answer to a state needs a moment to come before the next one.
        time.sleep(max(due_s - now_s, SHORTEST_S))


def _wait_for_end(ended: threading.Event) -> None:
    sys.stdin.read()
    ended.set()


def _parsed(data: bytes) -> tuple[float, ...] | None:
    from franky_sim.franka_robot_protocol import UDPCommand

    command = UDPCommand.from_bytes(data)
    if command.message_id == 0:
        return None
    ends = command.motion_generation_finished or command.torque_command_finished
    return (float(command.message_id), float(ends), *command.q_c, *command.tau_J_d)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
