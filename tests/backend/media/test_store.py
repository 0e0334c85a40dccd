"""Files are whole or absent."""

import errno
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from backend.media import MediaStore, read_recipe
from studio.errors import BadInput, DiskFull, MediaNotFound, StorageError
from studio.requests import GenerateImage

PIXELS = np.random.default_rng(0).integers(0, 255, (48, 64, 3), dtype=np.uint8)
JOB = "0123456789ab"
CUBE = GenerateImage.model_validate({"prompt": "a red cube", "sampling": {"seed": 5}})


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path)


def test_pixels_come_back_as_they_were(store: MediaStore):
    reference = store.put_image(JOB, 0, PIXELS, CUBE, "speck")

    assert np.array_equal(np.asarray(Image.open(store.file(reference.id))), PIXELS)
    assert (reference.width, reference.height, reference.seed) == (64, 48, 5)
    assert store.thumbnail(reference.id).is_file()


def test_running_a_job_again_overwrites_its_files(store: MediaStore, tmp_path: Path):
    for _ in range(2):
        store.put_image(JOB, 0, PIXELS, CUBE, "speck")

    assert len(list(tmp_path.rglob("*.*"))) == 2


@pytest.mark.parametrize(
    ("code", "kind"), [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, StorageError)]
)
def test_a_disk_that_does_not_take_it_leaves_nothing_behind(
    store: MediaStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, kind: type[StorageError]
):
    def refuse(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)

    with pytest.raises(kind):
        store.put_image(JOB, 0, PIXELS, CUBE, "speck")

    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "name", ["", "..", "../../etc/passwd", f"{JOB}-0/..", f"{JOB}-0\n", f"{JOB}-9999", JOB.upper()]
)
def test_only_names_of_the_store_are_looked_for(store: MediaStore, name: str):
    with pytest.raises(MediaNotFound):
        store.file(name)


def test_a_file_deleted_on_disk_is_not_found(store: MediaStore):
    reference = store.put_image(JOB, 0, PIXELS, CUBE, "speck")
    store.file(reference.id).unlink()

    with pytest.raises(MediaNotFound):
        store.file(reference.id)


@pytest.mark.parametrize("prompt", ["plain", 'quotes " and \\', "a\0b", "雪と☃", "x" * 65_536, "${x}{{y}}<img>"])
def test_the_recipe_survives_in_the_picture(store: MediaStore, prompt: str):
    request = CUBE.model_copy(update={"prompt": prompt})

    reference = store.put_image(JOB, 0, PIXELS, request, "speck")

    assert read_recipe(store.file(reference.id)).request == request.model_copy(update={"checkpoint": "speck"})


@pytest.mark.parametrize("recipe", ["no json", "[]", json.dumps({"kind": "x"}), json.dumps({"kind": "generate_image"})])
def test_a_recipe_that_is_none_is_refused(recipe: str, tmp_path: Path):
    from PIL import PngImagePlugin

    chunks = PngImagePlugin.PngInfo()
    chunks.add_itxt("orrery", recipe)
    Image.fromarray(PIXELS).save(tmp_path / "a.png", "PNG", pnginfo=chunks)

    with pytest.raises(BadInput):
        read_recipe(tmp_path / "a.png")


def test_sweeping_removes_only_what_is_half_written(store: MediaStore, tmp_path: Path):
    reference = store.put_image(JOB, 0, PIXELS, CUBE, "speck")
    (tmp_path / "01" / "x.png.12.part").write_bytes(b"half")

    assert store.sweep() == 1
    assert store.file(reference.id).is_file()


def test_the_results_of_a_job_are_removed_whole_and_no_others(store: MediaStore, tmp_path: Path):
    other = store.put_image("0123456789ac", 0, PIXELS, CUBE, "speck")
    for index in (0, 11):
        store.put_image(JOB, index, PIXELS, CUBE, "speck")
        store.put_latents(JOB, index, {"vision": PIXELS})

    store.remove_results(JOB)

    assert {path.name.partition(".")[0] for path in tmp_path.glob("*/*")} == {other.id}
    store.remove_results("fedcba987654")  # it made nothing


def test_sweeping_takes_what_jobs_left_that_came_to_nothing(store: MediaStore, tmp_path: Path):
    left, kept = (store.put_image(job, 0, PIXELS, CUBE, "speck").id for job in (JOB, "0123456789ac"))
    store.put_latents(JOB, 0, {"vision": PIXELS})
    upload = store.put_upload(io.BytesIO(store.file(left).read_bytes())).id

    assert store.sweep({JOB, "0123456789ad"}) == 3  # a picture, its thumbnail, its latents

    assert {path.name.partition(".")[0] for path in tmp_path.glob("*/*")} == {kept, upload}
