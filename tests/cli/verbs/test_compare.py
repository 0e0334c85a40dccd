"""`orrery compare`: what is typed becomes axes, and what cannot be is said."""

from pathlib import Path

import pytest

from cli.verbs.compare import axes_of, form_of, place_of
from studio.errors import BadInput


def test_values_are_what_they_look_like_and_words_otherwise():
    axes = axes_of(["a", "b"], ["sampling.seed=1,2", "resolution=256", "sound=true,false"])

    assert axes == {"checkpoint": ["a", "b"], "sampling.seed": [1, 2], "resolution": ["256"], "sound": [True, False]}


@pytest.mark.parametrize("axis", ["seed", "seed=", "=1"])
def test_an_axis_needs_a_field_and_values(axis: str):
    with pytest.raises(BadInput, match="FIELD=VALUE"):
        axes_of([], [axis])


def test_the_form_of_an_export_is_its_suffix():
    assert form_of(Path("x.ZIP")) == "zip"
    with pytest.raises(BadInput, match=r"must end in one of \.mp4, \.zip, \.csv"):
        form_of(Path("x.gif"))


def test_the_cell_that_is_heard_is_named_by_row_and_column():
    assert place_of("1, 12") == (0, 11)
    for text in ("", "1", "0,1", "1,0", "-1,1", "1,2,3", "a,b"):
        with pytest.raises(BadInput, match="expected ROW,COLUMN, counted from 1"):
            place_of(text)


def test_what_is_heard_needs_a_clip(refused, tmp_path: Path):
    assert "--heard needs an .mp4 output" in refused("compare", "x", "--heard", "1,1", "-o", tmp_path / "table.csv")
