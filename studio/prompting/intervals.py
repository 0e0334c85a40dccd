"""Stretches of time as models write them."""

from __future__ import annotations

import math
import re
from typing import Any

from studio.prompting.entries import Entry, NotOne, as_text, field_of, text_of
from studio.prompting.results import Interval
from studio.requests import shown

START_NAMES = ("start", "start_time", "from", "begin")
END_NAMES = ("end", "end_time", "to", "stop")
LABEL_NAMES = ("caption", "label", "event", "description", "action")

_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):(\d{1,2}(?:\.\d{1,6})?)")
_SECONDS = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\s*(?:s|sec|seconds)?")


def read_interval(entry: Entry, duration_s: float | None) -> Interval:
    """One entry; what runs past the end of the clip is cut there.

    Raises:
        NotOne: it has no times, or ends before it begins, or begins after the clip has ended.
    """
    start = seconds_from(field_of(entry, START_NAMES))
    end = seconds_from(field_of(entry, END_NAMES))
    if end < start:
        raise NotOne(f"{end:g} s, where it ends, is before {start:g} s, where it begins")
    if duration_s is not None:
        if start > duration_s:
            raise NotOne(f"it begins at {start:g} s, and the clip ends at {duration_s:g} s")
        end = min(end, duration_s)
    return Interval(start_s=start, end_s=end, label=text_of(entry, LABEL_NAMES))


def seconds_from(value: Any) -> float:
    """`5.7`, `"5.7s"`, `"00:05.70"` and `"0:00:05.7"` are 5.7.

    Raises:
        NotOne: it is no time.
    """
    text = as_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        text = ""
    found = _SECONDS.fullmatch(text)
    if found:
        return float(found.group(1))
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise NotOne(f"{shown(value)} is no time")
    hours, minutes, seconds = found.groups()
    return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds)
