"""The checkpoints that this server knows, and the one that requests without a name go to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import structlog

from studio.catalogue import CheckpointInfo, CheckpointList, is_offered
from studio.checkpoints import Checkpoint, check_layout, check_weights, find_checkpoint, no_checkpoint
from studio.data_folder import DataFolder
from studio.errors import BadInput, BrokenCheckpoint, CheckpointNotFound, Conflict, NotACheckpoint
from studio.events import CheckpointStatus
from studio.presets import CheckpointPreset, load_presets
from studio.requests import shown
from studio.settings import STAND_IN

log = structlog.get_logger("orrery.server")


class CheckpointCatalogue:
    """Presets by id, the checkpoint that the server was started with, and the active one.

    Args:
        is_told: the server was told of `active`, and begins with it every time.
    """

    def __init__(
        self, presets: dict[str, CheckpointPreset], folder: DataFolder, active: Checkpoint, *, is_told: bool
    ) -> None:
        self._presets = presets
        self._folder = folder
        self._own = {active.id: active}
        self._active = active
        self._last = LastActive(folder.active_checkpoint)
        self._told = active.id if is_told else None

    @classmethod
    def open(cls, name: str, folder: DataFolder, *, is_told: bool = True) -> CheckpointCatalogue:
        """The catalogue of a data folder, serving the checkpoint that was named.

        Args:
            is_told: somebody has said the name. Otherwise the one that was active last is served, if it still can be;
                and where neither that nor the name can, the stand-in.

        Raises:
            BadInput: a preset cannot be read.
            CheckpointNotFound: the name is unknown, or the checkpoint is not on this machine.
            NotACheckpoint, BrokenCheckpoint: the folder is none, or not whole.
        """
        presets = load_presets(folder.presets)
        if not is_told:
            last = LastActive(folder.active_checkpoint).read()
            names = list(dict.fromkeys(wanted for wanted in (last, name, STAND_IN) if wanted))
            for wanted, instead in pairwise(names):
                try:
                    return cls(presets, folder, _startable(wanted, presets, folder), is_told=False)
                except CheckpointNotFound as error:
                    # Of what was active last somebody knows that it was there; of the default one nobody said a word.
                    say = log.warning if wanted == last else log.info
                    say("checkpoint_not_here", checkpoint=wanted, instead=instead, reason=str(error))
                except (NotACheckpoint, BrokenCheckpoint) as error:
                    log.warning("checkpoint_not_whole", checkpoint=wanted, instead=instead, reason=str(error))
            name = names[-1]
        return cls(presets, folder, _startable(name, presets, folder), is_told=is_told)

    @property
    def starts_with(self) -> str:
        """Id of the checkpoint that is the active one after a restart: what the server is told of, else the active."""
        return self._told or self._active.id

    @property
    def active(self) -> Checkpoint:
        """What requests without a name go to; at first the one that the server was started with."""
        if not self._active.installed:
            self._active = self.named(self._active.id)  # it may have been built since
        return self._active

    def serving(self, name: object) -> Checkpoint:
        """The checkpoint that runs a request which names this one, or none.

        A request names ids only: whether a folder exists here is nobody's business on the other side of a socket.

        Raises:
            BadInput: it is no name at all.
            CheckpointNotFound: the name is unknown.
            Conflict: it is known and not on this machine.
        """
        if name is None:
            return self.active
        if not isinstance(name, str):
            raise BadInput(f"checkpoint is {shown(name)}; expected a name.", param="checkpoint")
        if (found := self.loadable(name)) is not None:
            return found
        absent = self.named(name)
        over_http = f" Or POST /v1/checkpoints/{name}/pull." if absent.preset.repository else ""
        raise Conflict(
            f"{absent.preset.title} is not on this machine.", param="checkpoint", hint=f"{absent.way_here}{over_http}"
        )

    def named(self, name: str) -> Checkpoint:
        """A checkpoint as the disk has it. Raises CheckpointNotFound."""
        if name not in self._presets and name in self._own:
            return self._own[name]
        if name not in self._presets:
            raise no_checkpoint(name, {*self._presets, *self._own})
        return find_checkpoint(name, self._presets, self._folder.checkpoints)

    def loadable(self, name: str) -> Checkpoint | None:
        """A checkpoint that is here, or is built here; none if it is unknown or elsewhere."""
        if name not in self._own and name not in self._presets:
            return None
        found = self.named(name)
        return found if found.installed or found.preset.builds_itself else None

    def whole(self, name: str) -> Checkpoint:
        """A checkpoint whose files are all there and as long as they ought to be.

        Raises:
            BadInput, CheckpointNotFound, Conflict: see `serving`.
            NotACheckpoint, BrokenCheckpoint: see `studio.checkpoints`.
        """
        found = self.serving(name)
        _check(found)
        return found

    def here(self) -> list[str]:
        """Ids of all that can be loaded, the active one first."""
        names = dict.fromkeys([self.active.id, *self._own, *self._presets])
        return [name for name in names if self.loadable(name) is not None]

    def id_of(self, model: str) -> str:
        """A checkpoint's id by what other servers call it: its repository, as in nvidia/Cosmos3-Nano; else the same."""
        bases = (preset for preset in self._presets.values() if not preset.variant_of)
        named = (preset.id for preset in bases if preset.repository.lower() == model.lower())
        return next(named, model) if model else model

    @property
    def names(self) -> frozenset[str]:
        """Ids of all that are known."""
        return frozenset((*self._presets, *self._own))

    def read_again(self) -> None:
        """Presets have come or gone. Raises BadInput: one cannot be read."""
        self._presets = load_presets(self._folder.presets)

    def title(self, name: str) -> str:
        """What people read for an id, known or not."""
        preset = self._own[name].preset if name in self._own else self._presets.get(name)
        return preset.title if preset else name

    def activate(self, checkpoint: Checkpoint) -> None:
        """From now on requests without a name go to this one, also after a restart that is told of no other."""
        self._active = checkpoint
        self._last.write(checkpoint.id)

    def listing(self, statuses: Mapping[str, CheckpointStatus]) -> CheckpointList:
        """Every checkpoint that is offered, the active one first, those in engines' hands with their word on it."""
        names = dict.fromkeys([self.active.id, *self._own, *self._presets])
        found = (checkpoint for checkpoint in map(self.named, names) if is_offered(checkpoint))
        return CheckpointList(
            checkpoints=tuple(
                CheckpointInfo.of(checkpoint, statuses.get(checkpoint.id), active=checkpoint.id == self.active.id)
                for checkpoint in found
            ),
            starts_with=self.starts_with,
        )


def _startable(name: str, presets: Mapping[str, CheckpointPreset], folder: DataFolder) -> Checkpoint:
    checkpoint = find_checkpoint(name, presets, folder.checkpoints)
    if not checkpoint.installed and not checkpoint.preset.builds_itself:
        raise CheckpointNotFound(
            f"{checkpoint.preset.title} is not on this machine.",
            param="checkpoint",
            hint=checkpoint.way_here,
        )
    _check(checkpoint)
    return checkpoint


def _check(checkpoint: Checkpoint) -> None:
    if checkpoint.installed and checkpoint.folder is not None:
        check_layout(checkpoint.folder)
        check_weights(checkpoint.folder)


def first_status(checkpoint: Checkpoint) -> CheckpointStatus:
    """What is said of a checkpoint before its worker has said anything."""
    return CheckpointStatus(
        id=checkpoint.id,
        title=checkpoint.preset.title,
        state="loading" if checkpoint.installed else "preparing",
        random_weights=checkpoint.preset.random_weights,
    )


log = structlog.get_logger("orrery.server")

MOST_CHARACTERS = 4096


class LastActive:
    """A name in a file of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> str | None:
        """The name, if there is one that can be read."""
        try:
            with self._path.open(encoding="utf-8") as file:
                return file.read(MOST_CHARACTERS).strip() or None
        except (OSError, UnicodeDecodeError):
            return None

    def write(self, name: str) -> None:
        """Keep a name; where the disk does not take it, the older one stays, and serving goes on."""
        part = self._path.with_suffix(".part")
        try:
            part.write_text(name, encoding="utf-8")
            os.replace(part, self._path)
        except OSError as error:
            log.warning("active_checkpoint_not_kept", reason=error.strerror or str(error))
