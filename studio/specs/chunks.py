"""How long a transfer is and in what pieces it is made, as specs and `/v1/videos` say it in the same names."""

from __future__ import annotations

from pydantic import BaseModel

from studio.specs.draft import Draft

PATHS = {
    "fps": "fps",
    "num_conditional_frames": "num_overlap_frames",
    "num_first_chunk_conditional_frames": "num_source_frames",
    "control_guidance": "sampling.control_guidance",
    "control_guidance_interval": "sampling.control_guidance_interval",
}
"""Where a transfer's request has what NVIDIA's framework calls otherwise."""


def put_chunks(draft: Draft, said: BaseModel) -> int | None:
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
