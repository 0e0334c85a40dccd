import json
from pathlib import Path

import numpy as np
import pytest

from robot.commands import Finish, Hold, Recovered, Run, Stop
from robot.recording import Dataset, Recorder, read_episode
from robot.recording.reader import list_episodes, pictures
from robot_fakes import Reply, Rig, stay, sway


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "recordings"


def recorded(folder: Path, rig: Rig, play) -> Path:  # type: ignore[no-untyped-def]
    recorder = Recorder(Dataset(folder, "fr3"))
    rig.loop._listeners = (rig.reports.append, recorder)  # type: ignore
    play()
    recorder.close()
    assert recorder.words == ""
    return folder


def test_what_was_executed_is_what_is_recorded(folder: Path):
    rig = Rig(lambda seen: Reply(0.2, sway() + 0.25))

    def play() -> None:
        rig.start(Run(prompt="sway", record=True))
        rig.seconds(1.5)
        rig.tell(Finish()).result(0)

    episode = read_episode(recorded(folder, rig, play), 0)

    np.testing.assert_allclose(episode.actions[-1], rig.arm.targets[-1], atol=1e-6)
    assert len(episode.actions) == len(rig.arm.targets)
    assert episode.summary.task == "sway"
    assert episode.summary.ended == "ready"
    assert [len(list(pictures(path))) for path in episode.videos.values()] == [len(episode.actions)] * 3


def test_a_run_that_does_not_ask_for_it_is_not_recorded(folder: Path):
    rig = Rig()

    def play() -> None:
        rig.start(Run(record=False))
        rig.seconds(1)

    recorded(folder, rig, play)

    assert list_episodes(folder) == []


def test_a_fault_is_in_the_recording_in_words(folder: Path):
    rows = stay()
    rows[10:, 0] += 1
    rig = Rig(lambda seen: Reply(0.2, rows))

    def play() -> None:
        rig.start(Run(record=True))
        rig.seconds(3)

    episode = read_episode(recorded(folder, rig, play), 0)

    assert episode.summary.ended == "too_far"
    assert "too_far" in [event["code"] for event in episode.notes["events"]]
    assert "0.6 rad" in json.dumps(episode.notes["events"])


def test_every_run_is_an_episode_of_its_own_and_rest_is_left_out(folder: Path):
    rig = Rig()

    def play() -> None:
        rig.start(Run(record=True))
        rig.seconds(1)
        rig.tell(Hold()).result(0)
        rig.seconds(20)
        rig.tell(Stop()).result(0)
        rig.tell(Recovered()).result(0)
        rig.start(Run(record=True))
        rig.seconds(1)

    recorded(folder, rig, play)

    assert [summary.ended for summary in list_episodes(folder)] == ["button", "closed"]
    assert list_episodes(folder)[0].num_frames < 35


def test_in_shadow_the_action_is_where_the_arm_was(folder: Path):
    rig = Rig(lambda seen: Reply(0.2, sway()))

    def play() -> None:
        rig.start(Run(mode="shadow", record=True))
        rig.seconds(2)

    episode = read_episode(recorded(folder, rig, play), 0)

    np.testing.assert_allclose(episode.actions, episode.states)
    assert np.abs(episode.wanted - episode.states).max() > 0.1


def test_a_disk_that_fails_ends_the_recording_and_not_the_run(folder: Path):
    rig = Rig()
    dataset = Dataset(folder, "fr3")
    recorder = Recorder(dataset)
    rig.loop._listeners = (rig.reports.append, recorder)  # type: ignore
    (folder / ".recording").write_text("in the way")

    rig.start(Run(record=True))
    rig.seconds(1)
    recorder.close()

    assert "cannot be written" in recorder.words
    assert rig.state == "running"
