"""A request that is made: its answer names the results and what was measured of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from pydantic import JsonValue, ValidationError

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms.form import AnswerForm, Measured
from studio.evaluation.generations import (
    PLACEHOLDER,
    Figures,
    GenerationResult,
    GenerationTruth,
    media_named,
    rename_media,
)
from studio.presets import laid_over
from studio.prompting.question import MediaPart
from studio.requests import KINDS, Request, explain, parse_as, parse_request, shown

METRICS = (
    "psnr_db",
    "ssim",
    "edge_f1",
    "blur_ssim",
    "depth_si_rmse",
    "mask_miou",
    "mask_recall",
    "action_mse",
    "rotation_error_deg",
    "translation_error_m",
    "trajectory_error_m",
    "round_trip_mse",
    "onset_f1",
)


def check(item: Item, benchmark: Benchmark) -> None:
    """A request that parses, for one result, and a reference among the item's media."""
    if item.request is None:
        raise BadInput(
            "request is missing; expected a request as POST /v1/jobs takes it.",
            param="request",
            hint=f"Its kind is one of {', '.join(KINDS)}.",
        )
    for name in ("checkpoint", "adapter"):
        if item.request.get(name) is not None:
            raise BadInput(f"request names a {name}, which the run selects.", param=f"request.{name}")
    truth_of(item)
    if missing := [name for name in media_named(item.model_dump(mode="json")) if name not in item.media]:
        raise BadInput(
            f"request or reference names {shown(missing[0])}, which is not in media.",
            param="media",
            hint="Leave media out; they are found in the request and the reference.",
        )
    request = _parsed(item, benchmark)
    if request.count != 1:
        raise BadInput(
            f"request.count is {request.count}; expected 1.", param="request.count", hint="Use settings.trials instead."
        )


def truth_of(item: Item) -> GenerationTruth:
    """What ought to be made; empty without a reference. Raises BadInput."""
    if item.reference is None:
        return GenerationTruth()
    if not isinstance(item.reference, dict):
        raise BadInput(
            f'reference is {shown(item.reference)}; expected an object, as in {{"media": "truth.mp4"}}.',
            param="reference",
        )
    try:
        return parse_as(GenerationTruth, item.reference)
    except BadInput as error:
        raise BadInput(error.message, param=f"reference.{error.param or ''}".rstrip("."), hint=error.hint) from None


def _parsed(item: Item, benchmark: Benchmark) -> Request:
    """The request under the settings, before its files are uploaded and its seed is drawn. Raises BadInput."""
    dumped = item.model_dump(mode="json")
    stood_in = rename_media(dumped, dict.fromkeys(item.media, PLACEHOLDER))["request"]
    try:
        return parse_request(laid_over(stood_in, benchmark.settings.request))
    except BadInput as error:
        raise BadInput(error.message, param=f"request.{error.param or ''}".rstrip("."), hint=error.hint) from None


def question(item: Item, benchmark: Benchmark, media: Sequence[MediaPart], trial: int) -> NoReturn:
    """Raises BadInput: a request is made by a job, not answered by a reasoner."""
    raise BadInput(f"{benchmark.name} is made of requests; no reasoner answers it.", param="benchmark")


def read(item: Item, benchmark: Benchmark, text: str) -> JsonValue:
    """A `GenerationResult` as JSON."""
    try:
        return GenerationResult.model_validate_json(text).model_dump(mode="json", exclude_none=True)
    except ValidationError as error:
        raise UnusableAnswer(explain(error, GenerationResult).message) from None


def measure(item: Item, benchmark: Benchmark, reading: Any) -> Measured:
    """What was measured of the result; nothing before that."""
    figures = GenerationResult.model_validate(reading).figures or Figures()
    known = {name: value for name, value in figures.values.items() if name in METRICS}
    return Measured(known, series={name: parts for name, parts in figures.series.items() if name in METRICS})


GENERATION = AnswerForm(METRICS, check, question, read, measure)
