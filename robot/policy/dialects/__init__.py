"""The five dialects that call themselves the openpi websocket: what each is asked, and how it answers.

They share the frame (msgpack with numpy markers) and the first message (metadata); they differ in all the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from robot.policy.dialects.cosmos import CosmosDialect
from robot.policy.dialects.dialect import Dialect
from robot.policy.dialects.openpi import OpenpiDialect
from robot.policy.dialects.roboarena import RoboarenaDialect
from robot.policy.dialects.sglang import SglangDialect
from robot.policy.dialects.vllm_omni import VllmOmniDialect

DialectName = Literal["auto", "openpi", "cosmos", "roboarena", "vllm_omni", "sglang"]

__all__ = ["Dialect", "DialectName", "detect"]


def detect(name: DialectName, url: str, metadata: Mapping[Any, Any], session: str) -> Dialect:
    """How to speak with a server: as a person said, else as its address and its first frame tell.

    Args:
        session: tells this client's questions from others', where a dialect wants that.
    """
    path = urlsplit(url).path
    if name == "auto":
        if metadata.get("object") == "action.metadata" or "/v1/actions/" in path:
            name = "sglang"
        elif not metadata or "action_units" in metadata:
            name = "cosmos"
        elif "action_space" in metadata or "n_external_cameras" in metadata:
            name = "vllm_omni" if "/v1/realtime" in path else "roboarena"
        else:
            name = "openpi"
    match name:
        case "openpi":
            return OpenpiDialect()
        case "roboarena":
            return RoboarenaDialect(metadata, session)
        case "vllm_omni":
            return VllmOmniDialect(session)
        case "sglang":
            return SglangDialect()
        case _:
            return CosmosDialect(needs_objects=metadata.get("needs_object_poses") is True)
