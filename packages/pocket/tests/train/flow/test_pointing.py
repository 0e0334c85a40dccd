"""What a policy is asked besides: where things are, of its state's token and of each part of its picture."""

import torch

from pocket.train.acting import NUM_PLACES
from pocket.train.flow.pointing import NUM_COLOURS, Pointer, pointing_error, shown_where
from robot.simulation.arrangement import COLOURS

GRID = (7, 8)
RED, BLUE = (1 + list(COLOURS).index(name) for name in ("red", "blue"))


def nowhere(count: int) -> torch.Tensor:
    return torch.full((count, NUM_PLACES, 3), torch.nan)


def test_pointing_counts_what_is_there_and_nothing_else():
    places = nowhere(2)
    places[0, 0], places[0, 2] = 1.0, 2.0
    said = torch.zeros(2, NUM_PLACES * 3, requires_grad=True)
    loss, named = pointing_error(said, places)
    assert (loss.item(), named.item()) == (1.0 + 4.0, 1.0)
    loss.backward()
    assert said.grad is not None
    assert said.grad.isfinite().all()


def test_a_thing_is_shown_once_by_each_exterior_camera_and_not_asked_of_the_wrists():
    places = nowhere(2)
    places[0, RED] = torch.tensor([0.0, 0.0, -0.8])
    shown = shown_where(places, GRID)
    assert shown.shape == (2, GRID[0] * GRID[1], NUM_COLOURS)
    assert shown.unflatten(1, GRID)[:, 4:].isnan().all()
    parts = shown[0, :, RED - 1].nan_to_num().nonzero()[:, 0].tolist()
    assert len(parts) == 2
    assert sorted(part % GRID[1] // 4 for part in parts) == [0, 1], "one in the left view, one in the right"
    assert shown.nansum() == 2


def test_what_lies_farther_left_for_the_arm_is_shown_farther_left_by_both():
    places = nowhere(1)
    places[0, RED], places[0, BLUE] = torch.tensor([0.0, 1.6, -0.8]), torch.tensor([0.0, -1.6, -0.8])
    parts = shown_where(places, GRID)[0].nan_to_num().unflatten(0, GRID)
    red, blue = (parts[..., colour - 1].nonzero()[:, 1].tolist() for colour in (RED, BLUE))
    assert len(red) == len(blue) == 2
    assert all(left < right for left, right in zip(sorted(red), sorted(blue), strict=True))


def test_a_pointer_that_is_right_is_told_so_and_one_that_marks_nothing_is_not():
    places = nowhere(1)
    places[0, RED] = torch.tensor([0.5, -0.5, -0.8])
    shown = shown_where(places, GRID)
    pointer = Pointer(NUM_COLOURS * 4)
    with torch.no_grad():
        pointer.parts.weight.copy_(torch.eye(NUM_COLOURS * 4))
        pointer.parts.bias.zero_()
    picture = torch.zeros(1, GRID[0] * GRID[1], NUM_COLOURS, 4)
    picture[..., 0] = torch.where(shown == 1, 20.0, -20.0)
    picture[..., 1:] = places[:, None, 1:].nan_to_num()
    state = torch.zeros(1, NUM_COLOURS * 4)
    _, (*_, right) = pointer.error(state, picture.flatten(2), places, shown)
    _, (*_, wrong) = pointer.error(state, torch.zeros_like(picture).flatten(2) - 20, places, shown)
    assert right < 1e-3
    assert wrong > 1.0
