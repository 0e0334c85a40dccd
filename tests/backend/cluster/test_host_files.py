"""Files of a host: sent in pieces, checked, brought back."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.cluster import host_files
from backend.cluster.host import Host
from backend.cluster.host_files import HostFiles
from backend.cluster.transfer import bring, send
from backend.media import MediaStore
from studio.errors import StorageError
from studio.requests import GenerateImage

JOB = "abcdef012345"


def host_of(files: HostFiles, calls: list[str]) -> Host:
    async def ask(method: str, *arguments: Any) -> Any:
        calls.append(method)
        return getattr(files, method)(*arguments)

    facts: Any = type("Facts", (), {"name": "there"})
    return Host(ask, facts, near=False)


def test_a_file_arrives_in_pieces_and_is_sent_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("backend.cluster.transfer.PIECE_BYTES", 1000)
    source, calls = tmp_path / "source.png", list[str]()
    source.write_bytes(np.random.default_rng(0).bytes(2500))
    host = host_of(HostFiles(tmp_path / "there"), calls)

    async def run() -> None:
        for _ in range(2):
            await send(host, {"media/ab/source.png": source})

    asyncio.run(run())
    assert (tmp_path / "there/media/ab/source.png").read_bytes() == source.read_bytes()
    assert calls == ["missing", "write", "write", "write", "seal", "missing"]
    assert [path.name for path in (tmp_path / "there").rglob("*") if path.is_file()] == ["source.png"]


def test_what_did_not_arrive_as_it_was_sent_is_refused_and_gone(tmp_path: Path):
    files = HostFiles(tmp_path)
    files.write("media/ab/x.png", 0, b"something")

    with pytest.raises(StorageError, match="did not arrive"):
        files.seal("media/ab/x.png", hashlib.sha256(b"something else").hexdigest())

    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_call_that_is_made_again_changes_nothing(tmp_path: Path):
    files, sha256 = HostFiles(tmp_path), hashlib.sha256(b"abcdef").hexdigest()
    for _ in range(2):
        files.write("x", 0, b"abc")
        files.write("x", 3, b"def")
    for _ in range(2):
        files.seal("x", sha256)
    assert (tmp_path / "x").read_bytes() == b"abcdef"
    assert files.missing({"x": sha256}) == []
    assert files.missing({"x": "0" * 64}) == ["x"]


def test_the_least_recently_used_files_go_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(host_files, "MAX_KEPT_BYTES", 25)
    files, hashes = HostFiles(tmp_path), {}
    for name in ("first", "second", "third"):
        files.write(name, 0, name.encode() * 2)
        hashes[name] = hashlib.sha256(name.encode() * 2).hexdigest()
        files.seal(name, hashes[name])
    assert files.missing({"first": hashes["first"]}) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "third"]


def test_results_come_whole_with_their_thumbnails_and_are_erased_there(tmp_path: Path):
    there, here, calls = tmp_path / "there", tmp_path / "here", list[str]()
    pixels = np.zeros((32, 32, 3), np.uint8)
    result = MediaStore(there / "media").put_image(JOB, 0, pixels, GenerateImage(prompt="a cube"), "speck")
    names = sorted(str(path.relative_to(there)) for path in there.rglob("*") if path.is_file())

    num_bytes = asyncio.run(bring(host_of(HostFiles(there), calls), JOB, [result], here))

    assert sorted(str(path.relative_to(here)) for path in here.rglob("*") if path.is_file()) == names
    assert hashlib.sha256(MediaStore(here / "media").file(f"{JOB}-0").read_bytes()).hexdigest() == result.sha256
    assert not [path for path in there.rglob("*") if path.is_file()]
    assert num_bytes > 0


def test_a_result_that_changed_on_its_way_fails_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    there, here = tmp_path / "there", tmp_path / "here"
    pixels = np.zeros((32, 32, 3), np.uint8)
    result = MediaStore(there / "media").put_image(JOB, 0, pixels, GenerateImage(prompt="a cube"), "speck")
    files = HostFiles(there)
    monkeypatch.setattr(files, "read", lambda name, offset: b"x" * 10**6)

    with pytest.raises(StorageError, match="did not arrive"):
        asyncio.run(bring(host_of(files, []), JOB, [result], here))

    assert not [path for path in here.rglob("*") if path.is_file()]
