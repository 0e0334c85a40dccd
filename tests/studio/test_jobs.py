from __future__ import annotations

from datetime import UTC, datetime
from itertools import product

import pytest

from studio.errors import Conflict, EngineLost
from studio.jobs import LEGAL_MOVES, Failure, Job, JobState, Progress, check_move
from studio.requests import GenerateImage


@pytest.mark.parametrize(("old", "new"), list(product(JobState, JobState)))
def test_a_job_moves_only_as_the_table_says(old, new):
    if new in LEGAL_MOVES[old]:
        check_move("j1", old, new)
    else:
        with pytest.raises(Conflict, match=f"Job j1 is {old}; it cannot become {new}"):
            check_move("j1", old, new)


def test_every_state_has_a_row_and_success_is_for_ever():
    assert set(LEGAL_MOVES) == set(JobState)
    assert LEGAL_MOVES[JobState.SUCCEEDED] == frozenset()
    assert {state for state in JobState if state.ended} == {"succeeded", "failed", "cancelled"}


def test_an_ended_job_may_only_be_queued_again():
    assert all(LEGAL_MOVES[state] <= {JobState.QUEUED} for state in JobState if state.ended)


def test_a_failure_is_an_error_as_data_and_back():
    error = Failure.of(EngineLost("The worker died.", hint="It starts again.")).error()
    assert type(error) is EngineLost
    assert str(error) == "The worker died. It starts again."


def test_a_job_comes_back_from_json():
    job = Job(
        id="j1",
        kind="generate_image",
        state=JobState.FAILED,
        checkpoint="speck",
        request=GenerateImage(prompt="日本\0\u2028"),
        progress=Progress(phase="ended", step=3, steps=20),
        created_at=datetime.now(UTC),
        error=Failure.of(EngineLost("Gone.")),
    )
    assert Job.model_validate_json(job.model_dump_json()) == job
