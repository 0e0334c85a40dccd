"""The command end to end on an untrained checkpoint of toy size."""

from __future__ import annotations

import json

import pytest

from pocket.report.__main__ import main
from pocket.report.exams import EXAMS


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


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_exam_runs_and_the_untrained_are_at_chance(toy, graphics, tmp_path, capsys):
    assert main(["--checkpoint", str(toy), "--one", "--out", str(tmp_path / "card.json")]) == 0

    card = json.loads((tmp_path / "card.json").read_text())
    figures = {name: each for exam in card["exams"].values() for name, each in exam["figures"].items()}
    assert list(card["exams"]) == [exam.name for exam in EXAMS]
    for name in ("picture_all_right", "json_valid", "box_recall", "caption_fields", "policy_lift"):
        assert figures[name]["value"] == 0, name
        assert figures[name]["ceiling"] == 1, name
