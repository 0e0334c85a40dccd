from __future__ import annotations

import pytest
import torch
from transformers import Cosmos3OmniForConditionalGeneration

from pocket.train.shape import MAX_BYTES, POCKET, TOY
from pocket.train.sizes import build_untrained
from pocket_answers import answered_by_both
from pocket_pictures import drawn_by_diffusers, drawn_by_the_engine, drawn_by_the_modular_pipeline
from studio.errors import BadInput


def test_the_engine_and_diffusers_draw_the_same_picture_from_the_folder(untrained):
    ours = drawn_by_the_engine(untrained)
    assert ours.std() > 5
    for theirs in (drawn_by_diffusers(untrained), drawn_by_the_modular_pipeline(untrained)):
        assert abs(ours.astype(int) - theirs).max() <= 1


def test_transformers_reads_its_reasoner_and_writes_the_same_words(untrained):
    ours, theirs = answered_by_both(untrained, "what stands on the table?", 6)
    assert ours == theirs


def test_one_seed_is_one_checkpoint(untrained, tmp_path):
    build_untrained(tmp_path / "again", TOY)
    for path in untrained.rglob("*.*"):
        assert (tmp_path / "again" / path.relative_to(untrained)).read_bytes() == path.read_bytes(), path


def test_a_checkpoint_that_is_too_large_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(BadInput, match="at most 1,000 are allowed"):
        build_untrained(tmp_path / "toy", TOY, max_bytes=1000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_pocket_itself_fits_and_all_three_programs_agree_on_it(tmp_path):
    assert build_untrained(tmp_path / "pocket", POCKET) <= MAX_BYTES
    ours, theirs = drawn_by_the_engine(tmp_path / "pocket"), drawn_by_diffusers(tmp_path / "pocket")
    assert abs(ours.astype(int) - theirs).max() <= 1
    _, info = Cosmos3OmniForConditionalGeneration.from_pretrained(
        tmp_path / "pocket", dtype=torch.float32, output_loading_info=True
    )
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
