"""`/v1/blind-tests` over HTTP: verdicts that outlive a kill, and what is refused."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from running import RunningServer


def upload(server: RunningServer, content: bytes) -> str:
    return server.post("/v1/media", files={"file": ("episode.mp4", content)}).json()["id"]


def begun(server: RunningServer, content: bytes) -> str:
    """A test with one pair."""
    video = upload(server, content)
    test = server.post("/v1/blind-tests", json={"policies": ["base", "tuned"]}).json()["id"]
    episodes = [{"policy": name, "videos": [video]} for name in ("base", "tuned")]
    pair = {"id": "cup left", "task": "Lift the cup.", "episodes": episodes}
    assert server.post(f"/v1/blind-tests/{test}/pairs", json=pair).status_code == 201
    return test


VERDICT = {"pair": 1, "better": "second", "progress": [0.5, 1.0], "rater": "ada"}


def test_a_pair_is_judged_undone_and_scored(server: RunningServer, make_clip: Callable[..., bytes]):
    test = begun(server, make_clip(3, 32, 32, 12))
    assert server.get("/v1/blind-tests").json()["tests"][0]["id"] == test
    shown = server.get(f"/v1/blind-tests/{test}/next", params={"rater": "ada"}).json()
    assert (shown["num_left"], shown["card"]["task"]) == (1, "Lift the cup.")
    assert "tuned" not in json.dumps(shown)
    given = server.post(f"/v1/blind-tests/{test}/verdicts", json=VERDICT)
    assert given.status_code == 201, given.text
    scores = server.get(f"/v1/blind-tests/{test}/scores").json()
    assert sorted((each["wins"], each["progress"]) for each in scores["policies"]) == [(0, 0.5), (1, 1.0)]
    assert server.get("/v1/blind-tests/scores").json()["num_verdicts"] >= 1
    undone = server.delete(f"/v1/blind-tests/{test}/verdicts/{given.json()['id']}")
    assert undone.json()["rater"] == "ada"
    assert server.get(f"/v1/blind-tests/{test}").json()["num_verdicts"] == 0
    assert server.delete(f"/v1/blind-tests/{test}").status_code == 204


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"progress": [0.5, 1.5]}, "progress.1"),
        ({"progress": [0.5]}, "progress"),
        ({"better": "best"}, "better"),
        ({"rater": ""}, "rater"),
        ({"pair": 0}, "pair"),
    ],
)
def test_a_verdict_that_cannot_be_is_refused_by_its_field(
    server: RunningServer, make_clip: Callable[..., bytes], change: dict[str, Any], param: str
):
    test = begun(server, make_clip(3, 32, 32, 12))
    refused = server.post(f"/v1/blind-tests/{test}/verdicts", json={**VERDICT, **change})
    assert refused.status_code == 422, refused.text
    assert refused.json()["error"]["param"].startswith(param)


@pytest.mark.slow
def test_verdicts_survive_a_kill(tmp_path: Path, server: RunningServer, make_clip: Callable[..., bytes]):
    data = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", data / "checkpoints")
    own = RunningServer(data).start()
    test = begun(own, make_clip(3, 32, 32, 12))
    kept = own.post(f"/v1/blind-tests/{test}/verdicts", json=VERDICT).json()
    own.kill()
    own.start()
    assert own.post(f"/v1/blind-tests/{test}/verdicts", json=VERDICT).json() == kept
    assert own.get(f"/v1/blind-tests/{test}").json()["num_verdicts"] == 1
    own.stop()
