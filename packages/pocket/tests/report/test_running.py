"""The command end to end on an untrained checkpoint of toy size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pocket.report.__main__ import main
from pocket.report.contact_sheet import save_sheet
from pocket.report.exam import Shown
from pocket.report.examiners import SHOWN_PX, Answered
from pocket.report.exams import EXAMS
from pocket.report.running import wanted_exams
from studio.checkpoints import SHIPPED


def test_one_prompt_goes_through_the_whole_command_and_is_kept(toy, graphics, tmp_path, capsys):
    asked = ["--checkpoint", str(toy), "--one", "--only", "pictures", "--out", str(tmp_path / "card.md")]
    assert main(asked) == 0
    table = capsys.readouterr().out

    assert (tmp_path / "card.md").read_text() == table
    card = json.loads((tmp_path / "card.json").read_text())
    figure = card["exams"]["pictures"]["figures"]["picture_all_right"]
    assert (figure["value"], figure["ceiling"], figure["num_samples"]) == (0.0, 1.0, 1)

    assert main(asked) == 0
    again = capsys.readouterr()
    assert again.out == table
    assert "kept from before" in again.err


def test_a_card_without_a_checkpoint_says_what_is_missing(tmp_path, capsys):
    assert main(["--quick"]) == 1
    assert "--checkpoint" in capsys.readouterr().err
    assert main(["--quick", "--checkpoint", str(tmp_path)]) == 1
    assert capsys.readouterr().err


def test_the_sheet_shows_each_picture_with_its_prompt(tmp_path):
    picture = np.full((SHOWN_PX, SHOWN_PX, 3), 100, np.uint8)
    answers = [Answered({"candidate": {"all": 1.0}}, Shown((picture,), ("a red cube",))), Answered({"candidate": {}})]

    save_sheet(tmp_path / "sheets" / "pictures.png", answers)
    save_sheet(tmp_path / "nothing.png", answers[1:])

    with Image.open(tmp_path / "sheets" / "pictures.png") as sheet:
        assert sheet.width > 3 * SHOWN_PX
        assert SHOWN_PX <= sheet.height < 2 * SHOWN_PX
        assert sheet.getpixel((5, 5)) == (100, 100, 100)
    assert not (tmp_path / "nothing.png").exists()


def test_the_policy_is_never_asked_before_a_chunk_was_timed():
    assert [exam.name for exam in wanted_exams(["policy"])] == ["chunk", "policy"]
    assert [exam.name for exam in wanted_exams(["boxes"])] == ["boxes"]
    assert wanted_exams(()) == list(EXAMS)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_quick_card_of_the_untrained_is_at_chance(toy, graphics, tmp_path):
    figures = _figures(toy, tmp_path)

    for name in ("picture_all_right", "json_valid", "box_recall", "caption_fields", "policy_lift"):
        assert figures[name]["value"] == 0, name
        assert figures[name]["ceiling"] == 1, name


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not (SHIPPED / "pocket" / "model_index.json").is_file(), reason="no pocket ships yet")
def test_the_quick_card_of_the_pocket_is_above_chance(graphics, tmp_path):
    figures = _figures(SHIPPED / "pocket", tmp_path)

    for name in ("picture_colours", "caption_fields", "answers", "v2v_next_psnr_db"):
        assert figures[name]["value"] > figures[name]["chance"], name


def _figures(checkpoint: Path, folder: Path) -> dict[str, Any]:
    """Of a quick card, asked as on two cores."""
    asked = ["--checkpoint", str(checkpoint), "--quick", "--jobs", "2", "--save", str(folder / "sheets")]
    assert main([*asked, "--out", str(folder / "card.json")]) == 0
    card = json.loads((folder / "card.json").read_text())
    assert list(card["exams"]) == [exam.name for exam in EXAMS]
    assert card["answers_after_s"] >= 0.4
    assert (folder / "sheets" / "pictures.png").is_file()
    return {name: each for exam in card["exams"].values() for name, each in exam["figures"].items()}
