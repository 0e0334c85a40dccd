"""Bringing in what a person kept beside the library: each file whole or not at all, and what is here already stays."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipInfo

import structlog
from pydantic import ValidationError

from backend.adapter_rack import SUFFIX, AdapterRack
from backend.form_shelf import MAX_PRESETS, preset_id
from backend.library.export_file import ExportFile
from backend.library.preset_rehearsal import PresetRehearsal
from backend.media.scratch import keep, scratch, typed_disk_errors
from studio.checkpoints import check_shard, read_json
from studio.data_folder import DataFolder
from studio.errors import BrokenCheckpoint
from studio.form_presets import FormPreset

log = structlog.get_logger("orrery.import")

MAX_NEW_PRESETS = 200
"""Of one import: all presets are read again with each of them."""

_STAGED = "presets-"
_LEFT = re.compile(r"[0-9a-f]{16}\.part")


@dataclass
class OwnCounts:
    """Presets and adapters: how many came in, were here already, and were not what they should be."""

    added: int = 0
    known: int = 0
    refused: int = 0


@dataclass
class OwnImporter:
    """Reads the own files of one export into a data folder; one import at a time.

    Attributes:
        incoming: where presets are tried before they get their place.
    """

    folder: DataFolder
    incoming: Path
    counts: OwnCounts = field(default_factory=OwnCounts)

    def bring_in(self, export: ExportFile) -> OwnCounts:
        """Everything that is not here yet.

        Raises:
            BadInput: an entry breaks off.
            DiskFull, StorageError: the rest does not go in; what came in before stays.
        """
        self._sweep()
        for info in export.own_files("form_preset"):
            self._bring_form_preset(export, info)
        self._bring_presets(export, export.own_files("preset"))
        adapters: dict[str, list[ZipInfo]] = {}
        for info in export.own_files("adapter"):
            adapters.setdefault(info.filename.split("/")[1].removesuffix(SUFFIX), []).append(info)
        known = {adapter.name for adapter in AdapterRack(self.folder.adapters).listing().adapters}
        for name, infos in adapters.items():
            if name in known:
                self.counts.known += 1
            else:
                self._bring_adapter(export, infos)
        return self.counts

    def _sweep(self) -> None:
        """Remove what an import left that was killed."""
        for left in self.incoming.glob(f"{_STAGED}*"):
            shutil.rmtree(left, ignore_errors=True)
        for left in self.folder.adapters.glob("*.part"):
            if _LEFT.fullmatch(left.name):
                left.unlink(missing_ok=True)

    def _bring_form_preset(self, export: ExportFile, info: ZipInfo) -> None:
        place = self._place(info)
        if place.exists():
            self.counts.known += 1
        elif sum(1 for _ in place.parent.glob("*.json")) >= MAX_PRESETS:
            self._refuse(info, "there are too many presets")
        else:
            with scratch(place.parent) as (part,):
                export.extract(info, part)
                try:
                    preset = FormPreset.model_validate_json(part.read_bytes())
                except ValidationError as error:
                    self._refuse(info, str(error))
                    return
                if not preset.id == preset_id(preset) == place.stem:
                    self._refuse(info, "it has another preset's id")
                    return
                keep((part, place))
            self.counts.added += 1

    def _bring_presets(self, export: ExportFile, infos: list[ZipInfo]) -> None:
        new = [info for info in infos if not self._place(info).exists()]
        self.counts.known += len(infos) - len(new)
        if not new:
            return
        self.incoming.mkdir(parents=True, exist_ok=True)
        with typed_disk_errors(self.incoming), TemporaryDirectory(prefix=_STAGED, dir=self.incoming) as staged:
            rehearsal = PresetRehearsal(self.folder, Path(staged))
            waiting = new[:MAX_NEW_PRESETS]
            for _ in range(2):  # a variant may come before what it is one of
                waiting = [info for info in waiting if not self._is_settled(export, info, rehearsal, Path(staged))]
        for info in [*waiting, *new[MAX_NEW_PRESETS:]]:
            self._refuse(info, "it cannot be used beside the others")

    def _is_settled(self, export: ExportFile, info: ZipInfo, rehearsal: PresetRehearsal, staged: Path) -> bool:
        """Bring one in or leave it out; false where it cannot be used, yet."""
        trial = staged / info.filename
        export.extract(info, trial)
        match rehearsal.try_out(trial):
            case "unusable":
                return False
            case "known":
                self.counts.known += 1
            case "new":
                place = self._place(info)
                with scratch(place.parent) as (part,):
                    shutil.copyfile(trial, part)
                    keep((part, place))
                self.counts.added += 1
        return True

    def _bring_adapter(self, export: ExportFile, infos: list[ZipInfo]) -> None:
        infos = sorted(infos, key=lambda info: info.filename.endswith(SUFFIX))  # weights last: they make an adapter
        places = [self._place(info) for info in infos]
        if any(place.exists() for place in places):
            self.counts.known += 1
            return
        with scratch(self.folder.adapters, len(infos)) as parts:
            try:
                for info, part in zip(infos, parts, strict=True):
                    export.extract(info, part)
                    if info.filename.endswith(SUFFIX):
                        check_shard(part)
                    else:
                        read_json(part)
            except BrokenCheckpoint as error:
                self._refuse(infos[0], error.message)
                return
            if not infos[-1].filename.endswith(SUFFIX):
                self._refuse(infos[0], "it has no weights")
                return
            keep(*zip(parts, places, strict=True))
        self.counts.added += 1

    def _place(self, info: ZipInfo) -> Path:
        return self.folder.root / info.filename  # whose parts `own_kind` has looked at

    def _refuse(self, info: ZipInfo, reason: str) -> None:
        log.warning("own_file_not_imported", file=info.filename, reason=reason[:200])
        self.counts.refused += 1
