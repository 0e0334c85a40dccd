from __future__ import annotations

import json
import re

import pytest

CAPTION = {"subjects": [{"description": "ein Löffel"}], "temporal_caption": "The arm lifts it."}
SAMPLE = {
    "resolution": "256",
    "aspect_ratio": "1,1",
    "num_frames": 61,
    "fps": 5,
    "vision_path": "../images/e1.jpg",
    "prompt": "dense words",
}


@pytest.fixture
def val(tmp_path):
    """A validation split of one captioned episode in two kinds of prompts, and one without a caption."""
    for folder in ("captions/e1", "inference_prompt", "inference_prompt_i2v"):
        (tmp_path / "val" / folder).mkdir(parents=True)
    (tmp_path / "val" / "captions" / "e1" / "caption.json").write_text(json.dumps(CAPTION, indent=2))
    for name in ("inference_prompt/e1", "inference_prompt_i2v/e1", "inference_prompt/e2"):
        (tmp_path / "val" / f"{name}.json").write_text(json.dumps(SAMPLE))
    return tmp_path / "val"


def states(result):
    return [re.split(r"\s{2,}", line)[1] for line in result.stdout.splitlines()[1:]]


def test_prompts_become_captions_and_everything_else_stays(orrery, val):
    result = orrery("prompts-to-json", "--val-dir", val)
    assert result.exit_code == 0, result.output
    assert states(result) == ["rewritten", "skipped", "rewritten"]
    assert "was not found" in result.stdout
    for name in ("inference_prompt/e1", "inference_prompt_i2v/e1"):
        assert json.loads((val / f"{name}.json").read_text()) == {**SAMPLE, "prompt": json.dumps(CAPTION)}
    assert json.loads((val / "inference_prompt/e2.json").read_text()) == SAMPLE
    assert states(orrery("prompts-to-json", "--val-dir", val)) == ["unchanged", "skipped", "unchanged"]


def test_a_dry_run_writes_nothing(orrery, val):
    result = orrery("prompts-to-json", "--val-dir", val, "--dry-run")
    assert result.exit_code == 0
    assert states(result) == ["would change", "skipped", "would change"]
    assert json.loads((val / "inference_prompt/e1.json").read_text()) == SAMPLE


def test_captions_may_lie_elsewhere_and_none_at_all_is_a_failure(orrery, val, tmp_path):
    (val / "captions").rename(tmp_path / "elsewhere")
    assert orrery("prompts-to-json", "--val-dir", val).exit_code == 1
    assert orrery("prompts-to-json", "--val-dir", val, "--captions-dir", tmp_path / "elsewhere").exit_code == 0


def test_a_folder_without_prompts_is_refused(refused, tmp_path):
    assert "has no prompt files. Expected in inference_prompt," in refused("prompts-to-json", "--val-dir", tmp_path)
