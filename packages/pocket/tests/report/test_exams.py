"""Right answers in a candidate's place reach the ceiling, those to other questions the chance level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pocket.report.candidate import Filmed
from pocket.report.continuing import Continuing
from pocket.report.criticising import Criticising, CriticTask, Verdicts
from pocket.report.describing import Describing, Description, caption_fields, short_questions
from pocket.report.exam import Exam
from pocket.report.examiners import beside
from pocket.report.exams import EXAMS, FORMS
from pocket.report.following import ControlTask, Followed, Following
from pocket.report.foreseeing import FindingActions, Foreseeing, Stretch
from pocket.report.likeness import MAX_PSNR_DB
from pocket.report.locating import Locating
from pocket.report.pictures import Pictures, PictureTask
from pocket.report.rendering import PROMPTS, held_out
from pocket.report.running import questions_of
from pocket.report.starting import Starting
from pocket.report.timing import Timing, TimingTask
from pocket.report.upsampling import Upsampling
from pocket.world import Episode
from pocket.world.prompts import draw_prompt
from pocket_flat_world import flat_episode


def levels(exam: Exam[Any, Any], *tasks: Any) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The first question's marks for the right answer, and for what knows nothing."""
    first = questions_of(exam, tasks)[0]
    marks = beside(exam, first.task, first.other)
    return marks["ceiling"], marks["chance"]


def test_every_form_asks_something_in_every_exam_and_every_figure_has_one_name():
    names = [figure.name for exam in EXAMS for figure in exam.figures]

    assert len(set(names)) == len(names)
    for form in FORMS.values():
        assert set(form.counts) == {exam.name for exam in EXAMS}
        assert min(form.counts.values()) >= 1


def test_pictures(stills):
    prompts = [draw_prompt(seed) for seed in held_out(PROMPTS, 2)]
    tasks = [PictureTask(prompt, 0, still) for prompt, still in zip(prompts, stills, strict=True)]

    ceiling, chance = levels(Pictures(), *tasks)

    assert ceiling["picture_all_right"] == ceiling["picture_colours"] == ceiling["picture_count"] == 1
    assert chance["picture_all_right"] == 0


def test_clips_that_begin_with_a_picture(clips):
    ceiling, chance = levels(Starting(), *clips)

    assert ceiling["i2v_first_frame_psnr_db"] == MAX_PSNR_DB
    assert chance["i2v_first_frame_psnr_db"] < 25


def test_clips_that_move_as_they_should():
    clips = [flat_episode("clip", seed) for seed in (0, 1)]
    assert clips[0].frames[0, 32, 18].tolist() != clips[1].frames[0, 32, 18].tolist()

    ceiling, chance = levels(Starting(), *clips)

    assert (ceiling["i2v_motion_ratio"], ceiling["i2v_motion_iou"]) == (1, 1)
    still = Starting().mark(clips[0], Filmed(clips[0].frames[:1].repeat(17, axis=0), 10.0))
    assert (still["i2v_motion_ratio"], still["i2v_motion_iou"]) == (0, 0)
    assert chance["i2v_first_frame_psnr_db"] < 25


def test_clips_that_go_on(clips):
    ceiling, chance = levels(Continuing(), *clips)

    assert ceiling["v2v_kept_psnr_db"] == ceiling["v2v_next_psnr_db"] == MAX_PSNR_DB
    assert ceiling["v2v_seam"] < 5
    assert chance["v2v_kept_psnr_db"] == MAX_PSNR_DB
    assert chance["v2v_next_psnr_db"] < 25
    assert chance["v2v_seam"] > 3 * ceiling["v2v_seam"]


@pytest.mark.parametrize(
    ("hint", "figure", "least"),
    [("edge", "edge_f1", 0.999), ("seg", "mask_iou", 0.6), ("depth", "depth_si_rmse", None)],
)
def test_clips_that_follow_a_control(clips, hint, figure, least):
    ceiling, chance = levels(Following(), ControlTask(clips[0], hint, clips[1]))

    if least is None:
        assert ceiling[figure] < 0.2
        assert ceiling[figure] < chance[figure]
    else:
        assert ceiling[figure] >= least
        assert chance[figure] < 0.6 * ceiling[figure]


def test_outlines_are_measured_beside_a_clip_without_the_control(clips):
    task = ControlTask(clips[0], "edge", clips[1])
    marks = Following().mark(task, Followed(clips[0].frames, free=clips[1].frames))

    assert marks["edge_f1"] > 0.999
    assert 0 < marks["edge_f1_free"] < 0.6
    assert marks["edge_times"] == pytest.approx(marks["edge_f1"] / marks["edge_f1_free"])


def _stretch(seed: int) -> Stretch:
    """A bright bar that an arm's first joint moves across the picture."""
    rows = np.zeros((32, 8), np.float32)
    rows[:, 0], rows[16:, 7] = (1 - 2 * seed) * np.linspace(0, 1, 32), 1 - seed
    frames = np.zeros((33, 20, 40, 3), np.uint8)
    for index, frame in enumerate(frames):
        frame[:, index : index + 4] = 200
    return Stretch("pick up the red cube", frames, rows, seed)


def test_frames_that_actions_lead_to_are_measured_against_copying_the_last_one():
    ceiling, chance = levels(Foreseeing(), _stretch(0), _stretch(1))

    assert ceiling["fd_psnr_db"] == MAX_PSNR_DB
    assert ceiling["fd_gain_db"] > 30
    assert chance["fd_gain_db"] == 0


def test_rows_between_frames():
    ceiling, chance = levels(FindingActions(), _stretch(0), _stretch(1))

    assert ceiling == {"id_error_rad": 0, "id_gripper": 1}
    assert chance["id_error_rad"] == pytest.approx(1 / 7, rel=0.01)
    assert chance["id_gripper"] == 0.5


def test_descriptions_and_short_questions(stills):
    for still in stills:
        ceiling, _ = levels(Describing(), still, stills[0])
        assert ceiling == {"caption_fields": 1, "answers": 1}
    _, chance = levels(Describing(), *stills)
    assert chance["caption_fields"] < 0.7
    silent = Describing().mark(stills[0], Description("", ("",) * len(short_questions(stills[0]))))
    assert silent == {"caption_fields": 0, "answers": 0}


def test_a_fact_that_is_said_wrongly_is_one_field_less(stills):
    prose = Describing().truth(stills[0]).prose
    colour = stills[0].things[0].colour
    said = caption_fields(stills[0], prose.replace(colour, "mauve"))

    assert not all(said.values())
    assert all(right for name, right in said.items() if colour not in name)


def test_captions_from_prose(stills):
    ceiling, chance = levels(Upsampling(), *stills)

    assert ceiling == {"json_valid": 1, "json_fields": 1}
    assert chance["json_fields"] < 0.9
    assert Upsampling().mark(stills[0], '{"subjects": [')["json_valid"] == 0


def test_boxes(stills):
    ceiling, chance = levels(Locating(), *stills)

    assert ceiling == {"box_iou": 1, "box_recall": 1, "box_extra": 0}
    assert chance["box_recall"] < 0.6
    assert Locating().mark(stills[0], "I see nothing.")["box_iou"] == 0


def _timing(clips: tuple[Episode, Episode]) -> TimingTask:
    clip = clips[0]
    asked = next(question for question in clip.questions if question.kind == "intervals")
    answer = '[{"start": "00:00.10", "end": "00:00.30", "caption": "It is lifted."}]'
    return TimingTask(clip, replace(asked, answer=answer))


def test_times_of_events(clips):
    task = _timing(clips)

    ceiling, chance = levels(Timing(), task)

    assert ceiling == {"event_mae_s": 0, "event_mre": 0, "event_found": 1}
    # The clip lasts 0.6 s: off by 0.1 and by 0.3.
    assert chance["event_mae_s"] == pytest.approx(0.2)
    assert chance["event_mre"] == pytest.approx(1.0)
    assert Timing().mark(task, "never")["event_mae_s"] == task.clip.duration_s


def test_verdicts(stills):
    tasks = [
        CriticTask(still, *(next(each for each in still.critiques if each.matches is fits) for fits in (True, False)))
        for still in stills
    ]

    ceiling, chance = levels(Criticising(), *tasks)

    assert ceiling == {"critic_auc": 1, "critic_readable": 1}
    assert chance["critic_auc"] == 0.5
    assert Criticising().mark(tasks[0], Verdicts("good", "bad")) == {"critic_auc": 0.5, "critic_readable": 0}
