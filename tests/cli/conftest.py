"""The command line, called in this process or run as a real one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from cli import main
from fake_server import anyio_backend, clean_environment, fake_server, silent_port, switchboard
from scripted_endpoint import ScriptedEndpoint, scripted_endpoint
from studio.checkpoints import find_checkpoint
from studio.presets import load_presets

__all__ = ["anyio_backend", "clean_environment", "fake_server", "silent_port", "switchboard"]

Orrery = Callable[..., Result]


@pytest.fixture
def offered() -> list[str]:
    """Ids of the presets that are listed: not what ships, as long as it does not."""
    presets = load_presets()
    here = {name for name in presets if find_checkpoint(name, presets, Path("nowhere")).installed}
    return [name for name, preset in presets.items() if name in here or not preset.ships]


@pytest.fixture
def orrery() -> Orrery:
    """Call a command in this process."""
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def refused(orrery) -> Callable[..., str]:
    """Call a command that must fail as a person is owed it: one line, exit code 2, nothing on stdout."""

    def call(*words: object) -> str:
        result = orrery(*words)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert result.stderr.startswith("orrery: ")
        assert result.stderr.count("\n") == 1
        return result.stderr

    return call


@pytest.fixture
def spawn():
    """Start a command as a process; whatever still runs at the end is killed.

    Ctrl+C reaches it as in a terminal, also when these tests run in the background of a shell, which ignores it.
    """
    running: list[subprocess.Popen[bytes]] = []

    def start(*words: object, **options) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", "from cli import main; main()", *map(str, words)]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        streams["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
        running.append(subprocess.Popen(command, **{**streams, "env": dict(os.environ), **options}))
        return running[-1]

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=60)


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    """An OpenAI-compatible server that answers what a test wrote."""
    with scripted_endpoint() as scripted:
        yield scripted


@pytest.fixture
def write_clip() -> Callable[..., Path]:
    """Write a clip in which a pattern of blocks moves to the right."""

    def write(path: Path, num_frames: int, *, fps: int = 10, size: tuple[int, int] = (160, 96)) -> Path:
        width, height = size
        blocks = np.random.default_rng(0).integers(0, 255, (height // 8, width // 8, 3), np.uint8)
        pattern = blocks.repeat(8, 0).repeat(8, 1)
        with av.open(str(path), "w") as container:
            stream = container.add_stream("libx264", rate=fps)
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            for index in range(num_frames):
                container.mux(stream.encode(av.VideoFrame.from_ndarray(np.roll(pattern, 4 * index, 1))))
            container.mux(stream.encode())
        return path

    return write


@pytest.fixture
def write_picture() -> Callable[..., Path]:
    """Write a picture of noise."""

    def write(path: Path, size: tuple[int, int] = (128, 96)) -> Path:
        width, height = size
        Image.fromarray(np.random.default_rng(1).integers(0, 255, (height, width, 3), np.uint8)).save(path)
        return path

    return write
