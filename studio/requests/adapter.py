"""A LoRA adapter that a request is made with."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from studio.requests.frozen import Frozen
from studio.requests.hints import FormHint


class Adapter(Frozen):
    """One adapter of the data folder's `adapters/`, and how strongly it counts: 0 is as if it were not there."""

    name: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$",
            title="Adapter",
            description="a file or folder in the data folder's adapters/",
        ),
    ]
    scale: Annotated[
        float, Field(ge=-4, le=4, title="Scale", description="how strongly it counts; 1 is as trained")
    ] = 1.0


AdapterField = Annotated[
    Adapter | None, Field(title="Adapter", description="a LoRA on top of the checkpoint"), FormHint(hidden=True)
]
