"""Kernels by what they do, and what is shown of them."""

import pytest

from engine import Engine
from engine.bench.__main__ import main
from engine.bench.profiling import Profile, by_kind, shown, work_of
from studio.requests import GenerateImage

KERNELS = [
    ("nvjet_tst_128x256_64x4_2x1_v_bz_coopB_TNT", 6.0, 144.0),
    ("void cutlass::device_kernel<flash::FlashAttnFwdSm90<>>", 2.0, 36.0),
    ("triton_red_fused_rms_norm_0", 0.5, 72.0),
    ("Memcpy DtoD (Device -> Device)", 0.25, 2.0),
]


def test_kernels_are_summed_by_what_they_do_and_the_rest_of_the_step_is_idle():
    parts = by_kind(KERNELS, 10.0, {"products": 3e12, "attention": 1e12})
    assert [(part.kind, part.ms, part.calls) for part in parts] == [
        ("products", 6.0, 144.0),
        ("attention", 2.0, 36.0),
        ("elementwise", 0.5, 72.0),
        ("copies", 0.25, 2.0),
        ("idle", 1.25, 0),
    ]
    assert [part.tflops for part in parts[:3]] == [pytest.approx(500), pytest.approx(500), None]


def test_a_profile_is_shown_with_shares_rates_and_its_longest_kernels():
    parts = by_kind(KERNELS, 10.0, {"products": 3e12, "attention": 1e12})
    lines = shown(Profile("t2v-480", "exact", 10.0, parts, tuple(KERNELS[:1]))).splitlines()
    assert lines[0] == "t2v-480 exact: 10.0 ms a step"
    assert lines[1].split() == ["products", "6.00", "ms", "60.0%", "144", "calls", "500", "TFLOP/s"]
    assert "nvjet" in lines[-1]


def test_the_work_of_a_step_is_that_of_the_branches_it_evaluates(engine: Engine):
    sampling = {"num_inference_steps": 4, "guidance_scale": 4.0, "guidance_interval": (960, 1000), "flow_shift": 3.0}
    request = GenerateImage.model_validate({"prompt": "x", "resolution": "256", "sampling": sampling})
    trajectory = engine.begin(request)
    both, one = (work_of(engine.setting.config, trajectory, step) for step in (0, 3))
    assert both[0] == 2 * one[0]
    assert both[1] > 1.5 * one[1]


def test_without_a_gpu_nothing_is_profiled(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr("sys.argv", ["bench", "--profile", "--device", "cpu"])
    assert main() == 2
    assert "Only the kernels of a GPU are profiled." in capsys.readouterr().err
