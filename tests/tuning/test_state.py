"""What a training keeps between two runs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from studio.errors import DiskFull, StorageError
from tuning.state import State, read_state, typed_writing, write_state


def test_a_state_is_read_as_it_was_written(tmp_path: Path):
    path = tmp_path / "state" / "training.pt"
    assert read_state(path) is None
    write_state(path, State(step=3, weights={"a": torch.ones(2)}, optimisers=[{"state": {}}]))
    state = read_state(path)
    assert state is not None
    assert (state.step, state.optimisers) == (3, [{"state": {}}])
    assert torch.equal(state.weights["a"], torch.ones(2))
    assert [file.name for file in path.parent.iterdir()] == ["training.pt"]


def test_a_state_from_before_optimisers_were_kept_is_read(tmp_path: Path):
    earlier = {"step": 7, "seed": 1, "weights": {}, "average": {}, "notes": {"std": [1.0]}}
    torch.save(earlier, tmp_path / "vae.pt")
    state = read_state(tmp_path / "vae.pt")
    assert state == State(step=7, seed=1, notes={"std": [1.0]})


def test_what_could_not_be_written_leaves_the_state_before(tmp_path: Path):
    path = tmp_path / "training.pt"
    write_state(path, State(step=1))
    (tmp_path / "training.part").mkdir()
    with pytest.raises(StorageError, match=r"training\.pt could not be written"):
        write_state(path, State(step=2))
    assert read_state(path).step == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), RuntimeError("I/O error: No space left on device (os error 28)")]
)
def test_a_full_disk_has_its_own_error_whoever_says_it(tmp_path: Path, error: Exception):
    with pytest.raises(DiskFull, match="The disk is full"), typed_writing(tmp_path / "a"):
        raise error
