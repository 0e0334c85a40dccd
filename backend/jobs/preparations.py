"""What happens to a job's words once its turn has come, and before the worker hears of it.

Words that nobody has read are read: a job may have been accepted by a server that had no guardrail, or that required
none, and have waited for one that does. Then the prompt is upsampled where that was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from backend.guarding import Guard
from studio.jobs import Job, Verdict
from studio.requests import Request


class PromptWriter(Protocol):
    """Whoever upsamples prompts before they are run."""

    def is_wanted(self, request: Request) -> bool:
        """Whether a request asks for it and has not had it."""
        ...

    async def write(self, request: Request, *, guarded: bool) -> Request:
        """The request with its prompt written anew, and read again where it is guarded. Raises StudioErrors."""
        ...


@dataclass(frozen=True)
class PreparedPrompt:
    """What a job asks for now, and what the guardrail says of it."""

    request: Request
    guardrail: Verdict | None


class Preparations:
    """See the module."""

    def __init__(self, guard: Guard, writer: PromptWriter) -> None:
        self._guard = guard
        self._writer = writer

    def first(self, job: Job) -> Literal["starting", "upsampling"] | None:
        """The phase that a job begins with, or none where there is nothing to be done."""
        if self._guard.owes(job.guardrail):
            return "starting"
        return "upsampling" if self._writer.is_wanted(job.request) else None

    async def prepare(self, job: Job) -> PreparedPrompt:
        """Do it.

        Raises:
            GuardrailBlocked, GuardrailLost: see `Guard.check`.
            StudioError: see `PromptWriter.write`.
        """
        verdict = job.guardrail
        if self._guard.owes(verdict):
            verdict = await self._guard.check_late(job.request, verdict)
        request = job.request
        if self._writer.is_wanted(request):
            request = await self._writer.write(request, guarded=verdict == "passed")
        return PreparedPrompt(request, verdict)
