"""`/v1/models` in OpenAI's form: the loaded checkpoint."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from backend.errors import documented
from backend.services import Parts
from studio.errors import CheckpointNotFound
from studio.requests import shown

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


@router.get("/{name:path}", responses=documented(CheckpointNotFound))
async def model(name: str, parts: Parts) -> Model:
    """One of them, by its id or by its repository, which has a slash."""
    served = parts.shelf.id_of(name)
    if served not in parts.shelf.here():
        raise CheckpointNotFound(f"There is no model {shown(name)} here.", hint="GET /v1/models lists them.")
    return Model(id=served)
