"""Whether something is physically plausible, as models say it."""

from __future__ import annotations

import re
from typing import Any

from studio.captions import UnusableAnswer, object_in
from studio.prompting.entries import as_text
from studio.prompting.results import Verdict

MAX_REASON = 2000

_SCORE = re.compile(r"\b(?:score|rating)\D{0,12}([1-5])\b|\b([1-5])\s*(?:/|out of)\s*5\b", re.IGNORECASE)
_LETTER = re.compile(r"^\W*([AB])\s*(?:[).:,]|$|\n)")
_NO = re.compile(r"\b(?:impossible|implausible|no|false|not\s+(?:\w+\s+)?(?:plausible|possible))\b", re.IGNORECASE)
_YES = re.compile(r"\b(?:possible|plausible|yes|true)\b", re.IGNORECASE)
_WORDS = {"true": True, "yes": True, "false": False, "no": False}


def read_verdict(text: str) -> Verdict:
    """The object that was asked for, else the first letter, number or word that decides.

    Raises:
        UnusableAnswer: nothing does.
    """
    try:
        entry, _ = object_in(text)
    except UnusableAnswer:
        return _from_prose(text)
    plausible = entry.get("plausible", entry.get("possible"))
    if isinstance(plausible, str):
        plausible = _WORDS.get(plausible.strip().lower())
    score = _score(entry.get("score", entry.get("rating")))
    if not isinstance(plausible, bool):
        plausible = None
    if plausible is None and score is None:
        raise UnusableAnswer('The answer holds neither "plausible" (true or false) nor a "score" from 1 to 5.')
    reason = entry.get("reason", entry.get("explanation"))
    return Verdict(plausible=plausible, score=score, reason=as_text(reason))


def _from_prose(text: str) -> Verdict:
    letter = _LETTER.match(text)
    scored = _SCORE.search(text)
    score = int(next(group for group in scored.groups() if group)) if scored else None
    if letter:
        # The choices of the reasoner's own guide: (A) possible, (B) impossible.
        plausible: bool | None = letter.group(1) == "A"
    else:
        plausible = False if _NO.search(text) else True if _YES.search(text) else None
    if plausible is None and score is None:
        raise UnusableAnswer("The answer does not say whether it is plausible.")
    reason = text.strip()[:MAX_REASON].encode(errors="replace").decode()
    return Verdict(plausible=plausible, score=score, reason=reason)


def _score(value: Any) -> int | None:
    text = as_text(value).removesuffix(".0")
    return int(text) if re.fullmatch("[1-5]", text) else None
