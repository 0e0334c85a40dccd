"""Frames per second as an exact fraction, so that frame i is at i/fps and nothing drifts."""

from __future__ import annotations

from fractions import Fraction

_NTSC_TOLERANCE = 2e-4
"""23.98, 23.976 and 24000/1001 are one rate; it differs from 24 by 1e-3."""


def frame_rate(fps: float | Fraction) -> Fraction:
    """The rate that a number means: 23.976 is 24000/1001, 29.97 is 30000/1001, 12.5 is 25/2."""
    if isinstance(fps, Fraction):
        return fps
    assert fps > 0, fps
    ntsc = Fraction(round(fps * 1.001) * 1000, 1001)
    if abs(float(ntsc) / fps - 1) < _NTSC_TOLERANCE:
        return ntsc
    return Fraction(fps).limit_denominator(1000)
