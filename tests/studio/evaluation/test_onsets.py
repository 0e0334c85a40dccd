import numpy as np
import pytest

from studio.evaluation.onsets import apart, matched_f1, onsets

RATE = 48_000


def _sound(*struck_s: float) -> np.ndarray:
    """A hum that a motor joins after a while, and clicks that ring and begin at these moments."""
    times = np.arange(RATE) / RATE
    motor = 0.05 * np.clip((times - 0.4) / 0.02, 0, 1) * np.sin(2 * np.pi * 800 * times)
    sound = 0.01 * np.sin(2 * np.pi * 90 * times) + motor
    noise = np.random.default_rng(0).normal(0, 0.1, len(times))
    for at_s in struck_s:
        later = np.maximum(times - at_s, 0)
        ring = 0.2 * np.exp(-later / 0.03) * np.sin(2 * np.pi * 1000 * later)
        sound += (times >= at_s) * (ring + noise * np.exp(-later / 0.0012))
    return np.stack([sound, sound])


def test_strikes_are_heard_over_the_hum_within_a_hundredth():
    assert onsets(_sound(), RATE) == []
    assert onsets(_sound(0.2, 0.6), RATE) == pytest.approx([0.2, 0.6], abs=0.01)


def test_times_are_paired_once_and_within_the_tolerance():
    assert matched_f1([0.2, 0.6], [0.21, 0.6]) == 1
    assert matched_f1([0.2, 0.21], [0.2]) == pytest.approx(2 / 3)
    assert matched_f1([0.3], [0.2]) == 0
    assert matched_f1([], [0.2]) == 0


def test_what_strikes_twice_at_once_is_heard_once():
    assert apart([0.1, 0.12, 0.3]) == [0.1, 0.3]
