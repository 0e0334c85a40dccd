"""A clip that Orrery made says how; one that it did not make is refused in words."""

import json
from pathlib import Path

import av
import numpy as np
import pytest

from backend.media import read_recipe, write_clip
from backend.media.recipe import recipe_text
from studio.errors import BadInput
from studio.requests import GenerateImage

FRAMES = np.zeros((3, 48, 64, 3), np.uint8)


@pytest.mark.parametrize("prompt", ["plain", 'quotes " and \\', "a\0b", "雪と☃", "x" * 65_536, "a=b;c#d\nline"])
def test_the_recipe_survives_in_the_clip_and_in_its_remux(tmp_path: Path, prompt: str):
    request = GenerateImage.model_validate({"prompt": prompt, "sampling": {"seed": 7}})
    write_clip(tmp_path / "a.mp4", FRAMES, fps=24, recipe=recipe_text(request, "speck"))
    with av.open(str(tmp_path / "a.mp4")) as came, av.open(str(tmp_path / "b.mp4"), "w") as went:
        went.metadata.update(came.metadata)
        stream = went.add_stream_from_template(came.streams.video[0])
        for packet in came.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                went.mux(packet)

    for name in ("a.mp4", "b.mp4"):
        assert read_recipe(tmp_path / name).request == request.model_copy(update={"checkpoint": "speck"})


@pytest.mark.parametrize(
    "comment",
    ["", "made with love", "[]", "3", "{}", '{"a": 1}', "[" * 100_000, json.dumps({"kind": "generate_image"})],
)
def test_a_comment_that_is_no_recipe_is_refused(tmp_path: Path, comment: str):
    write_clip(tmp_path / "a.mp4", FRAMES, fps=24, recipe=comment)

    with pytest.raises(BadInput):
        read_recipe(tmp_path / "a.mp4")


@pytest.mark.parametrize(
    "content", [b"", b"text", b"\x89PNG\r\n", b"\xff\xd8\xff\xe0", b"\x00\x00\x00\x18ftypmp42", b"\0" * 5000]
)
def test_a_file_that_is_neither_picture_nor_clip_is_refused(content: bytes, tmp_path: Path):
    (tmp_path / "a").write_bytes(content)

    with pytest.raises(BadInput, match="neither a PNG, an MP4 nor actions"):
        read_recipe(tmp_path / "a")
