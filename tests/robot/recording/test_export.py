"""The tar of a data set is a data set."""

import io
import tarfile
from pathlib import Path

import pytest

from robot.faults import BrokenEpisode
from robot.recording import Dataset, read_episode
from robot.recording.export import PIECE_BYTES, tar_pieces
from robot_episodes import recorded, write_episode


def test_what_is_unpacked_can_be_read_and_is_no_other(tmp_path: Path):
    folder = recorded(tmp_path / "here", 20, 30)

    tar = b"".join(tar_pieces(folder))
    with tarfile.open(fileobj=io.BytesIO(tar)) as packed:
        packed.extractall(tmp_path / "there", filter="data")

    there = tmp_path / "there" / "recordings"
    assert (read_episode(there, 1).states == read_episode(folder, 1).states).all()
    files = {path.relative_to(there) for path in there.rglob("*") if path.is_file()}
    assert files == {
        path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.parts[-1] != ".lock"
    }


def test_an_episode_that_ends_meanwhile_is_left_out_whole(tmp_path: Path):
    folder = recorded(tmp_path, 20)
    pieces = tar_pieces(folder)
    found = [next(pieces)]
    with Dataset(folder, "panda") as dataset:
        write_episode(dataset)

    with tarfile.open(fileobj=io.BytesIO(b"".join([*found, *pieces]))) as packed:
        names = packed.getnames()

    assert not [name for name in names if "file-001" in name or "000001" in name]


def test_it_comes_in_pieces_and_nothing_is_nothing_to_export(tmp_path: Path):
    assert max(map(len, tar_pieces(recorded(tmp_path / "some", 20)))) < 4 * PIECE_BYTES
    with pytest.raises(BrokenEpisode, match="nothing in"):
        tar_pieces(tmp_path / "none")
