"""`/v1/adapters`: the LoRA adapters that a request may name."""

from __future__ import annotations

from fastapi import APIRouter

from backend.services import Parts
from studio.adapters import AdapterList

router = APIRouter(prefix="/v1/adapters", tags=["checkpoints"])


@router.get("")
def adapters(parts: Parts) -> AdapterList:
    """What lies in the data folder's `adapters/`, by name."""
    return parts.adapters.listing()
