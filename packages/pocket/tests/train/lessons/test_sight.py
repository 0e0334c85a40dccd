from __future__ import annotations

import pytest
import torch

from engine.reasoner import Footage
from engine.reasoner.pixels import to_patches
from engine.speck.layout import write_processors
from pocket.train.assemble import CLIP_PIXELS, STILL_PIXELS
from pocket.train.codecs import fresh_sight
from pocket.train.lessons.sight import cut, look
from pocket.train.shape import TOY
from studio.sight import read_sight


@pytest.mark.parametrize("size", [(2, 96, 64), (4, 256, 256)])
def test_a_batch_is_seen_as_the_library_sees_one_picture_after_another(size):
    sight = fresh_sight(TOY).eval()
    frames = torch.randint(0, 256, (2, *size, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    grid = (size[0] // 2, size[1] // 16, size[2] // 16)
    with torch.no_grad():
        features, deep = look(sight, cut(frames), grid)
        theirs = sight(cut(frames).flatten(0, 1), grid_thw=torch.tensor([grid] * 2), return_dict=True)
    torch.testing.assert_close(features.flatten(0, 1), theirs.pooler_output, atol=1e-5, rtol=1e-4)
    assert len(deep) == len(theirs.deepstack_features)
    for ours, other in zip(deep, theirs.deepstack_features, strict=True):
        torch.testing.assert_close(ours.flatten(0, 1), other, atol=1e-5, rtol=1e-4)


def test_frames_are_cut_as_the_engine_cuts_them(tmp_path):
    write_processors(tmp_path, STILL_PIXELS, CLIP_PIXELS)
    frames = torch.randint(0, 256, (4, 64, 96, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    theirs = to_patches(Footage(frames.numpy(), (0.0, 0.1, 0.2, 0.3)), read_sight(tmp_path, is_edge=False), None, "")
    assert theirs.grid == (2, 4, 6)
    torch.testing.assert_close(cut(frames[None])[0], theirs.values, atol=1e-6, rtol=0)
