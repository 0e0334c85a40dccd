"""A study against the real loop, with pictures and a critic whose worth is known."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from refining_fakes import JUDGING_TOKENS, OPENING_TOKENS, REWRITING_TOKENS, RefiningServer
from studio.client import StudioClient
from studio.errors import BadInput, EngineError
from studio.refine_study import Plan, Rules, Study, StudyRun

WORDS = tuple(f"thing {index}" for index in range(12))


def draw(words: str, seed: int, rewrites: int) -> bytes:
    return json.dumps({"words": words, "seed": seed, "rewrites": rewrites}).encode()


def likes_rewrites(words: str, picture: bytes) -> float:
    return 5.0 + json.loads(picture)["rewrites"]


def likes_first(words: str, picture: bytes) -> float:
    return 7.0 - json.loads(picture)["rewrites"]


def likes_late_seeds(words: str, picture: bytes) -> float:
    return 5.0 + json.loads(picture)["seed"] % 100


def study(folder: Path, server: RefiningServer, rules: Rules | None = None, **changes: Any) -> Study:
    plan = Plan(prompts=WORDS, rules=rules.words if rules else "", **changes)

    async def run() -> Study:
        async with StudioClient("http://here", transport=server.transport) as client:
            return await StudyRun(plan, folder, rules, lambda _: None, look_s=0).run(client)

    return asyncio.run(asyncio.wait_for(run(), 60))


def verdicts(found: Study, measure: str = "score") -> dict[tuple[str, str], str]:
    return {(one.side, one.against): one.verdict for one in found.contrasts if one.measure == measure}


def test_rewrites_that_are_better_are_said_to_be_and_the_critic_is_said_to_be_the_only_judge(tmp_path: Path):
    found = study(tmp_path, RefiningServer(draw, likes_rewrites))

    assert verdicts(found) == {
        ("kept", "first"): "better",
        ("last", "first"): "better",
        ("kept", "chosen"): "better",
    }
    trial = found.trials[3]
    assert (trial.prompt, trial.num_pictures, trial.first_again) == ("thing 3", 3, 5.0)
    assert trial.loop_spent is not None
    assert trial.loop_spent.tokens == OPENING_TOKENS + 3 * JUDGING_TOKENS + 2 * REWRITING_TOKENS
    assert trial.control_spent is not None
    assert trial.control_spent.tokens == 3 * JUDGING_TOKENS  # its prompt was written by the loop
    report = (tmp_path / "study.md").read_text()
    assert "first image, by the critic's score? **Yes**: +2.00 (+2.00 to +2.00), 12 better, 0 worse." in report
    assert "the only judge of it here" in report
    assert Study.model_validate_json((tmp_path / "study.json").read_text()) == found


def test_rewrites_that_are_worse_are_said_to_be_though_the_loop_keeps_none_of_them(tmp_path: Path):
    found = study(tmp_path, RefiningServer(draw, likes_first))

    assert verdicts(found) == {
        ("kept", "first"): "no difference shown",
        ("last", "first"): "worse",
        ("kept", "chosen"): "no difference shown",
    }
    assert "**No, it makes them worse**: -2.00" in (tmp_path / "study.md").read_text()


def test_a_loop_that_does_less_than_drawing_again_is_told_so(tmp_path: Path):
    found = study(tmp_path, RefiningServer(draw, likes_late_seeds), max_rewrites=3)

    assert verdicts(found)["kept", "chosen"] == "worse"
    assert found.trials[0].chosen is not None
    assert found.trials[0].chosen.score == 8.0


def test_rules_have_the_say_where_a_critic_likes_what_does_not_follow_the_prompt(tmp_path: Path):
    def marks(index: int, picture: bytes) -> dict[str, bool]:
        said = json.loads(picture)
        assert said["words"] == WORDS[index]
        return {"follows": said["rewrites"] == 0}

    found = study(tmp_path, RefiningServer(draw, likes_rewrites), Rules("a rule", "follows", marks))

    assert verdicts(found)["kept", "first"] == "better"
    assert verdicts(found, "follows") == {
        ("kept", "first"): "worse",
        ("last", "first"): "worse",
        ("kept", "chosen"): "worse",
    }
    report = (tmp_path / "study.md").read_text()
    assert "first image, by the rule `follows`? **No, it makes them worse**: -1.00" in report
    assert "Rules: a rule." in report


def test_a_study_that_was_killed_goes_on_and_begins_nothing_twice(tmp_path: Path):
    server = RefiningServer(draw, likes_rewrites)
    plan = Plan(prompts=WORDS)

    async def cut_short() -> None:
        enough = asyncio.Event()
        async with StudioClient("http://here", transport=server.transport) as client:
            told = iter(range(3))
            run = StudyRun(plan, tmp_path, None, lambda _: next(told, None) == 2 and enough.set(), look_s=0)
            task = asyncio.create_task(run.run(client))
            await asyncio.wait_for(enough.wait(), 60)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cut_short())
    before = Study.model_validate_json((tmp_path / "study.json").read_text())
    assert 3 <= sum(trial.done for trial in before.trials) < len(WORDS)
    begun = {name for trial in before.trials for name in (trial.loop_id, trial.control_id) if name}
    # What was running goes on at the server, or is lost with it: here it is lost.
    for name in [name for name, tree in server.trees.items() if tree.state != "succeeded"]:
        del server.trees[name]
        begun.discard(name)

    found = study(tmp_path, server)

    assert all(trial.done for trial in found.trials)
    kept = {name for trial in found.trials for name in (trial.loop_id, trial.control_id)}
    assert begun <= kept
    assert len(kept) == 2 * len(WORDS)


def test_what_fails_is_left_out_and_told_and_tried_again_by_the_next_run(tmp_path: Path):
    server = RefiningServer(draw, likes_rewrites)
    server.failing = EngineError("It is on fire.")
    found = study(tmp_path, server)
    report = (tmp_path / "study.md").read_text()
    assert (found.contrasts, [trial.error is None for trial in found.trials]) == ((), [False] * 12)
    assert "0 of 12 prompts; 12 failed and left out" in report
    assert "* thing 0: It is on fire." in report

    server.failing = None
    begun = server.begun
    found = study(tmp_path, server)

    assert all(trial.done and trial.error is None for trial in found.trials)
    assert server.begun == begun + 12  # the loops are resumed; only the controls are new
    assert "Left out" not in (tmp_path / "study.md").read_text()


def test_a_folder_of_another_study_is_left_alone(tmp_path: Path):
    server = RefiningServer(draw, likes_rewrites)
    study(tmp_path, server)
    with pytest.raises(BadInput, match="other prompts or settings"):
        study(tmp_path, server, seed=3)
    (tmp_path / "study.json").write_text("{}")
    with pytest.raises(BadInput, match="it is not a study"):
        study(tmp_path, server)
