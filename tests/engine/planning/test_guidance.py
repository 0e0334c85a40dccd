from __future__ import annotations

from engine.planning.plan import prompt_guidance


def test_guidance_takes_the_prompt_g_times_and_the_negative_one_minus_g_times():
    assert prompt_guidance((999, 500), 4.0, None) == ((4.0, -3.0), (4.0, -3.0))


def test_a_scale_of_one_leaves_the_negative_out():
    assert prompt_guidance((999,), 1.0, None) == ((1.0, 0.0),)


def test_outside_its_interval_there_is_no_guidance():
    assert prompt_guidance((999, 937, 833, 624), 3.0, (833, 937)) == ((1.0, 0.0), (3.0, -2.0), (3.0, -2.0), (1.0, 0.0))
