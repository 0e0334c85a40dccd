from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.captions.training_data import prompts_to_json
from studio.errors import BadInput

pytestmark = pytest.mark.anyio

CAPTION = {"background_setting": "küche", "temporal_caption": "An arm.", "fps": 5}
RECORD = {"name": "ep0", "prompt": "old", "resolution": "256", "num_frames": 61, "fps": 5, "vision_path": "../v.mp4"}


@pytest.fixture
def val(tmp_path: Path) -> Path:
    for name in ("ep0", "ep1"):
        (tmp_path / "captions" / name).mkdir(parents=True)
    (tmp_path / "captions" / "ep0" / "caption.json").write_text(json.dumps(CAPTION))
    (tmp_path / "captions" / "ep1" / "caption.json").write_text("{broken")
    for folder in ("inference_prompt", "inference_prompt_i2v", "inference_prompt_v2v", "inference_prompt_other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ep0.json").write_text(json.dumps(RECORD))
    (tmp_path / "inference_prompt" / "ep1.json").write_text(json.dumps(RECORD))
    (tmp_path / "inference_prompt" / "ep2.json").write_text(json.dumps(RECORD))
    return tmp_path


async def test_prompts_become_captions_and_the_rest_stays(val: Path):
    done = await prompts_to_json(val)

    for folder in ("inference_prompt", "inference_prompt_i2v", "inference_prompt_v2v"):
        record = json.loads((val / folder / "ep0.json").read_text())
        assert record == {**RECORD, "prompt": json.dumps(CAPTION)}
        assert list(record) == list(RECORD)
    assert json.loads((val / "inference_prompt_other" / "ep0.json").read_text()) == RECORD
    assert [outcome.changed for outcome in done] == [True, False, False, True, True]
    assert "not JSON" in done[1].skipped
    assert "was not found" in done[2].skipped


async def test_doing_it_again_changes_nothing(val: Path):
    await prompts_to_json(val)
    before = {path: path.stat().st_mtime_ns for path in val.rglob("*.json")}

    done = await prompts_to_json(val)

    assert not any(outcome.changed for outcome in done)
    assert {path: path.stat().st_mtime_ns for path in val.rglob("*.json")} == before


async def test_a_dry_run_says_what_it_would_do_and_writes_nothing(val: Path):
    done = await prompts_to_json(val, dry_run=True)

    assert done[0].changed
    assert done[0].num_characters == len(json.dumps(CAPTION))
    assert json.loads((val / "inference_prompt" / "ep0.json").read_text()) == RECORD


async def test_captions_may_lie_elsewhere(val: Path, tmp_path_factory: pytest.TempPathFactory):
    elsewhere = tmp_path_factory.mktemp("captions")
    (elsewhere / "ep2").mkdir()
    (elsewhere / "ep2" / "caption.json").write_text(json.dumps(CAPTION))

    done = await prompts_to_json(val, captions_dir=elsewhere)

    assert [Path(outcome.path).name for outcome in done if outcome.changed] == ["ep2.json"]


async def test_a_folder_without_prompts_is_said(tmp_path: Path):
    with pytest.raises(BadInput, match="no prompt files"):
        await prompts_to_json(tmp_path)
