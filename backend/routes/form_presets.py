"""`/v1/presets`: a form's values under a name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path

from backend.errors import documented
from backend.services import UsesForms
from studio.errors import BadInput, Conflict, DiskFull, PresetNotFound, StorageError
from studio.presets import FormPreset, FormPresetList, SaveFormPreset

router = APIRouter(prefix="/v1/presets", tags=["presets"])

EXAMPLE = {"name": "Quick look", "kind": "generate_video", "values": {"num_frames": 17}}
PresetId = Annotated[str, Path(examples=["a1b2c3d4e5f6"])]


@router.get("")
def presets(forms: UsesForms, kind: str | None = None) -> FormPresetList:
    """List presets of one kind of request, or all, by name."""
    return forms.listing(kind)


@router.post("", status_code=201, responses=documented(BadInput, Conflict, StorageError, DiskFull))
def save(asked: Annotated[SaveFormPreset, Body(examples=[EXAMPLE])], forms: UsesForms) -> FormPreset:
    """Save a preset; one with the same kind and name is replaced."""
    return forms.save(asked)


@router.delete("/{preset_id}", responses=documented(PresetNotFound, StorageError))
def delete(preset_id: PresetId, forms: UsesForms) -> FormPreset:
    """Delete a preset."""
    return forms.delete(preset_id)
