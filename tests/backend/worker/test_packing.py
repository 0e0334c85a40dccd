"""What steps together: whoever came first, as many as fit, and all with the same adapter."""

from dataclasses import dataclass
from typing import Any, cast

from backend.worker.running_job import RunningJob, Sample, pick
from studio.requests import Adapter, GenerateImage


@dataclass
class Waiting:
    """As much of a trajectory as is looked at."""

    num_tokens: int = 100
    num_steps: int = 8
    step: int = 0
    done: bool = False


def sample(adapter: Adapter | None = None, **fields: Any) -> Sample:
    return Sample(0, GenerateImage(prompt="x", adapter=adapter), cast(Any, Waiting(**fields)))


def test_samples_pack_up_to_the_budget_in_order():
    samples = [sample() for _ in range(3)]

    assert pick(samples, 250) == samples[:2]
    assert pick(samples, 10) == samples[:1]


def test_only_samples_of_one_adapter_and_scale_pack():
    bare, light, strong = None, Adapter(name="light"), Adapter(name="light", scale=0.5)
    samples = [sample(light), sample(light), sample(bare), sample(light), sample(strong)]

    assert pick(samples) == samples[:2]
    assert pick(samples[2:]) == samples[2:3]
    assert pick(samples[3:]) == samples[3:4]


def test_a_jobs_steps_are_those_of_its_trajectories_once_they_have_begun():
    request = GenerateImage.model_validate({"prompt": "x", "count": 2, "sampling": {"num_inference_steps": 4}})
    job = RunningJob("0123456789ab", request, previewed=False)

    assert job.steps == 8
    job.samples = [sample(num_steps=12, step=12), sample(num_steps=12, step=3)]
    assert (job.steps, job.step) == (24, 15)
