"""The checkpoint that ships: whole, small, and the same for everybody who can load it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pocket_answers import answered_by_both
from pocket_pictures import drawn_by_diffusers, drawn_by_the_engine, drawn_by_the_modular_pipeline
from studio.checkpoints import check_layout, check_weights, find_checkpoint
from studio.presets import load_presets

PRESETS = load_presets()
FOUND = find_checkpoint("pocket", PRESETS, Path("nowhere"))
FOLDER = FOUND.folder or Path("nowhere")
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file())

MAX_BYTES = 60_000_000
MAX_FILE_BYTES = 10 << 20
"""Of a file that a git host takes without a word."""

pytestmark = pytest.mark.skipif(not FOUND.installed, reason="presets/pocket has no weights in this clone")


def test_it_is_whole_and_small_and_its_preset_says_how_small():
    check_layout(FOLDER)
    size_bytes = check_weights(FOLDER)
    assert sum(path.stat().st_size for path in FILES) <= MAX_BYTES
    assert max(path.stat().st_size for path in FILES) <= MAX_FILE_BYTES
    assert PRESETS["pocket"].weights_gb == pytest.approx(size_bytes / 1e9, abs=0.001)
    assert not PRESETS["pocket"].random_weights


def test_nothing_in_it_names_the_machine_that_it_was_trained_on():
    for path in FILES:
        if path.suffix == ".json":
            assert not json.loads(path.read_text()).get("_name_or_path"), path


def test_it_can_do_what_its_preset_says():
    can = FOUND.capabilities()
    assert can.sound
    assert set(can.embodiments) == {"droid_joint_position", "bridge_orig_lerobot"}
    assert can.max_action_width >= 10


def test_the_engine_and_both_pipelines_of_diffusers_draw_the_same_picture_from_it():
    ours = drawn_by_the_engine(FOLDER)
    assert ours.std() > 5
    for theirs in (drawn_by_diffusers(FOLDER), drawn_by_the_modular_pipeline(FOLDER)):
        assert abs(ours.astype(int) - theirs).max() <= 1


def test_transformers_reads_all_of_its_reasoner_and_writes_the_same_words():
    ours, theirs = answered_by_both(FOLDER, "How many objects are on the table?", 8)
    assert ours == theirs[: len(ours)]
