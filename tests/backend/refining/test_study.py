"""`orrery refine-study` on a server: killed in the middle, gone on with, and reported."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.app import app
from critiques import critique
from refining_endpoint import refining_endpoint
from running import RunningServer, running, wait_for
from studio.refine_study import Study

LIMIT_S = 90


@pytest.mark.slow
def test_a_study_that_is_killed_goes_on_and_its_table_says_what_the_critic_thought(
    server: RunningServer, tmp_path: Path
):
    folder, prompts = tmp_path / "study", tmp_path / "prompts.txt"
    prompts.write_text("a red cube\n\na blue ball\na green cylinder\n")
    shutil.copytree(server.data / "checkpoints", tmp_path / "data" / "checkpoints")
    with refining_endpoint() as endpoint, running(tmp_path / "data", **endpoint.settings()) as own:
        own.wait_ready()
        endpoint.answers["critic"] = [json.dumps(critique(6.0, "minor"))]
        said = ["refine-study", str(prompts), "-o", str(folder), "--server", own.url]
        said += ["--resolution", "256", "--steps", "2", "--rewrites", "1"]

        main = "from cli import main; main()"
        command = subprocess.Popen([sys.executable, "-P", "-c", main, *said], stderr=subprocess.PIPE)
        try:
            wait_for(lambda: any(trial.done for trial in _study(folder).trials), LIMIT_S)
        finally:
            command.send_signal(signal.SIGKILL)
            command.communicate()
        before = _study(folder)
        result = CliRunner().invoke(app, said)

        assert result.exit_code == 0, result.output
        assert result.stdout.strip() == str(folder / "study.md")
        found = _study(folder)
        assert [trial.prompt for trial in found.trials] == ["a red cube", "a blue ball", "a green cylinder"]
        for trial, earlier in zip(found.trials, before.trials, strict=True):
            assert trial.done
            assert trial.num_pictures == 2
            assert earlier.loop_id in (None, trial.loop_id)
            assert earlier.control_id in (None, trial.control_id)
        trees: dict[str, Any] = {
            name: own.get(f"/v1/refinements/{name}").json()
            for trial in found.trials
            for name in (trial.loop_id, trial.control_id)
        }
        assert len(trees) == 6
        loop, control = trees[found.trials[1].loop_id or ""], trees[found.trials[1].control_id or ""]
        # The first of the control is the first of the loop, made and judged once more.
        first, again = (
            own.get(f"/v1/media/{tree['nodes'][0]['media']['id']}/thumbnail").content for tree in (loop, control)
        )
        assert first == again
        assert [node["request"]["sampling"]["seed"] for node in control["nodes"]] == [100, 101]
        report = (folder / "study.md").read_text()
        assert "3 of 3 prompts" in report
        assert "**Too few prompts**" in report
        assert "| score | loop | without the loop | 6.00 | 6.00 | +0.00 | +0.00 to +0.00 | 0 / 3 / 0 |" in report

        other = CliRunner().invoke(app, [*said, "--seed", "4"])
        assert other.exit_code != 0
        assert "other prompts or settings" in other.output


def _study(folder: Path) -> Study:
    path = folder / "study.json"
    return Study.model_validate_json(path.read_text()) if path.exists() else Study(plan={"prompts": ["x"]}, trials=())  # type: ignore[arg-type]
