"""TOML as typed values: what ships in `presets/`, and a person's own files beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from studio.errors import BadInput
from studio.requests import explain

Model = TypeVar("Model", bound=BaseModel)


def shipped(model: type[Model], *path: str) -> Model:
    """A file of `presets/`."""
    return model.model_validate(tomllib.loads(files("presets").joinpath(*path).read_text("utf-8")))


def shipped_and_own(folder: str, own: Path | None) -> Iterator[Traversable]:
    """The TOML files of a folder of `presets/` by name, then those of a person's own folder, where there is one."""
    folders: list[Traversable] = [files("presets").joinpath(folder)]
    if own is not None and own.is_dir():
        folders.append(own)
    for each in folders:
        yield from sorted((entry for entry in each.iterdir() if entry.name.endswith(".toml")), key=lambda one: one.name)


def read_toml(model: type[Model], file: Traversable, what: str, *, param: str | None = None) -> Model:
    """A file's value.

    Args:
        model: its class.
        file: where it is.
        what: it is, with its name, as an error says it.
        param: that named it.

    Raises:
        BadInput: it cannot be read, is not TOML, or does not fit the class.
    """
    try:
        return model.model_validate(tomllib.loads(file.read_bytes().decode()))
    except OSError as error:
        raise BadInput(
            f"{what} cannot be read: {error.strerror or error}.", param=param, hint=f"It is {file}."
        ) from None
    except ValidationError as error:
        why = explain(error, model)
        raise BadInput(f"{what} cannot be used: {why.message}", param=param, hint=why.hint) from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{what} is not TOML: {error}.", param=param) from None
