"""A request in the making, which remembers what the sample calls each of its fields."""

from __future__ import annotations

import re
from typing import Any, cast

from pydantic import BaseModel

from studio.errors import BadInput, StudioError, rebuild
from studio.requests import KINDS, Reason, Request, parse_as
from studio.requests.frames import whole_groups

REASON = "reason"
"""The kind of a question, which is no job."""


class RequestDraft:
    """Fields of one request, put in one by one."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._model = Reason if kind == REASON else KINDS[kind].model
        self.payload: dict[str, Any] = {"kind": kind}
        self.notes: list[str] = []
        self._said: dict[str, str] = {}

    def put(self, path: str, value: object, said: str) -> None:
        """Set a field that this kind has; None leaves it to the server.

        Args:
            path: dotted, as in `sampling.seed`.
            value: what to set.
            said: what the sample calls it.
        """
        parent, _, name = path.rpartition(".")
        if value is None or (not parent and name not in self._model.model_fields):
            return
        (self.payload.setdefault(parent, {}) if parent else self.payload)[name] = value
        self._said[path] = said

    def names(self, path: str, said: str) -> None:
        """Remember what the sample calls a field that is set elsewhere."""
        self._said[path] = said

    def whole_groups(self, num_frames: int | None, said: str) -> int | None:
        """A number of frames that can be made: 10 are 13, as in the framework, with a note."""
        if num_frames is None:
            return None
        whole = whole_groups(num_frames)
        if whole != num_frames:
            self.notes.append(f"{said} is {num_frames}; using {whole}, which is 1 plus a multiple of 4.")
        return whole

    def request(self) -> Request | Reason:
        """The request.

        Raises:
            BadInput: it is none; the sample's own name for the field is in the message.
        """
        try:
            return cast("Request | Reason", parse_as(self._model, self.payload))
        except BadInput as error:
            raise self.in_its_words(error) from None

    def in_its_words(self, error: StudioError) -> StudioError:
        """An error about the request as one about the sample: of sampling.seed it says seed."""
        if error.param is None:
            return rebuild(error.code, self._renamed(error.message), None, error.hint)
        path = error.param
        known = max((name for name in self._said if path == name or path.startswith(f"{name}.")), key=len, default=None)
        if known is None:
            return error
        said = self._said[known] + path[len(known) :]
        message = said + error.message[len(path) :] if error.message.startswith(path) else error.message
        if said not in message:
            message = f"{said}: {message}"
        return rebuild(error.code, message, said, error.hint)

    def _renamed(self, message: str) -> str:
        """A sentence about several fields with the sample's names for them, where ours are no words of English."""
        for path, said in self._said.items():
            if "_" in path:
                message = re.sub(rf"\b{re.escape(path)}\b", said, message)
        return message


PATHS = {
    "fps": "fps",
    "num_conditional_frames": "num_overlap_frames",
    "num_first_chunk_conditional_frames": "num_source_frames",
    "control_guidance": "sampling.control_guidance",
    "control_guidance_interval": "sampling.control_guidance_interval",
}
"""Where a transfer's request has what NVIDIA's framework calls otherwise."""


def put_chunks(draft: RequestDraft, said: BaseModel) -> int | None:
    """Put them into a transfer's draft; returns the frames of a chunk, as whole groups of four and one.

    Args:
        said: has the names of `PATHS`, num_frames, max_frames and num_video_frames_per_chunk; each may be none.
    """
    num_frames, max_frames, per_chunk = (
        getattr(said, name) for name in ("num_frames", "max_frames", "num_video_frames_per_chunk")
    )
    chunk = draft.whole_groups(per_chunk, "num_video_frames_per_chunk")
    limits = [limit for limit in (num_frames, max_frames) if limit is not None]
    draft.put("num_frames", min(limits, default=None), "num_frames" if num_frames else "max_frames")
    draft.put("num_chunk_frames", chunk, "num_video_frames_per_chunk")
    for name, path in PATHS.items():
        draft.put(path, getattr(said, name), name)
    return chunk
