"""Which domain a pair is counted in, from `presets/arena/domains.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from pydantic import Field

from studio.requests import Frozen

GENERAL = "general"
"""What none of them is about."""


class Domain(Frozen):
    """One entry of the file.

    Attributes:
        id: written down with votes; also the tag by which an item says that it belongs here.
        title: as people read it.
        words: beginnings of words, in lower case, that speak for it; a space at the end asks for the whole word.
        embodiments: whose actions are always of this domain.
    """

    id: str = Field(pattern=r"^[a-z]+$")
    title: str
    words: tuple[str, ...]
    embodiments: tuple[str, ...] = ()


class _Domains(Frozen):
    domains: tuple[Domain, ...]


@cache
def domains() -> tuple[Domain, ...]:
    """All of them, in the order of the file."""
    text = files("presets").joinpath("arena", "domains.toml").read_text("utf-8")
    return _Domains.model_validate(tomllib.loads(text)).domains


def domain_of(words: str, embodiment: str | None = None, tags: Sequence[str] = ()) -> str:
    """The domain's id.

    Args:
        words: the prompt; of a structured caption its JSON does as well.
        embodiment: of a request with actions.
        tags: of the items; one that names a domain decides.
    """
    for domain in domains():
        if domain.id in tags or (embodiment is not None and embodiment in domain.embodiments):
            return domain.id
    said = f"{words.lower()} "
    counted = [(sum(len(re.findall(rf"\b{re.escape(word)}", said)) for word in each.words), each) for each in domains()]
    most, best = max(counted, key=lambda entry: entry[0])
    return best.id if most else GENERAL
