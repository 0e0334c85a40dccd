"""`/v1/presets`: a form's values under a name."""

from __future__ import annotations

from fastapi import APIRouter

from backend.errors import documented
from backend.services import UsesForms
from studio.errors import BadInput, Conflict, DiskFull, PresetNotFound, StorageError
from studio.presets import FormPreset, FormPresetList, SaveFormPreset

router = APIRouter(prefix="/v1/presets", tags=["presets"])


@router.get("")
def presets(forms: UsesForms, kind: str | None = None) -> FormPresetList:
    """Those of one kind of request, or all, by name."""
    return forms.listing(kind)


@router.post("", status_code=201, responses=documented(BadInput, Conflict, StorageError, DiskFull))
def save(asked: SaveFormPreset, forms: UsesForms) -> FormPreset:
    """Keep values under a name; another one of the same kind and name is replaced."""
    return forms.save(asked)


@router.delete("/{preset_id}", responses=documented(PresetNotFound, StorageError))
def delete(preset_id: str, forms: UsesForms) -> FormPreset:
    """Remove one."""
    return forms.delete(preset_id)
