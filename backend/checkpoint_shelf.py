"""The checkpoints that this server knows, and the one that it serves."""

from __future__ import annotations

from studio.catalogue import CheckpointInfo, CheckpointList, list_checkpoints
from studio.checkpoints import Checkpoint, check_layout, check_weights, find_checkpoint, no_checkpoint
from studio.data_folder import DataFolder
from studio.errors import BadInput, CheckpointNotFound, Conflict
from studio.events import CheckpointStatus
from studio.presets import CheckpointPreset, load_presets
from studio.requests import shown


class CheckpointShelf:
    """Presets by id, and the checkpoint that the server was started with."""

    def __init__(self, presets: dict[str, CheckpointPreset], folder: DataFolder, loaded: Checkpoint) -> None:
        self._presets = presets
        self._folder = folder
        self.loaded = loaded

    @classmethod
    def open(cls, name: str, folder: DataFolder) -> CheckpointShelf:
        """The shelf of a data folder, serving the checkpoint that was named.

        Raises:
            BadInput: a preset cannot be read.
            CheckpointNotFound: the name is unknown, or the checkpoint is not on this machine.
            NotACheckpoint, BrokenCheckpoint: the folder is none, or not whole.
        """
        presets = load_presets(folder.presets)
        checkpoint = find_checkpoint(name, presets, folder.checkpoints)
        if not checkpoint.installed and not checkpoint.preset.built_here:
            raise CheckpointNotFound(
                f"{checkpoint.preset.title} is not on this machine.",
                param="checkpoint",
                hint=f"Fetch it first: hf download {checkpoint.preset.repository}",
            )
        if checkpoint.installed and checkpoint.folder is not None:
            check_layout(checkpoint.folder)
            check_weights(checkpoint.folder)
        return cls(presets, folder, checkpoint)

    def serving(self, name: object) -> Checkpoint:
        """The checkpoint that runs a request which names this one, or none.

        A request names ids only: whether a folder exists here is nobody's business on the other side of a socket.

        Raises:
            BadInput: it is no name at all.
            CheckpointNotFound: the name is unknown.
            Conflict: it is known and not loaded.
        """
        if name is None or name == self.loaded.id:
            return self.loaded
        if not isinstance(name, str):
            raise BadInput(f"checkpoint is {shown(name)}; a name is expected.", param="checkpoint")
        if name not in self._presets:
            raise no_checkpoint(name, {*self._presets, self.loaded.id})
        raise Conflict(
            f"{name} is not loaded; this server has {self.loaded.id}.",
            param="checkpoint",
            hint=f"Start one with: orrery serve --checkpoint {name}",
        )

    def listing(self, status: CheckpointStatus) -> CheckpointList:
        """Every checkpoint, the loaded one first and with the worker's word on it."""
        loaded = CheckpointInfo.of(self.loaded, status.state)
        others = list_checkpoints(self._presets, self._folder.checkpoints).checkpoints
        return CheckpointList(checkpoints=(loaded, *(info for info in others if info.id != loaded.id)))
