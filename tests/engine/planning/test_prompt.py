from __future__ import annotations

import shutil

import pytest

from engine.planning.prompt import read_tokenizer, with_sentence
from studio.errors import BrokenCheckpoint


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a cube", "a cube. Wide."),
        ("a cube.", "a cube. Wide."),
        ("a cube...", "a cube. Wide."),
        ("", "Wide."),
        ("...", "Wide."),
    ],
)
def test_a_sentence_is_appended_behind_one_full_stop(text, expected):
    assert with_sentence(text, "Wide.") == expected


@pytest.mark.parametrize("system", [True, False])
def test_token_ids_are_the_pipeline_s(engine, reference, ask, system):
    request = ask("Ein Würfel, 立方体 🎲.", negative_prompt="blurry", use_system_prompt=system)
    theirs = reference.pipeline.tokenize_prompt(
        request.prompt, "blurry", num_frames=1, height=256, width=256, use_system_prompt=system
    )
    ours = engine.begin(request).plan.branches
    assert [list(branch.tokens) for branch in ours] == list(theirs)


def test_a_tokenizer_without_a_chat_template_is_broken(speck, tmp_path):
    shutil.copytree(speck / "text_tokenizer", tmp_path / "text_tokenizer")
    (tmp_path / "text_tokenizer" / "chat_template.jinja").unlink()
    with pytest.raises(BrokenCheckpoint, match="chat template"):
        read_tokenizer(tmp_path / "text_tokenizer")


def test_a_tokenizer_that_is_not_there_is_broken(speck, tmp_path):
    shutil.copytree(speck / "text_tokenizer", tmp_path / "text_tokenizer")
    (tmp_path / "text_tokenizer" / "tokenizer.json").write_text("{")
    with pytest.raises(BrokenCheckpoint, match="cannot be read"):
        read_tokenizer(tmp_path / "text_tokenizer")
