"""What is asked becomes rows, columns and the request of every cell; cells of one checkpoint stand together."""

import pytest

from backend.comparisons.grid import draw_up, in_order
from backend.jobs.queue_service import varied
from library_rows import reference
from studio.comparisons import CompareRequest
from studio.errors import BadInput

CLIP = "u0123456789abcdef"


def grid(asked: dict[str, object], **known: object):
    said = {"recipes": {}, "first_frames": {}, "titles": {}, "seed": 7, **known}
    return draw_up(CompareRequest.model_validate(asked), **said)  # type: ignore[arg-type]


def test_every_subject_meets_every_combination_and_shares_one_seed():
    drawn, requests = grid(
        {
            "request": {"kind": "generate_image"},
            "axes": {"checkpoint": ["a", "b"], "sampling.num_inference_steps": [4, 8]},
            "subjects": [{"request": {"prompt": "one"}}, {"label": "Two", "request": {"prompt": "two"}}],
        },
        titles={"a": "Before"},
    )

    assert drawn.rows == ("one", "Two")
    assert [column.label for column in drawn.columns] == [
        *("Before · 4 steps", "Before · 8 steps", "b · 4 steps", "b · 8 steps")
    ]
    assert [(each["prompt"], each["checkpoint"]) for each in requests[3:5]] == [("one", "b"), ("two", "a")]
    assert {each["sampling"]["seed"] for each in requests} == {7}
    assert [place.index for place in drawn.places] == list(range(8))


def test_a_ground_truth_becomes_three_rows_and_the_first_column():
    drawn, requests = grid(
        {
            "axes": {"checkpoint": ["a", "b"]},
            "column_labels": ["before", "after"],
            "subjects": [
                {
                    "reference": CLIP,
                    "starts": ["t2v", "i2v", "v2v"],
                    "request": {"kind": "generate_video", "prompt": "x"},
                }
            ],
        },
        first_frames={CLIP: reference("u00000000000000ff")},
    )

    assert [column.label for column in drawn.columns] == ["ground truth", "before", "after"]
    assert drawn.rows == ("x · text", "x · first frame", "x · first frames")
    starts = [(each.get("start_image"), each.get("source_video")) for each in requests[::2]]
    assert starts == [(None, None), ("u00000000000000ff", None), (None, CLIP)]
    assert [place.media_id for place in drawn.places if place.column == 0] == [CLIP] * 3


def test_library_items_alone_are_shown_and_nothing_is_made():
    drawn, requests = grid({"subjects": [{"shown": [CLIP, "0123456789ab-0"]}], "shown_labels": ["A"]})

    assert requests == []
    assert [(column.label, column.role) for column in drawn.columns] == [("A", "shown"), ("2", "shown")]


def test_a_recipe_lies_under_what_is_said_and_an_axis_over_it():
    _, (one, other) = grid(
        {"subjects": [{"item": "0123456789ab-0", "request": {"prompt": "new"}}], "axes": {"adapter.scale": [0.5, 1]}},
        recipes={
            "0123456789ab-0": {
                "kind": "generate_image",
                "prompt": "old",
                "adapter": {"name": "x"},
                "sampling": {"seed": 3},
            }
        },
    )

    assert one == {
        "kind": "generate_image",
        "prompt": "new",
        "adapter": {"name": "x", "scale": 0.5},
        "sampling": {"seed": 3},
    }
    assert other["adapter"]["scale"] == 1


def test_an_axis_reaches_into_a_list_and_says_where_it_leads_nowhere():
    request = {"controls": [{"hint": "edge"}, {"hint": "blur"}]}
    assert varied(request, {"controls.1.weight": 2})["controls"][1] == {"hint": "blur", "weight": 2}
    with pytest.raises(BadInput, match="item 2 of a list of 2"):
        varied(request, {"controls.2.weight": 2})
    with pytest.raises(BadInput, match="not an object"):
        varied({"prompt": "x"}, {"prompt.words": 2})
    assert request == {"controls": [{"hint": "edge"}, {"hint": "blur"}]}


def test_too_large_a_grid_is_refused():
    with pytest.raises(BadInput, match="1,001 cells"):
        grid({"request": {"prompt": "x"}, "axes": {"sampling.seed": list(range(1001))}, "subjects": [{}]})


def test_a_grid_of_endless_size_is_refused_before_it_is_drawn_up():
    axes = {f"sampling.seed{axis}": list(range(10)) for axis in range(16)}
    with pytest.raises(BadInput, match="10,000,000,000,000,000 cells"):
        grid({"request": {"kind": "generate_image", "prompt": "one"}, "axes": axes, "subjects": [{}]})


def test_the_path_of_an_axis_has_an_end():
    with pytest.raises(BadInput, match="the maximum is 200"):
        varied({}, {".".join("a" * 3000): 1})


def test_cells_of_a_checkpoint_stand_together_and_what_is_loaded_comes_first():
    assert in_order(["a", "b", "c", "a", "b", "c"], frozenset({"b"})) == [1, 4, 0, 3, 2, 5]


def test_words_of_each_prompt_are_replaced_in_columns_of_their_own():
    words = ["red", "blue", ""]
    drawn, requests = grid(
        {
            "axes": {"prompt": [{"replace": "red", "with": each} for each in words]},
            "subjects": [{"request": {"kind": "generate_image", "prompt": text}} for text in ("a red cup", "red, red")],
        }
    )

    assert [column.label for column in drawn.columns] == ["red", "blue", "without it"]
    assert [each["prompt"] for each in requests] == [
        "a red cup",
        "a blue cup",
        "a  cup",
        "red, red",
        "blue, blue",
        ", ",
    ]


def test_words_that_a_prompt_does_not_have_cannot_be_replaced():
    with pytest.raises(BadInput, match="'green' is not in the prompt 'a red cup'"):
        grid({"axes": {"prompt": [{"replace": "green"}]}, "subjects": [{"request": {"prompt": "a red cup"}}]})
