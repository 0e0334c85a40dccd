"""Items that are requests: their files, their seeds, the way back from a predicted video, and what is drawn up."""

from collections.abc import Callable
from typing import Any

import pytest

from studio.errors import BadInput, UnknownKind
from studio.evaluation import Answer, Benchmark, content_hash, draw_up
from studio.evaluation.forms import check
from studio.evaluation.generations import (
    Figures,
    GenerationResult,
    media_named,
    rename_media,
    return_trip,
    seeded,
)
from studio.requests import PredictVideo, parse_request

Make = Callable[..., Benchmark]

ROWS = [[0.0, 0.0, 0.01, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]] * 4
PREDICTED: dict[str, Any] = {
    "request": {
        "kind": "predict_video",
        "prompt": "Lift it.",
        "embodiment": "bridge_orig_lerobot",
        "start_image": "start.png",
        "actions": ROWS,
        "fps": 5,
    },
    "reference": {"media": "truth.mp4"},
}
IMAGE: dict[str, Any] = {"request": {"kind": "generate_image", "prompt": "a cube"}}


def test_an_items_media_are_the_files_of_its_request_and_its_reference(benchmark_of: Make):
    transfer = {
        "kind": "transfer_video",
        "prompt": "go",
        "source_video": "source.mp4",
        "controls": [{"hint": "edge"}, {"hint": "depth", "video": "depth.mp4"}],
    }
    assert media_named({"request": transfer}) == ("depth.mp4", "source.mp4")
    assert media_named({"question": "?", "reference": {"media": "a.mp4"}}) == ()
    item = benchmark_of("generation", PREDICTED).items[0]
    assert item.media == ("start.png", "truth.mp4")
    renamed = rename_media(item.model_dump(mode="json"), {"start.png": "u1", "truth.mp4": "u2"})
    assert (renamed["media"], renamed["video"]) == (["u1", "u2"], "u1")
    assert renamed["request"]["start_image"] == "u1"
    assert renamed["reference"]["media"] == "u2"
    local = benchmark_of("generation", PREDICTED)
    uploaded = benchmark_of("generation", renamed)
    assert content_hash(local, {"start.png": "f0", "truth.mp4": "f1"}) == content_hash(
        uploaded, {"u1": "f0", "u2": "f1"}
    )


def test_a_request_is_looked_at_before_its_files_are_uploaded(benchmark_of: Make):
    check(benchmark_of("generation", PREDICTED, IMAGE))


@pytest.mark.parametrize(
    ("item", "param", "says"),
    [
        ({}, "items.0.request", "request is missing"),
        ({"request": {"kind": "generate_image"}}, "items.0.request.prompt", "prompt is missing"),
        ({"request": {**IMAGE["request"], "count": 2}}, "items.0.request.count", "expected 1"),
        ({"request": {**IMAGE["request"], "checkpoint": "nano"}}, "items.0.request.checkpoint", "the run selects"),
        ({"request": {**IMAGE["request"], "sampling": "fast"}}, "items.0.request.sampling", "'fast'"),
        ({"request": {**IMAGE["request"], "sampling": {"seed": "abc"}}}, "items.0.request.sampling.seed", "'abc'"),
        ({"request": {**IMAGE["request"], "sampling": {"seed": 1.5}}}, "items.0.request.sampling.seed", "1.5"),
        ({**IMAGE, "reference": "truth.png"}, "items.0.reference", "expected an object"),
        ({**IMAGE, "reference": {"video": "a"}}, "items.0.reference.video", "video"),
        ({**IMAGE, "reference": {"actions": [[1], [1, 2]]}}, "items.0.reference", "same number"),
        ({**PREDICTED, "media": ["start.png"]}, "items.0.media", "'truth.mp4', which is not in media"),
    ],
)
def test_what_cannot_be_made_is_refused_by_item_and_field(
    benchmark_of: Make, item: dict[str, Any], param: str, says: str
):
    with pytest.raises(BadInput, match=says) as refused:
        check(benchmark_of("generation", item))
    assert refused.value.param == param


def test_settings_that_lie_over_requests_are_looked_at_too(benchmark_of: Make):
    with pytest.raises(BadInput) as refused:
        check(benchmark_of("generation", IMAGE, settings={"request": {"sampling": {"seed": "abc"}}}))
    assert refused.value.param == "items.0.request.sampling.seed"


def test_an_unknown_kind_is_named(benchmark_of: Make):
    with pytest.raises(BadInput, match="kind is 'sing'") as refused:
        check(benchmark_of("generation", {"request": {"kind": "sing"}}))
    assert not isinstance(refused.value, UnknownKind)
    assert refused.value.param == "items.0.request.kind"


def test_a_trial_has_the_next_seed_and_the_settings_lie_over_the_request():
    own = {"kind": "generate_image", "sampling": {"seed": 7, "num_inference_steps": 50}}
    changes = {"sampling": {"num_inference_steps": 4}}
    assert seeded(own, changes, 100, 2)["sampling"] == {"seed": 9, "num_inference_steps": 4}
    assert seeded({"kind": "generate_image"}, {}, 100, 2)["sampling"] == {"seed": 102}
    assert seeded({"kind": "generate_image", "sampling": {"seed": "7.0"}}, {}, 100, 2)["sampling"] == {"seed": 9}


def test_the_way_back_has_the_same_body_words_and_seed():
    request = {**PREDICTED["request"], "start_image": "u0123456789abcdef", "sampling": {"seed": 5}}
    predicted = parse_request(request)
    assert isinstance(predicted, PredictVideo)
    back = parse_request(return_trip(predicted, "0123456789ab-0"))
    assert back.model_dump(include={"kind", "source_video", "num_actions", "embodiment", "prompt", "fps"}) == {
        "kind": "predict_actions",
        "source_video": "0123456789ab-0",
        "num_actions": 4,
        "embodiment": "bridge_orig_lerobot",
        "prompt": "Lift it.",
        "fps": 5,
    }
    assert back.sampling.seed == 5


def test_figures_are_drawn_up_with_intervals_and_series_are_averaged_place_by_place(benchmark_of: Make):
    benchmark = benchmark_of("generation", IMAGE, IMAGE, IMAGE, metrics=["psnr_db", "ssim"])

    def answer(item: str, figures: Figures | None) -> Answer:
        return Answer(item=item, text=GenerationResult(media=("a-0",), figures=figures).to_text())

    answers = [
        answer("0", Figures(values={"psnr_db": 20.0}, series={"psnr_db": (18.0, 22.0)})),
        answer("1", Figures(values={"psnr_db": 30.0}, series={"psnr_db": (30.0,)}, notes={"ssim": "too small"})),
        answer("2", None),
    ]
    scores = draw_up(benchmark, answers)
    assert scores.headline == "psnr_db"
    psnr, ssim = scores.overall.measurements
    assert (psnr.value, psnr.low, psnr.high, psnr.n) == (25.0, 20.0, 30.0, 2)
    assert ssim.value is None
    assert scores.overall.series == {"psnr_db": (24.0, 22.0)}


def test_channels_have_the_names_of_the_one_body_that_acts(benchmark_of: Make):
    def of(*bodies: str, **settings: object) -> tuple[str, ...]:
        items = [{"request": {**PREDICTED["request"], "embodiment": body}} for body in bodies]
        return draw_up(benchmark_of("generation", *items, settings={"request": settings}), []).channels

    assert of("pusht", "pusht") == ("x", "y")
    assert of("pusht", "bridge_orig_lerobot") == ()
    assert of("pusht", "bridge_orig_lerobot", embodiment="pusht") == ("x", "y")
    assert of("galbot") == ()
    assert draw_up(benchmark_of("generation", IMAGE), []).channels == ()
