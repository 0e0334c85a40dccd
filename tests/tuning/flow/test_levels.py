from __future__ import annotations

import pytest
import torch

from tuning.flow.levels import draw_sigmas

HERE = torch.device("cpu")


@pytest.mark.parametrize("density", ["logit_normal", "mode"])
def test_levels_lie_between_picture_and_noise_and_a_shift_moves_them_to_noise(density):
    torch.manual_seed(0)
    plain, shifted = (draw_sigmas(20_000, density, HERE, shift) for shift in (1.0, 5.0))
    assert 0 <= plain.min() < plain.max() <= 1
    assert plain.mean() == pytest.approx(0.5, abs=0.02)
    assert shifted.mean() > 0.7


def test_clips_are_drawn_at_the_ends_more_often_than_pictures():
    torch.manual_seed(0)
    pictures, clips = (draw_sigmas(20_000, density, HERE, 1.0) for density in ("logit_normal", "mode"))
    assert ((clips < 0.05) | (clips > 0.95)).float().mean() > 5 * ((pictures < 0.05) | (pictures > 0.95)).float().mean()
