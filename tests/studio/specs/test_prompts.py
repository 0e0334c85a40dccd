from __future__ import annotations

import json

from studio.specs import CheckpointDefaults


def test_a_structured_caption_takes_the_clips_figures_over_what_it_said(asked):
    caption = {"subjects": ["a cube"], "fps": 5, "duration": "17s", "resolution": {"H": 1, "W": 1}}
    said = asked(prompt=json.dumps(caption), resolution="480", num_frames=25, fps=12, aspect_ratio="4,3")
    assert json.loads(said["prompt"]) == {
        "subjects": ["a cube"],
        "duration": "2s",
        "fps": 12.0,
        "resolution": {"H": 544, "W": 736},
        "aspect_ratio": "4,3",
    }
    assert said["use_resolution_template"] is said["use_duration_template"] is False


def test_a_picture_has_no_duration_and_the_presets_size(read):
    checkpoint = CheckpointDefaults("speck", {"generate_image": {"resolution": "480"}})
    samples, _ = read(model_mode="text2image", prompt={"subjects": [], "duration": "3s"}, checkpoint=checkpoint)
    assert json.loads(samples[0].request.prompt) == {
        "subjects": [],
        "resolution": {"H": 640, "W": 640},
        "aspect_ratio": "1,1",
    }
    assert samples[0].request.resolution == "480"


def test_a_list_is_plain_text(asked):
    assert asked(prompt="[1, 2]")["prompt"] == "[1, 2]"


def test_prompts_come_from_files_beside_the_spec(asked, specs):
    (specs / "words.txt").write_text("  a cube \n")
    (specs / "caption.json").write_text('{\n "subjects": []\n}')
    (specs / "negative.json").write_text('{"subjects": ["blur"]}')
    said = asked(prompt_path="words.txt", negative_prompt_file="negative.json")
    assert (said["prompt"], said["negative_prompt"]) == ("a cube", '{"subjects": ["blur"]}')
    assert json.loads(asked(prompt_path="caption.json")["prompt"])["subjects"] == []
    assert asked(prompt="said here", prompt_path="words.txt")["prompt"] == "said here"


def test_the_frameworks_own_negative_prompt_is_not_shipped_and_said_so(one, refused):
    sample = one(prompt="x", negative_prompt_file="neg_prompts.json")
    assert sample.request.negative_prompt == ""
    assert sample.notes == ("neg_prompts.json is part of the framework and not shipped; no negative prompt is used.",)
    said = refused(prompt="x", negative_prompt_file="mine.json")
    assert "negative_prompt_file is 'mine.json'; the file was not found." in said


def test_templates_can_be_had_or_left_out_and_not_changed(asked, refused):
    said = asked(prompt="x", duration_template="", resolution_template="This video is of {height}x{width} resolution.")
    assert (said["use_duration_template"], said["use_resolution_template"]) == (False, True)
    assert "only the sentence that the model was trained on" in refused(prompt="x", duration_template="It is long.")


def test_a_sample_without_words_is_refused(refused):
    assert "prompt is missing. Send prompt, or prompt_path." in refused(model_mode="text2video")
    assert "the prompt is empty" in refused(prompt=" ")
