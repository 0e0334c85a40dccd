"""The settings of a run: what it says over its benchmark's own."""

from __future__ import annotations

from collections.abc import Mapping

from studio.errors import BadInput
from studio.evaluation import Benchmark, Settings
from studio.evaluation.forms import check
from studio.requests import parse_as


def settings_of_run(benchmark: Benchmark, said: Mapping[str, object]) -> Settings:
    """A benchmark's settings with a run's over them; of requests each is looked at under them.

    Raises:
        BadInput: a setting cannot be used, or makes of a request one that cannot be made.
    """
    own = benchmark.settings
    laid = own.model_dump()
    for one, other in (("fps", "num_frames"), ("num_frames", "fps")):
        if said.get(one) is not None:
            laid[other] = None
    try:
        settings = parse_as(Settings, {**laid, **said})
    except BadInput as error:
        raise BadInput(error.message, param=f"settings.{error.param}", hint=error.hint) from None
    if benchmark.form == "generation":
        _check_requests(benchmark.model_copy(update={"settings": settings}))
    return settings


def _check_requests(benchmark: Benchmark) -> None:
    try:
        check(benchmark)
    except BadInput as error:
        _, _, field = (error.param or "").split(".", 2)
        raise BadInput(error.message, param=f"settings.{field}", hint=error.hint) from None
