"""What a server answers when it is asked which adapters it has."""

from __future__ import annotations

from studio.requests import Frozen


class AdapterInfo(Frozen):
    """One LoRA adapter of the data folder's `adapters/`, by the name that a request's `adapter` gives."""

    name: str
    size_bytes: int


class AdapterList(Frozen):
    """`GET /v1/adapters`, by name."""

    adapters: tuple[AdapterInfo, ...]
