"""The models that estimate depth and find objects: which they are, and where they are on this machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from studio.errors import CheckpointNotFound
from studio.pulling import cached_folder
from studio.requests import Frozen
from studio.requests.transfer_video import PerceivedHint
from studio.toml_files import shipped


class PerceptionModel(Frozen):
    """One entry of `presets/perception.toml`.

    Attributes:
        id: as it is pulled.
        hint: the control that it makes.
        repository: on the Hugging Face hub.
    """

    id: str
    title: str
    hint: PerceivedHint
    repository: str

    @property
    def folder(self) -> Path | None:
        """Its files in the cache of the hub; none before it was pulled. Never asks the network."""
        return cached_folder(self.repository)


class _PerceptionModels(Frozen):
    models: tuple[PerceptionModel, ...]


@cache
def perception_models() -> dict[str, PerceptionModel]:
    """All of them, by id."""
    return {model.id: model for model in shipped(_PerceptionModels, "perception.toml").models}


def perceiving(hint: PerceivedHint) -> PerceptionModel:
    """The model that makes a control."""
    return next(model for model in perception_models().values() if model.hint == hint)


def perception_folder(hint: PerceivedHint, param: str | None = None) -> Path:
    """Where the files of the model are that makes a control.

    Raises:
        CheckpointNotFound: it was not pulled; `param` names the field that asked for it.
    """
    model = perceiving(hint)
    folder = model.folder
    if folder is None:
        raise CheckpointNotFound(
            f"{hint} is computed by {model.title}, which is not on this machine.",
            param=param,
            hint=f"Download it with: orrery checkpoints pull {model.id}. Or send a finished {hint} video.",
        )
    return folder
