"""SAM 2 through transformers, with tiny random weights: the plumbing; what it recognises is not ours."""

import numpy as np
import pytest
import torch

from engine.perception import ObjectModel, objects
from engine.perception.objects import distinct
from tiny_perception import write_object_model

CPU = torch.device("cpu")
FRAME = np.random.default_rng(0).integers(0, 255, (48, 80, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ObjectModel:
    return ObjectModel.load(write_object_model(tmp_path_factory.mktemp("sam2")), CPU)


def test_objects_of_the_first_frame_are_followed_through_a_long_video(model: ObjectModel):
    first = np.zeros((2, 48, 80), bool)
    first[0, :30], first[1, 35:, 20:] = True, True
    following = model.follow(first)

    seen = [following.next(FRAME) for _ in range(18)]

    # The masks of the first frame are taken as they are, but for the model's coarser grid.
    assert ((seen[0] & first).sum((1, 2)) / (seen[0] | first).sum((1, 2))).min() > 0.8
    assert all((masks.shape, masks.dtype) == ((2, 48, 80), np.bool_) for masks in seen)


def test_without_an_object_nothing_is_followed(model: ObjectModel):
    following = model.follow(np.zeros((0, 48, 80), bool))
    assert following.next(FRAME).shape == (0, 48, 80)


def test_what_the_model_is_not_sure_of_is_no_object(model: ObjectModel, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(objects, "MIN_PREDICTED_IOU", float("inf"))
    assert model.find(FRAME).shape == (0, 48, 80)


def test_objects_come_by_their_size_and_not_too_many(model: ObjectModel, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(objects, "MIN_PREDICTED_IOU", -float("inf"))
    monkeypatch.setattr(objects, "MIN_STABILITY", -1.0)
    monkeypatch.setattr(objects, "MAX_OBJECTS", 2)
    assert len(model.find(FRAME)) <= 2


def test_a_copy_of_a_better_mask_is_left_out_and_the_larger_comes_first():
    row = torch.tensor([[1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1]], dtype=torch.bool)
    # The first two share 3 of 4 pixels, more than 0.7, and the second one's score is better.
    assert distinct(row[:, None], torch.tensor([0.8, 0.9, 0.95])) == [1, 2]
