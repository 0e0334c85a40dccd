"""`/v1/models` in OpenAI's form: the loaded checkpoint."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from backend.services import Parts

router = APIRouter(prefix="/v1/models", tags=["openai"])


class Model(BaseModel):
    """One model of OpenAI's list."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "orrery"


class ModelList(BaseModel):
    """OpenAI's list."""

    object: Literal["list"] = "list"
    data: list[Model]


@router.get("")
async def models(parts: Parts) -> ModelList:
    """What `model` may be."""
    return ModelList(data=[Model(id=name) for name in parts.shelf.here()])
