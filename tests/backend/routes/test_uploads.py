"""Clips, latents and uploads in the store: whole or absent, named by job or by content."""

import errno
import hashlib
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray
from PIL import Image

from backend.media import MediaStore, inspect_upload, read_recipe, write_clip
from backend.media.file_names import mime_of
from studio.errors import BadInput, DiskFull, EngineError, MediaNotFound, StorageError
from studio.media import MediaReference
from studio.requests import GenerateImage

JOB = "0123456789ab"
CUBE = GenerateImage.model_validate({"prompt": "a red cube", "sampling": {"seed": 5}})
FRAMES = np.random.default_rng(0).integers(0, 256, (9, 48, 64, 3), dtype=np.uint8)


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def png(level: int = 0) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (640, 400), (level, 10, 20)).save(buffer, "PNG")
    return buffer.getvalue()


def test_a_clip_comes_back_with_its_facts_its_recipe_and_a_thumbnail(store: MediaStore, tmp_path: Path):
    sound = np.zeros((2, 18_000), np.float32)

    reference = store.put_clip(JOB, 3, FRAMES, CUBE, "speck", fps=24, sound=sound)

    path = store.file(reference.id)
    assert (reference.id, reference.type, reference.mime) == (f"{JOB}-3", "video", "video/mp4")
    assert (reference.width, reference.height, reference.num_frames, reference.fps) == (64, 48, 9, 24.0)
    assert (reference.duration_s, reference.has_sound, reference.seed) == (0.375, True, 5)
    assert (reference.size_bytes, reference.sha256) == (
        path.stat().st_size,
        hashlib.sha256(path.read_bytes()).hexdigest(),
    )
    assert store.facts(reference.id) == inspect_upload(path)
    assert read_recipe(path).request == CUBE.model_copy(update={"checkpoint": "speck"})
    with Image.open(store.thumbnail(reference.id)) as small:
        assert (small.format, small.size) == ("WEBP", (64, 48))
    assert len(files(tmp_path)) == 2


def test_the_thumbnail_is_the_middle_frame(store: MediaStore):
    frames = [np.full((48, 64, 3), level, np.uint8) for level in (20, 60, 100, 140, 180)]

    reference = store.put_clip(JOB, 0, frames, CUBE, "speck", fps=10)

    with Image.open(store.thumbnail(reference.id)) as small:
        assert abs(np.asarray(small).mean() - 100) < 4


def test_latents_lie_beside_their_clip(store: MediaStore):
    tensors = {"vision": np.arange(24, dtype=np.float32).reshape(2, 3, 4).transpose(2, 0, 1), "sound": np.ones((2, 5))}
    clip = store.put_clip(JOB, 0, FRAMES, CUBE, "speck", fps=24)

    reference = store.put_latents(JOB, 0, tensors)

    assert (reference.id, reference.type, reference.width) == (f"{JOB}-0-latents", "latents", None)
    assert reference.thumbnail_url is None
    read = safetensors.numpy.load_file(store.file(reference.id))
    assert {name: array.tolist() for name, array in read.items()} == {
        name: array.tolist() for name, array in tensors.items()
    }
    assert store.file(clip.id).suffix == ".mp4"
    with pytest.raises(MediaNotFound):
        store.thumbnail(reference.id)


def test_an_upload_is_named_by_its_content_and_kept_once(store: MediaStore, tmp_path: Path):
    content = png()

    first, second = (store.put_upload(io.BytesIO(content)) for _ in range(2))

    assert first == second
    assert first.id == f"u{hashlib.sha256(content).hexdigest()[:16]}"
    assert (first.type, first.mime, first.width, first.height, first.seed) == ("image", "image/png", 640, 400, None)
    assert store.file(first.id).read_bytes() == content
    with Image.open(store.thumbnail(first.id)) as small:
        assert small.size == (320, 200)
    assert len(files(tmp_path)) == 2


def test_an_uploaded_clip_has_its_facts(store: MediaStore, tmp_path: Path):
    write_clip(tmp_path / "a.mp4", FRAMES, fps=15)

    reference = store.put_upload(io.BytesIO((tmp_path / "a.mp4").read_bytes()))

    assert (reference.type, reference.num_frames, reference.fps, reference.has_sound) == ("video", 9, 15.0, False)


@pytest.mark.parametrize(("kind", "mime"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")])
def test_an_upload_is_served_as_what_it_was_decoded_as(store: MediaStore, kind: str, mime: str):
    buffer = io.BytesIO()
    Image.new("RGB", (20, 20), "red").save(buffer, kind)
    content = buffer.getvalue() + b"<script>alert(1)</script>"

    reference = store.put_upload(io.BytesIO(content))

    assert reference.mime == mime == mime_of(store.file(reference.id))
    assert store.file(reference.id).read_bytes() == content


@pytest.mark.parametrize("content", [b"", b"text", b"<svg/>", png()[:-40], b"\x00\x00\x00\x18ftypmp42"])
def test_a_refused_upload_leaves_nothing_behind(store: MediaStore, tmp_path: Path, content: bytes):
    with pytest.raises(BadInput):
        store.put_upload(io.BytesIO(content))

    assert not files(tmp_path)


def test_many_uploads_of_one_file_at_once_are_one(store: MediaStore, tmp_path: Path):
    references: list[MediaReference] = []
    threads = [
        threading.Thread(target=lambda: references.append(store.put_upload(io.BytesIO(png())))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert len(references) == 8
    assert len(set(references)) == 1
    assert len(files(tmp_path)) == 2


@pytest.mark.parametrize(
    ("code", "kind"), [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, StorageError)]
)
@pytest.mark.parametrize(
    "put",
    [
        lambda store: store.put_clip(JOB, 0, FRAMES, CUBE, "speck", fps=24),
        lambda store: store.put_latents(JOB, 0, {"vision": np.ones(3)}),
        lambda store: store.put_upload(io.BytesIO(png())),
    ],
    ids=["clip", "latents", "upload"],
)
def test_a_disk_that_does_not_take_it_leaves_nothing_behind(
    store: MediaStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    put: Callable[[MediaStore], MediaReference],
    code: int,
    kind: type[StorageError],
):
    def refuse(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)

    with pytest.raises(kind):
        put(store)

    assert not files(tmp_path)


def test_an_engine_that_gives_up_in_the_middle_leaves_nothing_behind(store: MediaStore, tmp_path: Path):
    def frames() -> Iterator[NDArray[np.uint8]]:
        yield from FRAMES
        raise EngineError("The engine gave up.")

    with pytest.raises(EngineError):
        store.put_clip(JOB, 0, frames(), CUBE, "speck", fps=24)

    assert not files(tmp_path)


def test_a_clip_is_not_served_before_it_is_whole(store: MediaStore):
    seen: list[bool] = []

    def is_served() -> bool:
        try:
            return store.file(f"{JOB}-0").is_file()
        except MediaNotFound:
            return False

    def frames() -> Iterator[NDArray[np.uint8]]:
        for frame in FRAMES:
            seen.append(is_served())
            yield frame

    store.put_clip(JOB, 0, frames(), CUBE, "speck", fps=24)

    assert seen == [False] * 9
    assert is_served()


KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from backend.media import MediaStore
from studio.requests import GenerateImage
def frames():
    for index in range(1000):
        if index == 200:
            os.kill(os.getpid(), signal.SIGKILL)
        yield np.random.default_rng(index).integers(0, 256, (48, 64, 3), dtype=np.uint8)
cube = GenerateImage.model_validate({"prompt": "a red cube", "sampling": {"seed": 5}})
MediaStore(Path(sys.argv[1])).put_clip("0123456789ab", 0, frames(), cube, "speck", fps=24)
"""


def test_a_process_killed_while_it_writes_leaves_no_clip_and_is_swept(store: MediaStore, tmp_path: Path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], timeout=60, check=False)

    assert done.returncode == -signal.SIGKILL
    assert files(tmp_path)
    with pytest.raises(MediaNotFound):
        store.file(f"{JOB}-0")
    assert store.sweep() == 1
    assert not files(tmp_path)


@pytest.mark.parametrize("name", ["u0123456789abcde", "u0123456789abcdeF", "../x", f"{JOB}-0-latents/..", "incoming"])
def test_only_names_of_the_store_are_looked_for(store: MediaStore, name: str):
    for look in (store.file, store.thumbnail, store.facts):
        with pytest.raises(MediaNotFound):
            look(name)


def test_references_stored_before_there_were_clips_still_read():
    row: dict[str, Any] = {
        "id": f"{JOB}-0",
        "type": "image",
        "mime": "image/png",
        "width": 64,
        "height": 48,
        "size_bytes": 9,
        "sha256": "ab",
        "seed": 5,
        "url": f"/v1/media/{JOB}-0",
        "thumbnail_url": f"/v1/media/{JOB}-0/thumbnail",
    }

    reference = MediaReference.model_validate(row)

    assert (reference.seed, reference.num_frames) == (5, None)
