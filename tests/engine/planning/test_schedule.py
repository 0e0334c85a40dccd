from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from diffusers import UniPCMultistepScheduler
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.planning.schedule import checkpoint_schedule, native_schedule
from studio.errors import NotAllowed


@settings(max_examples=60, deadline=None, derandomize=True)
@given(num_steps=st.integers(1, 200), shift=st.floats(0.1, 20))
def test_the_native_schedule_is_diffusers_native_flow_schedule(num_steps, shift):
    theirs = UniPCMultistepScheduler(use_flow_sigmas=True, prediction_type="flow_prediction", flow_shift=shift)
    theirs.set_timesteps(num_steps, sigmas=np.linspace(0.999, 0, num_steps + 1)[:-1])
    ours = native_schedule(num_steps, shift)
    assert ours.timesteps == tuple(theirs.timesteps.tolist())
    assert ours.sigmas == tuple(theirs.sigmas.tolist())
    assert all(later < earlier for earlier, later in zip(ours.sigmas, ours.sigmas[1:], strict=False))


def test_four_native_steps_with_shift_five_are_the_published_ones():
    schedule = native_schedule(4, 5.0)
    assert schedule.timesteps == (999, 937, 833, 624)
    assert np.allclose(schedule.sigmas, [0.9998, 0.93727, 0.83306, 0.62469, 0], atol=1e-5)


@pytest.mark.parametrize("num_steps", [1, 2, 20, 50, 200])
def test_the_checkpoint_s_schedule_is_its_scheduler_file_s(speck, num_steps):
    config = json.loads((speck / "scheduler" / "scheduler_config.json").read_text())
    theirs = UniPCMultistepScheduler.from_pretrained(speck / "scheduler")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
        theirs.set_timesteps(num_steps)
    ours = checkpoint_schedule(config, num_steps, native_flow=False)
    assert ours.timesteps == tuple(theirs.timesteps.tolist())
    assert ours.sigmas == tuple(theirs.sigmas.tolist())
    assert ours.sigmas[0] == pytest.approx(200 / 201)


def test_a_repository_that_samples_natively_does_so_under_its_own_shift(speck):
    config = json.loads((speck / "scheduler" / "scheduler_config.json").read_text())
    config |= {"use_karras_sigmas": False, "flow_shift": 5.0}
    assert checkpoint_schedule(config, 4, native_flow=True) == native_schedule(4, 5.0)


def test_a_scheduler_that_is_not_sampled_here_is_refused_by_name():
    with pytest.raises(NotAllowed, match="FlowMatchEulerDiscreteScheduler"):
        checkpoint_schedule({"_class_name": "FlowMatchEulerDiscreteScheduler"}, 4, native_flow=False)
