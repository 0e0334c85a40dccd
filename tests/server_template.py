"""A process that has loaded what the server loads, and from which the tests' servers are forked.

Loading it takes most of the 10 s of a slow core that a start takes, and a test run starts some two hundred servers.
What follows the imports is the same as under `python -m backend`, which `running(own_imports=True)` and the command
line's tests start.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from contextlib import suppress
from io import TextIOWrapper
from multiprocessing import connection, forkserver
from pathlib import Path

TEMPLATE = "loaded_server"
"""The module that the template begins with."""
TESTS = Path(__file__).parent
BEFORE_IMPORTS = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "HF_HUB_OFFLINE": "1",
    "PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS)]),
}
"""What the server sets before it loads these, and where the template's module is; here are folders of its rooms' names,
so that the rooms come first."""

_context = multiprocessing.get_context("forkserver")


class ForkedServer:
    """What tests use of `subprocess.Popen`, of a server that was forked."""

    def __init__(self, environment: dict[str, str]) -> None:
        _start_template()
        out, told = _context.Pipe(duplex=False)
        err, logged = _context.Pipe(duplex=False)
        self._process = _context.Process(target=_serve, args=(environment, told, logged))
        self._process.start()
        told.close()
        logged.close()
        self.stdout = _reading(out)
        self.stderr = _reading(err)
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        if (code := self.poll()) is None:
            raise subprocess.TimeoutExpired("a forked server", timeout)
        return code

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _start_template() -> None:
    own = dict(os.environ)
    os.environ.update(BEFORE_IMPORTS)
    try:
        _context.set_forkserver_preload([TEMPLATE])
        forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(own)


def _reading(pipe: connection.Connection) -> TextIOWrapper:
    file = os.fdopen(os.dup(pipe.fileno()), encoding="utf-8")
    pipe.close()
    return file


def _serve(environment: dict[str, str], told: connection.Connection, logged: connection.Connection) -> None:
    from backend.__main__ import main

    os.environ.clear()
    os.environ.update(environment)
    for pipe, number in ((told, 1), (logged, 2)):
        os.dup2(pipe.fileno(), number)
        pipe.close()
    # Those of the template may have been files, and are written to as files are.
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)
    sys.exit(main())
