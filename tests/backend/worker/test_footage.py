"""What a conversation shows, as the decoder shrinks it and as the engine would."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from backend.media import MediaStore
from backend.worker.footage import Looking, read_footage
from engine import Engine
from engine.reasoner import Footage
from engine.reasoner.pixels import to_patches
from engine.speck import build_speck
from studio.requests import Reason
from studio.sight import bounds_of

CLIP = "u0000000000000001"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("checkpoints") / "speck"
    build_speck(folder)
    return Engine.load(folder, device="cpu")


def unshrunk(width: int, height: int, num_frames: int, request: Reason) -> tuple[int, int]:
    return width, height


@pytest.mark.parametrize(
    ("width", "height", "asked"),
    [
        (640, 360, {}),
        (360, 640, {}),
        (640, 360, {"max_pixels": 40_000}),
        (642, 362, {"video_fps": 12.0}),
        (64, 32, {}),
    ],
    ids=["wide", "tall", "bounded", "many frames", "small"],
)
def test_frames_shrunk_where_they_are_decoded_look_as_the_engine_shrinks_them(
    engine: Engine,
    tmp_path: Path,
    make_clip: Callable[..., bytes],
    width: int,
    height: int,
    asked: dict[str, Any],
):
    clip, store, sight = tmp_path / "clip", MediaStore(tmp_path), engine.chat.writer.sight
    assert sight is not None
    clip.write_bytes(make_clip(num_frames=25, width=width, height=height))
    shown = [{"type": "video", "video": CLIP}, {"type": "text", "text": "hm?"}]
    request = Reason.model_validate({"messages": [{"role": "user", "content": shown}], **asked})

    def read(seen_size: Callable[[int, int, int, Reason], tuple[int, int]]) -> Footage:
        looking = Looking(engine.choose_frames, seen_size)
        return read_footage(request, {CLIP: clip}, store, looking, lambda: None)[CLIP]

    full, shrunk = read(unshrunk), read(engine.chat.seen_size)
    bounds = bounds_of(request, sight, is_clip=True)
    expected, found = (to_patches(footage, sight, bounds, "video") for footage in (full, shrunk))

    assert full.frames.shape[1:3] == (height, width)
    assert (shrunk.frames.size < full.frames.size) == (width > 64)
    assert (found.grid, found.times_s, found.digest) == (expected.grid, expected.times_s, expected.digest)
    assert torch.equal(found.values, expected.values)
