from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from cli.printed import age
from studio.jobs import BatchPlace, Job, JobState, Progress
from studio.requests import GenerateImage, RunPolicy, Sampling


@pytest.fixture
def two_jobs(fake_server):
    """An old failure and a young one that runs."""
    for name, state, minutes, prompt in (
        ("old", JobState.FAILED, 200, "a [red]cube[/red] \x1b[2J\non a table, " * 5),
        ("young", JobState.RUNNING, 1, "日本"),
    ):
        fake_server.jobs[name] = Job(
            id=name,
            kind="generate_image",
            state=state,
            checkpoint="speck",
            request=GenerateImage(prompt=prompt, resolution="480", aspect_ratio="16:9", sampling=Sampling(seed=7)),
            progress=Progress(step=2, steps=20),
            created_at=datetime.now(UTC) - timedelta(minutes=minutes),
        )
    return fake_server


def test_the_table_has_a_row_for_every_job(orrery, two_jobs):
    result = orrery("jobs", "--server", two_jobs.url)
    titles, young, old = (line.split() for line in result.stdout.splitlines())
    assert titles == ["id", "state", "step", "size", "seed", "prompt", "age"]
    assert young == ["young", "running", "2/20", "832x480", "7", "日本", "1", "min"]
    assert old[:5] == ["old", "failed", "2/20", "832x480", "7"]
    assert "a [red]cube[/red]  [2J on a table," in result.stdout
    assert "\x1b" not in result.stdout


@pytest.fixture
def sweep(two_jobs):
    """The newest things: a batch of four seeds, of which two are done, one has failed and one runs, and then a job."""
    states = (JobState.SUCCEEDED, JobState.FAILED, JobState.SUCCEEDED, JobState.RUNNING)
    like = two_jobs.jobs["young"]
    for index, state in enumerate(states):
        request = like.request.model_copy(update={"sampling": Sampling(seed=index)})
        place = BatchPlace(id="sweep", index=index, size=4)
        told = {"id": f"s{index}", "state": state, "request": request, "batch": place}
        two_jobs.jobs[f"s{index}"] = like.model_copy(update=told)
    two_jobs.jobs["alone"] = like.model_copy(update={"id": "alone", "batch": BatchPlace(id="b", index=0, size=1)})
    return two_jobs


@pytest.mark.parametrize(("limit", "ids"), [(1, ["alone"]), (2, ["alone", "sweep"]), (3, ["alone", "sweep", "young"])])
def test_a_batch_is_one_row_that_says_how_far_it_is(orrery, sweep, limit, ids):
    _, *rows = orrery("jobs", "--limit", limit, "--server", sweep.url).stdout.splitlines()
    assert [row.split()[0] for row in rows] == ids
    if "sweep" in ids:
        assert " ".join(rows[1].split()) == "sweep 2 of 4 done, 1 running, 1 failed 832x480 日本 1 min"


def test_what_is_older_than_a_long_batch_has_its_row_too(orrery, sweep):
    del sweep.jobs["alone"]
    _, first, second = orrery("jobs", "--limit", 2, "--server", sweep.url).stdout.splitlines()
    assert first.split()[:4] == ["sweep", "2", "of", "4"]
    assert second.split()[0] == "young"


def test_the_jobs_of_a_batch_are_rows_of_their_own_where_somebody_asks(orrery, sweep):
    _, *rows = orrery("jobs", "batch", "sweep", "--server", sweep.url).stdout.splitlines()
    assert [row.split()[:2] + row.split()[4:5] for row in rows] == [
        ["s0", "succeeded", "0"],
        ["s1", "failed", "1"],
        ["s2", "succeeded", "2"],
        ["s3", "running", "3"],
    ]
    _, failed, _ = orrery("jobs", "--state", "failed", "--server", sweep.url).stdout.splitlines()
    assert failed.startswith("s1")


def test_a_job_of_actions_says_its_tier(orrery, fake_server, two_jobs):
    request = RunPolicy(prompt="x", embodiment="av", start_image="u0123456789abcdef")
    update = {"id": "acts", "kind": "run_policy", "request": request}
    fake_server.jobs["acts"] = two_jobs.jobs["young"].model_copy(update=update)
    assert orrery("jobs", "--server", fake_server.url).stdout.splitlines()[1].split()[:4] == [
        "acts",
        "running",
        "2/20",
        "256p",
    ]


def test_the_table_takes_a_limit_and_a_state(orrery, refused, two_jobs):
    url = two_jobs.url
    assert "old" not in orrery("jobs", "--limit", 1, "--server", url).stdout
    assert "young" not in orrery("jobs", "--state", "failed", "--server", url).stdout
    assert "Did you mean failed?" in refused("jobs", "--state", "faild", "--server", url)


def test_one_job_is_shown_as_json(orrery, two_jobs):
    shown = json.loads(orrery("jobs", "--server", two_jobs.url, "show", "young").stdout)
    assert Job.model_validate(shown) == two_jobs.jobs["young"]


def test_the_server_may_be_named_before_or_after_the_sub_command(orrery, two_jobs):
    after = orrery("jobs", "show", "young", "--server", two_jobs.url)
    before = orrery("jobs", "--server", two_jobs.url, "show", "young")
    both = orrery("jobs", "--server", "http://127.0.0.1:1", "show", "young", "--server", two_jobs.url)
    assert after.exit_code == 0
    assert after.stdout == before.stdout == both.stdout


def test_a_job_is_cancelled_and_tried_again(orrery, two_jobs):
    assert orrery("jobs", "--server", two_jobs.url, "cancel", "young").stdout == "young cancelled\n"
    assert orrery("jobs", "--server", two_jobs.url, "retry", "old").stdout == "old queued\n"


def test_refusals_are_one_line(refused, two_jobs):
    jobs = ("jobs", "--server", two_jobs.url)
    assert "There is no job gone." in refused(*jobs, "show", "gone")
    assert "There is no job '../x'." in refused(*jobs, "show", "../x")
    assert "Job old is failed; it cannot become cancelled." in refused(*jobs, "cancel", "old")
    assert "Missing argument 'ID'" in refused(*jobs, "show")
    assert "There is no batch 'gone'." in refused(*jobs, "batch", "gone")


def test_without_a_server_it_says_how_to_get_one(refused, tmp_path):
    said = refused("jobs", "--data", tmp_path / "d")
    assert f"No server uses the data folder {tmp_path / 'd'}. Start one with orrery serve" in said


@pytest.mark.parametrize(
    ("seconds", "said"), [(-3, "0 s"), (59.4, "59 s"), (90, "1 min"), (7199, "1 h"), (200_000, "2 d")]
)
def test_an_age_is_said_in_its_largest_unit(seconds, said):
    assert age(seconds) == said
