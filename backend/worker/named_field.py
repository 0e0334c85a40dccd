"""Which field of the request an error is about that a file of the store gave."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from studio.errors import BadInput, MediaNotFound


@contextmanager
def field_named(param: str) -> Generator[None]:
    """Whatever is wrong with a medium inside is said of the field that names it.

    Raises:
        MediaNotFound, BadInput: with this `param`.
    """
    try:
        yield
    except MediaNotFound as error:
        raise MediaNotFound(error.message, param=param, hint=error.hint) from None
    except BadInput as error:
        raise BadInput(error.message, param=param, hint=error.hint) from None
