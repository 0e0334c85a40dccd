from __future__ import annotations

import pytest
import torch
from diffusers import UniPCMultistepScheduler

from engine.planning.schedule import native_schedule
from engine.sampling.solvers import State, unipc_step


def field(x: torch.Tensor, sigma: float) -> torch.Tensor:
    """A smooth velocity that depends on the sample and on the noise level."""
    mixing = torch.linspace(-0.3, 0.3, 16).view(4, 4)
    return torch.einsum("ij,bjhw->bihw", mixing, torch.tanh(x)) * (1 + sigma) + x


@pytest.mark.parametrize(
    ("num_steps", "shift"), [(1, 5.0), (2, 5.0), (3, 1.0), (4, 5.0), (35, 10.0), (50, 3.0), (200, 3.0)]
)
def test_every_step_is_the_scheduler_s(num_steps, shift):
    schedule = native_schedule(num_steps, shift)
    theirs = UniPCMultistepScheduler(use_flow_sigmas=True, prediction_type="flow_prediction", flow_shift=shift)
    theirs.set_timesteps(num_steps, sigmas=torch.linspace(0.999, 0, num_steps + 1)[:-1].numpy().astype("float64"))
    x = y = torch.randn((1, 4, 8, 8), generator=torch.Generator().manual_seed(0))
    state = State()
    for index, timestep in enumerate(theirs.timesteps):
        sigma = schedule.sigmas[index]
        y = theirs.step(field(y, sigma), timestep, y, return_dict=False)[0]
        x, state = unipc_step(x, field(x, sigma), index, schedule.sigmas, state)
        assert float((x - y).abs().max()) < 1e-5 * max(1.0, float(y.abs().max()))


def test_a_step_changes_none_of_its_inputs():
    schedule = native_schedule(3, 3.0)
    x = torch.randn((1, 4, 2, 2), generator=torch.Generator().manual_seed(1))
    state = State()
    for index in range(3):
        before, velocity = x.clone(), field(x, 1.0)
        kept = velocity.clone()
        following, state = unipc_step(x, velocity, index, schedule.sigmas, state)
        assert torch.equal(x, before)
        assert torch.equal(velocity, kept)
        x = following


def test_the_last_step_returns_the_estimate_itself():
    schedule = native_schedule(5, 3.0)
    x, state = torch.ones(1, 4, 2, 2), State()
    for index in range(5):
        x, state = unipc_step(x, field(x, 0.5), index, schedule.sigmas, state)
    assert state.x0 is not None
    assert torch.equal(x, state.x0)


def test_a_true_straight_path_is_followed_to_its_end():
    clean, noise = torch.full((1, 1, 2, 2), 0.7), torch.full((1, 1, 2, 2), -1.3)
    schedule = native_schedule(7, 5.0)
    x, state = schedule.sigmas[0] * noise + (1 - schedule.sigmas[0]) * clean, State()
    for index in range(7):
        x, state = unipc_step(x, noise - clean, index, schedule.sigmas, state)
    assert torch.allclose(x, clean, atol=1e-5)
