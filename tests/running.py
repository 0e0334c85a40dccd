"""A real server as a process, for tests that need one."""

import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from server_template import ForkedServer

START_S = 120
JOB_S = 240
STOP_S = 60
LISTENING = "orrery listening on "
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Given with every request: httpx would load this machine's certificates anew for each, 55 ms of a core in which the
server and its jobs could have gone on."""


class RunningServer:
    """A server on a free port, with speck unless it is told otherwise; its log is kept.

    With `own_imports` it is `python -m backend`, started in `folder`; else it is forked from one that has loaded its
    modules, and has what they read of the environment.
    """

    def __init__(
        self, data: Path, *, own_imports: bool = False, folder: Path | None = None, **environment: str
    ) -> None:
        self.data = data
        self.own_imports = own_imports
        self.folder = folder
        self.environment = environment
        self.process: subprocess.Popen[str] | ForkedServer | None = None
        self._reader: threading.Thread | None = None
        self.url = ""
        self.log: list[str] = []

    def start(self) -> "RunningServer":
        """Start, and return once it answers."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("ORRERY_")}
        env |= {"ORRERY_PORT": "0", "ORRERY_DATA": str(self.data), "ORRERY_CHECKPOINT": "speck", **self.environment}
        self.process = self._execute(env) if self.own_imports else ForkedServer(env)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._reader = threading.Thread(target=self._keep, args=(self.process.stderr,), daemon=True)
        self._reader.start()
        line = self.process.stdout.readline()
        if not line.startswith(LISTENING):
            self.kill()
            raise AssertionError("\n".join(["the server did not start:", line, *self.log]))
        self.url = line.removeprefix(LISTENING).strip()
        return self

    def _execute(self, env: dict[str, str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "backend"],
            env=env,
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def _keep(self, stream: Any) -> None:
        for line in stream:
            self.log.append(line.rstrip())

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(STOP_S)
        self._close()

    def stop(self) -> int:
        """SIGTERM, as a person or an init system would."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(STOP_S)
        self._close()
        return code

    def _close(self) -> None:
        assert self.process is not None
        assert self._reader is not None
        # It reads to the end: a stream that is closed under it would break it, and its last lines were lost.
        self._reader.join(STOP_S)
        assert not self._reader.is_alive()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def get(self, path: str, **options: Any) -> httpx.Response:
        return httpx.get(self.url + path, timeout=120, verify=NO_TLS, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return httpx.post(self.url + path, timeout=120, verify=NO_TLS, **options)

    def put(self, path: str, **options: Any) -> httpx.Response:
        return httpx.put(self.url + path, timeout=120, verify=NO_TLS, **options)

    def delete(self, path: str, **options: Any) -> httpx.Response:
        return httpx.delete(self.url + path, timeout=120, verify=NO_TLS, **options)

    def submit(self, **fields: Any) -> dict[str, Any]:
        answer = self.post("/v1/jobs", json={"kind": "generate_image", "prompt": "a red cube", **fields})
        assert answer.status_code == 202, answer.text
        return answer.json()

    def job(self, job_id: str) -> dict[str, Any]:
        return self.get(f"/v1/jobs/{job_id}").json()

    def wait_job(self, job_id: str, until: Callable[[dict[str, Any]], bool] | None = None) -> dict[str, Any]:
        """Poll until a job has ended, or until something holds."""
        holds = until or (lambda job: job["state"] in ("succeeded", "failed", "cancelled"))
        return wait_for(lambda: (lambda job: job if holds(job) else None)(self.job(job_id)), JOB_S)

    def settle(self) -> None:
        """Take back what other tests have left waiting, and wait until nothing runs: nothing is made beside a test."""
        self.delete("/v1/queue")
        wait_for(lambda: self.get("/v1/queue").json()["num_running"] == 0, JOB_S)

    def wait_ready(self) -> None:
        wait_for(lambda: self.get("/readyz").status_code == 200, START_S)

    def worker_pid(self) -> int:
        """The worker, found as the child it is; one that has died and is not yet reaped is not taken for the next."""
        process = self.process
        assert process is not None

        def worker() -> int | None:
            workers = (pid for pid in children(process.pid) if "backend.worker" in about(pid, "cmdline"))
            return next(filter(is_alive, workers), None)

        return wait_for(worker, START_S)

    def tracebacks(self) -> list[str]:
        """What the log says that nobody foresaw, each with what follows it."""
        starts = [number for number, line in enumerate(self.log) if "Traceback" in line]
        return ["\n".join(self.log[max(0, start - 2) : start + 40]) for start in starts]

    def events(self) -> list[dict[str, Any]]:
        """What the structured log says."""
        return [json.loads(line) for line in self.log if line.startswith("{")]


def about(pid: int, what: str) -> str:
    """What /proc says of a process; nothing of one that is gone, or goes while its file is read."""
    try:
        return Path(f"/proc/{pid}/{what}").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def children(pid: int) -> list[int]:
    """Child processes."""
    return [int(child) for child in about(pid, f"task/{pid}/children").split()]


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    state = about(pid, "stat").rpartition(")")[2].split()
    return bool(state) and state[0] != "Z"


def wait_for(look: Callable[[], Any], limit_s: float) -> Any:
    """What `look` returns once it is true. It looks ever more seldom: what is waited for needs the cores itself."""
    deadline = time.monotonic() + limit_s
    pause_s = 0.02
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"nothing within {limit_s} s"
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.3, 0.25)


@contextmanager
def running(data: Path, *, own_imports: bool = False, **environment: str) -> Iterator[RunningServer]:
    """A server for a while."""
    server = RunningServer(data, own_imports=own_imports, **environment).start()
    try:
        yield server
    finally:
        if server.process is not None and server.process.poll() is None:
            server.stop()
