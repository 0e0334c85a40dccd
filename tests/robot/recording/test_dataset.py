import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import robot_episodes
from robot.faults import BrokenEpisode
from robot.recording import Dataset, read_episode
from robot.recording.features import COLUMNS, VIDEOS
from robot.recording.reader import list_episodes, mark, pictures
from robot_episodes import frame, recorded, write_episode
from studio.errors import Conflict, EpisodeNotFound


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "recordings"


def test_an_episode_is_read_back_with_pyarrow_and_pyav(folder: Path):
    recorded(folder, 20)

    table = pq.read_table(folder / "data/chunk-000/file-000.parquet")
    info = json.loads((folder / "meta/info.json").read_text())

    assert table.num_rows == 20
    assert set(table.column_names) == set(COLUMNS)
    assert set(info["features"]) == set(COLUMNS) | set(VIDEOS)
    assert info["fps"] == 15
    assert info["codebase_version"] == "v3.0"
    assert info["robot_type"] == "panda"
    assert (info["total_episodes"], info["total_frames"], info["total_tasks"]) == (1, 20, 1)
    assert table["timestamp"].to_pylist() == pytest.approx([number / 15 for number in range(20)])
    assert table["index"].to_pylist() == list(range(20))
    for name, (width, height) in VIDEOS.items():
        with av.open(str(folder / f"videos/{name}/chunk-000/file-000.mp4")) as container:
            stream = container.streams.video[0]
            frames = list(container.decode(video=0))
        assert len(frames) == 20
        assert (stream.width, stream.height) == (width, height)
        assert float(stream.average_rate) == 15
        assert frames[10].to_ndarray(format="rgb24").mean() == pytest.approx(50, abs=3)


def test_the_columns_have_the_shapes_that_lerobot_expects(folder: Path):
    recorded(folder, 3)

    schema = pq.read_schema(folder / "data/chunk-000/file-000.parquet")

    assert str(schema.field("action.joint_position").type) == "fixed_size_list<element: float>[7]"
    assert str(schema.field("action.gripper_position").type) == "float"
    assert str(schema.field("task_index").type) == "int64"


def test_tasks_are_found_by_their_words_with_pandas_and_counted_once(folder: Path):
    with Dataset(folder, "panda") as dataset:
        for task in ("red", "blue", "red"):
            write_episode(dataset, task, num_frames=3)

    tasks = pd.read_parquet(folder / "meta/tasks.parquet")

    assert tasks.loc["blue", "task_index"] == 1
    assert len(tasks) == 2
    assert pq.read_table(folder / "data/chunk-000/file-002.parquet")["task_index"].to_pylist() == [0, 0, 0]


def test_the_lines_of_the_episodes_follow_each_other(folder: Path):
    recorded(folder, 5, 7)

    line = pq.read_table(folder / "meta/episodes/chunk-000/file-001.parquet").to_pylist()[0]

    assert (line["dataset_from_index"], line["dataset_to_index"], line["length"]) == (5, 12, 7)
    assert (line["data/chunk_index"], line["data/file_index"]) == (0, 1)
    assert line["videos/observation.image.wrist_image_left/to_timestamp"] == pytest.approx(7 / 15)
    assert line["tasks"] == ["pick the red cube"]
    assert np.array(line["stats/observation.image.wrist_image_left/mean"]).shape == (3, 1, 1)


def test_the_statistics_of_the_whole_are_those_of_all_its_frames(folder: Path):
    recorded(folder, 5, 9)

    stats = json.loads((folder / "meta/stats.json").read_text())["observation.state.joint_positions"]
    first = np.array([frame(number).state[0] for number in [*range(5), *range(9)]])

    assert stats["count"] == [14]
    assert stats["mean"][0] == pytest.approx(first.mean(), abs=1e-6)
    assert stats["std"][0] == pytest.approx(first.std(), abs=1e-6)
    assert stats["max"][0] == pytest.approx(first.max(), abs=1e-6)


def test_our_reader_gives_back_what_was_recorded(folder: Path):
    recorded(folder, 4)

    episode = read_episode(folder, 0)

    np.testing.assert_allclose(episode.states[3], frame(3).state, atol=1e-6)
    np.testing.assert_allclose(episode.actions[3], frame(3).action, atol=1e-6)
    np.testing.assert_allclose(episode.wanted[3], frame(3).wanted, atol=1e-6)
    assert episode.clamped[0].tolist() == [False, False, True, False, False, False, False]
    assert [len(list(pictures(path))) for path in episode.videos.values()] == [4, 4, 4]
    assert episode.summary.num_frames == 4


def test_kill_9_in_the_middle_of_the_second_episode_leaves_the_first_whole(folder: Path):
    process = subprocess.Popen(
        [sys.executable, robot_episodes.__file__, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(robot_episodes.__file__).parent.parent,
        env={**os.environ, "PYTHONPATH": str(Path(robot_episodes.__file__).parent.parent)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "in the middle of the second\n"
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    process.stdout.close()

    assert [summary.num_frames for summary in list_episodes(folder)] == [20]
    episode = read_episode(folder, 0)
    assert len(episode.states) == 20
    assert [len(list(pictures(path))) for path in episode.videos.values()] == [20, 20, 20]

    with Dataset(folder, "panda") as dataset:
        assert not [path for path in (folder / ".recording").iterdir() if path.is_dir()]
        assert write_episode(dataset, num_frames=6) == 1
    assert [summary.num_frames for summary in list_episodes(folder)] == [20, 6]
    assert json.loads((folder / "meta/info.json").read_text())["total_frames"] == 26


@pytest.mark.parametrize("lost", ["meta/info.json", "meta/stats.json", "meta/tasks.parquet"])
def test_what_follows_from_the_episodes_is_written_again(folder: Path, lost: str):
    recorded(folder, 4)
    before = (folder / lost).read_bytes()
    (folder / lost).unlink()

    Dataset(folder, "panda").close()

    assert (folder / lost).read_bytes() == before


def test_files_of_an_episode_that_never_got_its_line_are_written_over(folder: Path):
    recorded(folder, 4)
    (folder / "meta/episodes/chunk-000/file-000.parquet").unlink()

    with Dataset(folder, "panda") as dataset:
        assert dataset.num_episodes == 0
        assert write_episode(dataset, num_frames=6) == 0
    assert len(read_episode(folder, 0).states) == 6


def test_two_programs_do_not_record_into_one_folder(folder: Path):
    with Dataset(folder, "panda"), pytest.raises(Conflict):
        Dataset(folder, "panda")

    Dataset(folder, "panda").close()


def test_an_operator_marks_success_and_changes_their_mind(folder: Path):
    recorded(folder, 2)
    assert list_episodes(folder)[0].success is None

    mark(folder, 0, True)
    assert list_episodes(folder)[0].success is True
    mark(folder, 0, False)
    assert list_episodes(folder)[0].success is False
    assert list_episodes(folder)[0].ended == "ready"


def test_what_is_not_there_or_broken_is_said_in_words(folder: Path):
    recorded(folder, 2)

    with pytest.raises(EpisodeNotFound, match="no episode 3"):
        read_episode(folder, 3)
    with pytest.raises(EpisodeNotFound, match="no episode 3"):
        mark(folder, 3, True)
    (folder / "data/chunk-000/file-000.parquet").write_bytes(b"PAR1 and nothing")
    with pytest.raises(BrokenEpisode, match="cannot be read"):
        read_episode(folder, 0)
    video = folder / "videos/observation.image.wrist_image_left/chunk-000/file-000.mp4"
    video.write_bytes(b"nothing")
    with pytest.raises(BrokenEpisode, match="cannot be read"):
        list(pictures(video))


def test_a_folder_that_cannot_be_made_is_said_in_words(tmp_path: Path):
    (tmp_path / "file").write_text("")

    with pytest.raises(BrokenEpisode, match="cannot be written"):
        Dataset(tmp_path / "file" / "recordings", "panda")
