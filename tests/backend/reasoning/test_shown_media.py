"""From addresses to files: data URIs, the store's ids, allowed folders."""

import asyncio
import base64
import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.media import MediaStore
from backend.reasoning.shown_media import LaidOut, Shown, ShownMedia
from studio.errors import BadInput, MediaNotFound, StudioError
from studio.settings import ServerSettings


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path / "media")


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    folder = tmp_path / "clips"
    folder.mkdir()
    (folder / "a clip.mp4").write_bytes(b"clip")
    (tmp_path / "secret.mp4").write_bytes(b"secret")
    return folder


@pytest.fixture
def lay(store: MediaStore, tmp_path: Path, clips: Path) -> Callable[..., LaidOut]:
    settings = ServerSettings(allowed_media_folders=str(clips))

    def run(*addresses: str) -> LaidOut:
        media = ShownMedia(store, tmp_path / "media", settings)
        return asyncio.run(media.lay_out([Shown("here", address) for address in addresses], ("orrery.lab:7860",)))

    return run


def left(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "media" / "incoming").glob("*"))


def test_a_data_uri_is_a_file_until_it_is_closed(lay: Callable[..., LaidOut], tmp_path: Path):
    address = f"data:image/png;base64,{base64.b64encode(b'picture').decode()}"

    laid = lay(address, address)

    (path,) = laid.files.values()
    assert path.read_bytes() == b"picture"
    assert list(laid.files) == [laid.ids[address]]
    laid.close()
    assert not left(tmp_path)


@pytest.mark.parametrize("form", ["{id}", "media:{id}", "/v1/media/{id}", "http://orrery.lab:7860/v1/media/{id}"])
def test_what_the_store_has_is_named_in_any_form(
    lay: Callable[..., LaidOut], store: MediaStore, make_picture: Callable[..., bytes], form: str
):
    name = store.put_upload(io.BytesIO(make_picture())).id

    assert lay(form.format(id=name)).files == {name: store.file(name)}


def test_a_file_in_an_allowed_folder_is_read_where_it_lies(lay: Callable[..., LaidOut], clips: Path):
    path = clips / "a clip.mp4"

    laid = lay(path.as_uri())

    assert list(laid.files.values()) == [path]
    laid.close()
    assert path.exists()


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "file:///etc/nothing-there",
        "file://{clips}/../secret.mp4",
        "file://{clips}/%2e%2e/secret.mp4",
        "file://{clips}/link.mp4",
        "file://{clips}x/secret.mp4",
        "file://elsewhere{clips}/a%20clip.mp4",
        "file://{clips}/%00",
        "file:",
    ],
)
def test_a_path_outside_is_refused_alike_whether_something_is_there(
    lay: Callable[..., LaidOut], clips: Path, address: str
):
    (clips / "link.mp4").symlink_to(clips.parent / "secret.mp4")

    with pytest.raises(BadInput, match="not in a folder") as refused:
        lay(address.format(clips=clips))

    assert refused.value.param == "here"


@pytest.mark.parametrize("make", [lambda path: None, os.mkfifo, Path.mkdir], ids=["nothing", "pipe", "folder"])
def test_inside_only_a_file_is_a_file(lay: Callable[..., LaidOut], clips: Path, make: Callable[[Path], object]):
    make(clips / "odd")

    with pytest.raises(MediaNotFound):
        lay((clips / "odd").as_uri())


@pytest.mark.parametrize(
    ("address", "error", "why"),
    [
        ("u0123456789abcdef", MediaNotFound, "u0123456789abcdef"),
        ("data:image/png,plain", BadInput, "base64"),
        ("data:image/png;base64,", BadInput, "empty"),
        ("data:image/png;base64,?", BadInput, "base64"),
        ("data:image/png;base64,AAA", BadInput, "base64"),
        ("data:", BadInput, "base64"),
        ("ftp://somewhere/a.png", BadInput, "not a URL"),
        ("picture.png", BadInput, "not a URL"),
        ("http://other.lab/v1/media/u0123456789abcdef", BadInput, "does not fetch remote media"),
        ("https://somewhere/a.png", BadInput, "--allow-remote-media"),
    ],
)
def test_what_is_no_address_here_says_why_and_leaves_nothing(
    lay: Callable[..., LaidOut], tmp_path: Path, address: str, error: type[StudioError], why: str
):
    good = f"data:image/png;base64,{base64.b64encode(b'picture').decode()}"

    with pytest.raises(error) as refused:
        lay(good, address)

    assert why in str(refused.value)
    assert not left(tmp_path)
