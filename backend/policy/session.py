"""One client of the policy: a frame in, a frame out, until it goes."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

import structlog

from backend.policy.foresight import ForesightChannel
from backend.policy.question import Question, Reset
from backend.policy.service import PolicyService
from studio.errors import StudioError
from studio.wire.arrays import pack_message

log = structlog.get_logger("orrery.policy")

RESET_SAID = "reset successful"


class PolicySession:
    """Holds the device for its client from the first question on; leaving the block lets go of it.

    Answer: `action` and `actions` (float32 [32, 8], the same), `seed`, `server_timing` {infer_ms, wait_ms, and after
    the first prev_total_ms}. Answer to a reset: {"status": "reset successful"}. Failure: see `pack_failure`.
    """

    def __init__(self, service: PolicyService, policy: str) -> None:
        self._service = service
        self._policy = policy
        self._client_session = ""
        self._next_seed = 0
        self._previous_total_ms: float | None = None
        self._gave_up = False
        self._foresight = ForesightChannel()

    def __enter__(self) -> Self:
        self._service.channels[self._foresight.name] = self._foresight
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        del self._service.channels[self._foresight.name]
        self._service.lease.leave(self, returns=self._gave_up)

    @property
    def foresight_path(self) -> str:
        """Where the frames that it foresees are sent."""
        return self._foresight.path

    async def answer(self, frame: str | bytes) -> bytes:
        """The frame that answers a frame; whatever is wrong with it stands in there."""
        began = time.perf_counter()
        try:
            asked = await self._service.read(frame)
            if asked.session != self._client_session or isinstance(asked, Reset):
                self._client_session, self._next_seed = asked.session, 0
            if isinstance(asked, Reset):
                return pack_message({"status": RESET_SAID})
            reply = await self._act(asked)
        except StudioError as error:
            log.info("policy_refused", code=error.code, message=error.message)
            return pack_failure(error)
        self._previous_total_ms = (time.perf_counter() - began) * 1e3
        return reply

    async def _act(self, question: Question) -> bytes:
        seed = self._next_seed if question.seed is None else question.seed
        self._gave_up = True  # until there is an answer, or a reason
        try:
            channel = self._foresight if question.foresee and self._foresight.num_listeners else None
            acted = await self._service.answer(self, self._policy, question, seed, channel)
        except StudioError:
            self._gave_up = False
            raise
        self._gave_up = False
        self._next_seed += question.seed is None
        timing = {"infer_ms": acted.took_s * 1e3, "wait_ms": acted.waited_s * 1e3}
        if self._previous_total_ms is not None:
            timing["prev_total_ms"] = self._previous_total_ms
        foreseen = {} if acted.video is None else {"video": acted.video}
        return pack_message(
            {"action": acted.actions, "actions": acted.actions, "seed": seed, "server_timing": timing, **foreseen}
        )


def pack_failure(error: StudioError) -> bytes:
    """The frame that says what went wrong; the connection stays open after it."""
    return pack_message(
        {"type": "error", "code": error.code, "message": error.message, "hint": error.hint, "param": error.param}
    )
