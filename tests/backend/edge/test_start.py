"""A server that cannot start says so in one line and leaves with 2."""

import asyncio
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from backend.__main__ import Server, listen
from studio.data_folder import DataFolder, Hold
from studio.errors import DiskFull
from studio.settings import ServerSettings


def start(data: Path, before: Callable[[], None] | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("ORRERY_")}
    env |= {"ORRERY_PORT": "0", "ORRERY_DATA": str(data), "ORRERY_CHECKPOINT": "speck", **environment}
    command = [sys.executable, "-m", "backend"]
    return subprocess.run(command, env=env, text=True, capture_output=True, timeout=120, check=False, preexec_fn=before)


def no_file_may_grow() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def preset_folder(data: Path) -> None:
    (data / "presets" / "mine.toml").mkdir(parents=True)


def dangling_shard(data: Path) -> None:
    speck = data / "checkpoints" / "speck"
    for name in ("model_index.json", "transformer/config.json", "vae/config.json", "scheduler/scheduler_config.json"):
        (speck / name).parent.mkdir(parents=True, exist_ok=True)
        (speck / name).write_text("{}")
    (speck / "text_tokenizer").mkdir()
    (speck / "text_tokenizer" / "tokenizer_config.json").write_text("{}")
    (speck / "transformer" / "model.safetensors").symlink_to("gone")


def read_only_media(data: Path) -> None:
    (data / "media").symlink_to("/proc/self")


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (preset_folder, "The preset mine.toml cannot be read: Is a directory."),
        (dangling_shard, "model.safetensors cannot be read: No such file or directory."),
        (read_only_media, "media cannot be written"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, prepare: Callable[[Path], None], says: str):
    prepare(tmp_path)

    ended = start(tmp_path)

    assert ended.returncode == 2
    assert says in ended.stderr
    assert ended.stderr.startswith("orrery: ")
    assert ended.stderr.count("\n") == 1


def test_a_disk_that_takes_nothing_is_said_in_one_line(tmp_path: Path):
    ended = start(tmp_path, before=no_file_may_grow)

    assert ended.returncode == 2
    assert "server.json cannot be written" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_token_that_no_header_carries_is_refused_at_start(tmp_path: Path):
    ended = start(tmp_path, ORRERY_TOKEN="schlüssel")

    assert ended.returncode == 2
    assert ended.stderr.startswith("orrery: token: ")
    assert "schlüssel" not in ended.stderr


class Lifespan:
    """An application that keeps what it was told about its life."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while not self.told or self.told[-1] != "lifespan.shutdown":
            self.told.append((await receive())["type"])
            await send({"type": f"{self.told[-1]}.complete"})


class FullDisk(Hold):
    """A hold that was taken before the disk filled up."""

    def announce(self, url: str) -> None:
        if url:
            raise DiskFull("No room.")
        super().announce(url)


def test_a_disk_that_fills_up_at_the_last_moment_still_lets_the_server_close(tmp_path: Path):
    hold, life = FullDisk(DataFolder(tmp_path)), Lifespan()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(uvicorn.Config(life, log_level="error"), "http://a", hold, "http://b")
        with pytest.raises(DiskFull):
            asyncio.run(server.serve(sockets=[listener]))
    hold.release()

    assert life.told == ["lifespan.startup", "lifespan.shutdown"]


def test_an_answer_on_a_kept_connection_does_not_wait_for_its_head_to_be_acknowledged():
    """asyncio turns Nagle's algorithm off for sockets that say their protocol, and for no others."""
    with listen(ServerSettings(port=0)) as listener:
        assert listener.proto == socket.IPPROTO_TCP
