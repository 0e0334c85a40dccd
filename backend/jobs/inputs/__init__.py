"""The media that a request names, looked at before it is queued: what cannot start is refused at once."""

from backend.jobs.inputs.check import check_inputs
from backend.jobs.inputs.length import with_length

__all__ = ["check_inputs", "with_length"]
