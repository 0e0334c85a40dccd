import json
import threading

import numpy as np
import pytest

from pocket.world import Episode, Settings, make_episode
from pocket.world.beginnings import make_beginnings
from pocket.world.episode import FIRST_THING_ID, POLICY_ROWS, POLICY_SIZE, SAMPLES_PER_SECOND
from robot.simulation.library import GRAPHICS, mujoco
from studio.captions import ImageCaption, VideoCaption


def test_a_clip_holds_what_its_contract_says(clip: Episode):
    num_frames, height, width = 9, 96, 96

    assert clip.frames.shape == (num_frames, height, width, 3)
    assert clip.frames.dtype == np.uint8
    assert clip.depth is not None
    assert clip.depth.shape == (num_frames, height, width)
    assert clip.depth.dtype == np.float16
    assert clip.segmentation is not None
    assert clip.segmentation.shape == (num_frames, height, width)
    assert clip.sound is not None
    assert clip.sound.shape == (2, round(num_frames / 15 * SAMPLES_PER_SECOND))
    assert np.abs(clip.sound).max() <= 1
    assert clip.robot.joint_positions.shape == (num_frames, 7)
    assert clip.robot.targets.shape == (num_frames, 8)
    assert clip.robot.hand_axes.shape == (num_frames, 3, 3)
    assert clip.camera is not None
    assert clip.camera.from_world.shape == (num_frames, 4, 4)
    for thing in clip.things:
        assert thing.poses.shape == (num_frames, 7)
        assert thing.boxes.shape == (num_frames, 4)
    assert all(0 <= event.start_s <= event.end_s <= clip.duration_s for event in clip.events)


def test_every_caption_is_of_the_schema_that_the_generator_reads(still: Episode, clip: Episode):
    for episode, model in ((still, ImageCaption), (clip, VideoCaption)):
        assert {wording.detail for wording in episode.wordings} == {"short", "plain", "rich"}
        for wording in episode.wordings:
            model.model_validate_json(wording.caption)
            assert json.loads(wording.caption)["resolution"] == {"H": 96, "W": 96}
            assert "{" not in wording.prose


def test_a_seed_makes_the_same_episode_again(still: Episode):
    again = make_episode("still", 3, Settings(size=(96, 96), num_frames=9, fps=15, plain_arm=True))

    assert (again.frames == still.frames).all()
    assert again.wordings == still.wordings
    assert again.questions == still.questions


@pytest.mark.slow
def test_a_policys_chunks_are_clear_of_disturbances_and_whole(policy_run: Episode):
    num_frames = len(policy_run.frames)

    assert policy_run.frames.shape[1:] == (POLICY_SIZE[1], POLICY_SIZE[0], 3)
    assert policy_run.fps == 15
    assert policy_run.sound is None
    assert policy_run.task.instructions
    assert len(policy_run.robot.chunk_starts)
    for start in policy_run.robot.chunk_starts:
        assert start + POLICY_ROWS < num_frames
        rows = policy_run.robot.expert[start : start + POLICY_ROWS]
        apart = np.abs(rows[:, :7] - policy_run.robot.targets[start : start + POLICY_ROWS, :7])
        assert apart.max() < 0.05


@pytest.mark.slow
def test_glances_are_a_policys_run_at_some_moments_and_the_same_again():
    settings = Settings(plain_arm=True)
    glances = make_episode("glance", 5, settings)

    starts = glances.robot.chunk_starts
    assert len(glances.frames) == len(starts) == 12
    assert list(starts) == sorted(set(starts))
    assert starts[-1] + POLICY_ROWS < len(glances.robot.expert) == len(glances.things[0].poses)
    assert glances.frames.shape[1:] == (POLICY_SIZE[1], POLICY_SIZE[0], 3)
    assert glances.task.instructions
    assert (make_episode("glance", 5, settings).frames == glances.frames).all()


def test_a_things_box_and_its_place_in_the_world_agree(still: Episode):
    """The middle of a thing, seen by the camera's own numbers, lies in its box."""
    assert still.camera is not None
    assert still.segmentation is not None
    for index, thing in enumerate(still.things):
        place = still.camera.from_world[0] @ np.array([*thing.poses[0, :3], 1.0])
        column, row, _ = still.camera.intrinsics @ (place[:3] / place[2])
        x1, y1, x2, y2 = thing.boxes[0] * 96 / 1000

        assert x1 <= column <= x2
        assert y1 <= row <= y2
        assert still.segmentation[0, int(row), int(column)] == FIRST_THING_ID + index


def test_depth_is_the_distance_along_the_cameras_axis(still: Episode):
    assert still.camera is not None
    assert still.depth is not None
    for thing in still.things:
        place = still.camera.from_world[0] @ np.array([*thing.poses[0, :3], 1.0])
        column, row, _ = still.camera.intrinsics @ (place[:3] / place[2])
        nearer_m = float(place[2]) - float(still.depth[0, int(row), int(column)])

        assert 0 < nearer_m < 2 * float(thing.half_size.max())


def test_every_question_has_an_answer_that_its_reader_takes(still: Episode, clip: Episode):
    kinds = {question.kind for episode in (still, clip) for question in episode.questions}

    assert {"count", "exists", "boxes", "points", "caption", "action", "intervals"} <= kinds
    for question in (*still.questions, *clip.questions):
        assert question.answer
        assert question.answer not in question.wrong
        if question.kind in ("boxes", "points", "intervals"):
            assert isinstance(json.loads(question.answer), list)


def test_a_critic_is_shown_one_prompt_that_fits_and_some_that_do_not(still: Episode):
    fits, *others = still.critiques

    assert fits.matches
    assert all(verdict == "present" for _, verdict in fits.elements)
    assert len(others) == 3
    assert any(not critique.matches for critique in others)
    for critique in others:
        assert critique.matches == all(verdict == "present" for _, verdict in critique.elements)


def test_all_that_is_drawn_on_a_thread_shares_one_opengl_context(monkeypatch: pytest.MonkeyPatch):
    if not GRAPHICS.can_draw:
        pytest.skip(GRAPHICS.problem)
    make, made = mujoco.GLContext, list[object]()

    def counted(*size: int) -> object:
        made.append(make(*size))
        return made[-1]

    monkeypatch.setattr(mujoco, "GLContext", counted)
    settings = Settings(size=(96, 96), num_frames=1, fps=15, plain_arm=True)
    pictures: list[list[np.ndarray]] = []

    def draw() -> None:
        pictures.append([make_episode("still", seed, settings).frames for seed in (3, 5, 3)])
        make_beginnings(2, settings)

    threads = [threading.Thread(target=draw) for _ in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
    assert len(made) == len(threads)
    (first, other, again), elsewhere = pictures[0], pictures[1]
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.array_equal(first, elsewhere[0])
