"""`python -m robot.evaluation`: the lines that it writes, and why it does not begin."""

import io

import pytest

from robot.evaluation.__main__ import main
from studio.evaluation import Benchmark


def test_the_benchmark_is_its_first_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))

    assert main(["--scenes=2", "--levels=vague,default", "--seed=3"]) == 0

    benchmark = Benchmark.model_validate_json(capsys.readouterr().out)
    assert [item.category for item in benchmark.items] == ["vague", "default"] * 2


@pytest.mark.parametrize(
    ("flag", "names"), [("--scenes=0", "scenes"), ("--levels=loud", "vague, default, specific"), ("--seed=-1", "seed")]
)
def test_what_cannot_be_used_is_said(flag: str, names: str, capsys: pytest.CaptureFixture[str]):
    assert main([flag]) == 2

    said = capsys.readouterr().err
    assert names in said
    assert said.startswith("orrery evaluate-policy: ")
