from __future__ import annotations

import pickle

import pytest

from studio import errors
from studio.errors import BadInput, StudioError, Unexpected, every_error, rebuild

EVERY = every_error()
OWN = [kind for kind in EVERY[1:] if kind.__module__ == errors.__name__]
"""Other rooms draw their own."""


def test_every_code_is_unique():
    codes = [kind.code for kind in EVERY]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.code)
def test_every_error_is_drawn_in_the_tree_with_its_code(kind):
    assert errors.__doc__ is not None
    drawn = [
        line.replace("│", " ").replace("├──", "").replace("└──", "").split() for line in errors.__doc__.splitlines()
    ]
    assert [kind.__name__, kind.code] in [words[:2] for words in drawn]


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.code)
def test_every_error_survives_a_pipe(kind):
    error = pickle.loads(pickle.dumps(kind("It broke.", param="sampling.seed", hint="Mend it.")))
    assert type(error) is kind
    assert (error.message, error.param, error.hint) == ("It broke.", "sampling.seed", "Mend it.")
    assert str(error) == "It broke. Mend it."


def test_a_code_from_a_later_version_is_unexpected():
    error = rebuild("not_invented_yet", "m", None, "h")
    assert type(error) is Unexpected
    assert error.message == "m"


def test_without_a_hint_there_is_no_trailing_space():
    assert str(BadInput("No.")) == "No."
    assert isinstance(BadInput("No."), StudioError)
