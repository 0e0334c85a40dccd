"""Moments of a clip as captions write them: M:SS, or M:SS-M:SS for a stretch."""

from __future__ import annotations

import re

CLOCK = r"\d{1,3}:[0-5]\d"
TIMING = rf"^{CLOCK}(-{CLOCK})?$"

MAX_SPELLED_S = 61
"""Up to here a pattern can list every legal stretch: its length grows with the square, 10 kB at one minute."""

_DASH = r"\s*(?:-|–|—|to)\s*"
_LOOSE = r"\d{1,3}:\d{1,2}(?:\.\d+)?|\d+(?:\.\d+)?\s*s?"
_ONE_OR_TWO = re.compile(rf"\s*[\[(]?({_LOOSE})(?:{_DASH}({_LOOSE}))?[\])]?\s*")
_STRETCH = re.compile(rf"(?<![\d:])({CLOCK}){_DASH}({CLOCK})(?![\d:])")
_BEAT = re.compile(rf"(?:^|[.;\n]\s*|\[|\()({CLOCK})(?=\s*[\]):,–—-])")


def clock(seconds: int) -> str:
    """`67` is `1:07`."""
    return f"{seconds // 60}:{seconds % 60:02d}"


def seconds_of(text: str) -> int:
    """`1:07` is `67`."""
    minutes, seconds = text.split(":")
    return int(minutes) * 60 + int(seconds)


def respelled(text: str) -> str | None:
    """A moment or a stretch in our spelling: `00:01 – 00:04.5`, `[0:01-0:04]` and `1s to 4s` are `0:01-0:04`.

    Returns None for anything else.
    """
    found = _ONE_OR_TWO.fullmatch(text) if len(text) < 40 else None
    if found is None:
        return None
    return "-".join(clock(min(_loose_seconds(part), 59_999)) for part in found.groups() if part is not None)


def _loose_seconds(text: str) -> int:
    minutes, colon, seconds = text.rpartition(":")
    return int(minutes) * 60 + int(float(seconds)) if colon else int(float(text.rstrip("s ")))


def fault_of(timing: str, last_s: int) -> str | None:
    """Why a well-spelled timing cannot be in a clip whose last whole second is `last_s`, or None."""
    seconds = [seconds_of(part) for part in timing.split("-")]
    if seconds[-1] < seconds[0]:
        return f"{timing} ends before it begins"
    if seconds[-1] > last_s:
        return f"{timing} is after the end at {clock(last_s)}"
    return None


def timings_in(prose: str) -> list[str]:
    """The timings that prose is organised by: stretches, and moments in brackets or at the head of a sentence.

    Other clock times are left alone: "a station clock reads 12:40" is about the scene.
    """
    found = [f"{start}-{end}" for start, end in _STRETCH.findall(prose)]
    return found + [match.group(1) for match in _BEAT.finditer(_STRETCH.sub(" ", prose))]


def timing_pattern(last_s: int) -> str:
    """A regular expression of exactly the stretches inside a clip; beyond a minute, of every well-spelled one."""
    if last_s > MAX_SPELLED_S:
        return f"^{CLOCK}-{CLOCK}$".replace(r"\d", "[0-9]")
    starts = [
        f"{clock(start)}-({'|'.join(clock(end) for end in range(start, last_s + 1))})" for start in range(last_s + 1)
    ]
    return f"^({'|'.join(starts)})$"
