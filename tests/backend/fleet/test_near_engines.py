"""Which engine of a group a conversation gets, and whose word is the group's, when engines are on several hosts."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backend.fleet.engine_pool import EngineGroup
from studio.checkpoints import Checkpoint
from studio.errors import Busy, EngineLost
from studio.events import CheckpointStatus
from studio.jobs import Failure
from studio.presets import CheckpointPreset

SPECK = Checkpoint("speck", CheckpointPreset(id="speck", title="speck", summary=""), Path("speck"), True)


def an_engine(state: str, *, near: bool = False) -> Any:
    error = Failure.of(EngineLost("gone")) if state == "failed" else None
    status = CheckpointStatus.model_validate({"id": "speck", "title": "speck", "state": state, "error": error})
    return SimpleNamespace(status=status, worker_pid=7, idle=True, is_near=lambda: near)


def test_a_conversation_prefers_the_server_s_own_host_and_then_the_fewest_others():
    far, near, other = an_engine("ready"), an_engine("ready", near=True), an_engine("ready")
    group = EngineGroup(SPECK, [far, near, other], 0.0)
    with group.hold() as first, group.hold() as second:
        assert first is second is near
    near.status = near.status.model_copy(update={"state": "loading"})
    with group.hold() as first, group.hold() as second:
        assert [first, second] == [far, other]


def test_a_host_on_which_a_checkpoint_cannot_be_loaded_does_not_speak_for_the_others():
    assert EngineGroup(SPECK, [an_engine("failed"), an_engine("loading")], 0.0).status.state == "loading"
    assert (
        EngineGroup(SPECK, [an_engine("failed"), an_engine("waiting"), an_engine("ready")], 0.0).status.state == "ready"
    )
    assert EngineGroup(SPECK, [an_engine("failed"), an_engine("failed")], 0.0).status.state == "failed"


def test_a_group_that_waits_for_a_host_is_busy():
    with pytest.raises(Busy, match="waiting"), EngineGroup(SPECK, [an_engine("waiting")], 0.0).hold():
        pass
