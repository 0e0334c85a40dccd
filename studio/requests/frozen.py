"""The one base of everything that crosses a boundary: immutable, and closed to names it does not know."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value: it is parsed once, at the edge, and never changes afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
