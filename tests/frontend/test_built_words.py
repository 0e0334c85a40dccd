"""Sentences that a script names by a value of ours: there is one for each value, or the page stops drawing."""

from typing import get_args

import pytest

from frontend import text
from studio.datasets import DatasetLayout
from studio.evaluation.benchmark import Form
from studio.evaluation.judge import Trust
from studio.evaluation.runs import RunState
from studio.events import EngineState
from studio.prompting.critique import Severity
from studio.refinements import RefinementState, WonBy
from studio.tuning import VideoMode
from studio.tuning.framework import TaskName
from studio.tuning.tunings import TuningState

BUILT = {
    "evaluate.form_": Form,
    "evaluate.state_": RunState,
    "evaluate.trust_": Trust,
    "header.": EngineState,
    "refining.": RefinementState,
    "severity.": Severity,
    "tune.evaluate_": TaskName,
    "tune.layout_": DatasetLayout,
    "tune.mode_": VideoMode,
    "tune.state_": TuningState,
    "tune.task_": TaskName,
    "won.": WonBy,
}


@pytest.mark.parametrize("begins", BUILT)
def test_every_value_has_its_sentence(begins: str):
    assert {f"{begins}{value}" for value in get_args(BUILT[begins])} <= text.WORDS.keys()
