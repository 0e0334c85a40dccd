"""Trainings from end to end, in this process: what is told, what is kept, and how they continue."""

from __future__ import annotations

import builtins
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from studio.errors import BadInput, DiskFull, EngineError
from studio.tuning import Checked, Ended, Preparing, Saved, Stepped, TuningEvent, TuningWork
from tuning.lora import LearningLora
from tuning.state import read_state
from tuning_data import Train, line_of, recipe_of, write_lines

ALL_MODES = {"t2i": 1, "t2v": 1, "i2v": 1, "v2v": 1}


def of(told: list[TuningEvent], kind: type) -> list:
    return [event for event in told if isinstance(event, kind)]


def stop_at(step: int) -> Callable[[TuningEvent], None]:
    """Break off, as a kill would, once the save of a step is whole."""

    def on(event: TuningEvent) -> None:
        if isinstance(event, Saved) and event.step == step:
            raise KeyboardInterrupt

    return on


def test_a_training_tells_of_its_data_its_steps_and_its_saves(train: Train, tmp_path: Path):
    told = train(recipe_of(modes=ALL_MODES))
    (checked,) = of(told, Checked)
    assert checked.report.num_kept == 4
    assert sum(bin.count for bin in checked.report.tokens) == 4
    assert [sample.mode for sample in checked.report.samples] == ["t2v", "i2v", "t2i"]
    assert '{"temporal_caption": "A square moves to the right.", "fps": 10' in checked.report.samples[0].text
    assert all((tmp_path / "out" / sample.picture).is_file() for sample in checked.report.samples)
    assert of(told, Preparing)[-1].done == 4
    saves = of(told, Saved)
    assert [save.folder for save in saves] == ["saves/squares@2", "saves/squares@4"]
    assert {path.name for path in (tmp_path / "out" / saves[0].folder).iterdir()} == {
        "adapter_model.safetensors",
        "adapter_config.json",
    }
    last = of(told, Stepped)[-1]
    assert (last.step, last.steps) == (4, 4)
    assert set(last.losses) <= {f"{mode}_vision" for mode in ALL_MODES}
    assert told[-1] == Ended(step=4, is_whole=True)
    curves = [json.loads(line) for line in (tmp_path / "out" / "curves.jsonl").read_text().splitlines()]
    assert curves[-1]["step"] == 4


def test_only_a_look_at_the_data_encodes_and_saves_nothing(train: Train, tmp_path: Path):
    told = train(recipe_of(modes=ALL_MODES), only_checks=True)
    assert isinstance(told[-1], Checked)
    assert not (tmp_path / "cache").exists()
    assert not (tmp_path / "out" / "state").exists()


@pytest.mark.parametrize("full", [False, True], ids=["adapter", "all_weights"])
def test_a_training_that_broke_off_continues_as_if_it_had_not(train: Train, tmp_path: Path, full: bool):
    changes = {"lora": None, "ema": 0.9} if full else {}
    train(recipe_of(**changes), "whole")
    with pytest.raises(KeyboardInterrupt):
        train(recipe_of(**changes), "cut", on=stop_at(2))
    told = train(recipe_of(**changes), "cut")
    assert of(told, Stepped)[0].step > 2
    whole, cut = (read_state(tmp_path / out / "state" / "training.pt") for out in ("whole", "cut"))
    assert whole is not None
    assert cut is not None
    for part in ("weights", "average"):
        one, other = getattr(whole, part), getattr(cut, part)
        assert one.keys() == other.keys()
        assert all(torch.equal(one[name], other[name]) for name in one)
    moments = [state.optimisers[0]["state"] for state in (whole, cut)]
    assert all(torch.equal(moments[0][at]["exp_avg_sq"], moments[1][at]["exp_avg_sq"]) for at in moments[0])


def test_a_finished_training_can_be_lengthened(train: Train):
    train(recipe_of(steps=2))
    assert train(recipe_of(steps=2))[-1] == Ended(step=2, is_whole=True)
    told = train(recipe_of(steps=3))
    assert [event.step for event in of(told, Saved)] == [3]


def test_what_a_kill_left_of_a_save_is_removed(train: Train, tmp_path: Path):
    scratch = tmp_path / "out" / "saves" / ".squares@2-x1y2" / "squares@2"
    scratch.mkdir(parents=True)
    train(recipe_of(steps=2))
    assert [path.name for path in (tmp_path / "out" / "saves").iterdir()] == ["squares@2"]


def test_another_recipe_or_other_data_is_another_training(train: Train, clips: Path):
    train(recipe_of(steps=2))
    with pytest.raises(BadInput, match="the recipe has changed since"):
        train(recipe_of(steps=4, learning_rate=0.02))
    write_lines(clips, [line_of("0.mp4", 9)])
    with pytest.raises(BadInput, match="the data has changed since"):
        train(recipe_of(steps=4))


def test_data_that_changes_under_a_training_ends_it_and_the_save_before_stays(
    train: Train, clips: Path, tmp_path: Path
):
    def touch(event: TuningEvent) -> None:
        if isinstance(event, Saved):
            (clips / "0.mp4").write_bytes(b"other")

    with pytest.raises(BadInput, match=r"0\.mp4 has changed while it was trained on"):
        train(recipe_of(), on=touch)
    assert read_state(tmp_path / "out" / "state" / "training.pt").step == 2  # type: ignore[union-attr]


def test_a_loss_that_is_not_finite_names_the_sequences_and_keeps_the_last_save(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    whole = LearningLora.forward
    passes = iter(range(10_000))

    def broken(self: LearningLora, x: torch.Tensor) -> torch.Tensor:
        return whole(self, x) * (float("nan") if next(passes) > 60 else 1.0)

    monkeypatch.setattr(LearningLora, "forward", broken)
    with pytest.raises(EngineError, match=r"not finite at step \d+; the batch held: .*\.mp4 0-"):
        train(recipe_of(steps=40, save_every=1))
    state = read_state(tmp_path / "out" / "state" / "training.pt")
    assert state is not None
    assert all(value.isfinite().all() for value in state.weights.values())


def test_a_full_disk_at_a_save_is_said_and_the_last_save_stays(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    train(recipe_of(steps=2))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tuning.saves.save_file", full)
    with pytest.raises(DiskFull, match=r"squares@4"):
        train(recipe_of(steps=4))
    assert {path.name for path in (tmp_path / "out" / "saves").iterdir()} == {"squares@2"}
    monkeypatch.undo()
    monkeypatch.setattr("torch.save", full)
    with pytest.raises(DiskFull, match=r"training\.pt"):
        train(recipe_of(steps=4))
    assert read_state(tmp_path / "out" / "state" / "training.pt").step == 2  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["curves.jsonl", "data-1.webp"])
def test_a_full_disk_is_said_at_curves_and_samples_too(train: Train, monkeypatch: pytest.MonkeyPatch, name: str):
    opened = Path.open, builtins.open

    def full(path: Path | str, *more: Any, **named: Any) -> Any:
        if Path(path).name == name:
            raise OSError(28, "No space left on device")
        return opened[0](path, *more, **named) if isinstance(path, Path) else opened[1](path, *more, **named)

    monkeypatch.setattr(Path, "open", full)
    monkeypatch.setattr("builtins.open", full)  # by which PIL writes
    with pytest.raises(DiskFull, match=name):
        train(recipe_of(steps=2))


@pytest.mark.slow
def test_a_killed_process_continues_to_the_bit(speck: Path, clips: Path, tmp_path: Path):
    def run(out: str, *, kill_at: int | None) -> int:
        work = TuningWork(
            recipe=recipe_of(steps=6),
            checkpoint=speck,
            data={"squares": clips},
            out=tmp_path / out,
            cache=tmp_path / "cache",
        )
        command = [sys.executable, "-m", "tuning"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(work.model_dump_json() + "\n")
            process.stdin.flush()
            for line in process.stdout:
                event = json.loads(line)
                if event["kind"] == "saved" and event["step"] == kill_at:
                    process.kill()
            return process.wait()

    assert run("whole", kill_at=None) == 0
    assert run("cut", kill_at=4) == -9
    assert run("cut", kill_at=None) == 0
    whole, cut = (tmp_path / out / "saves" / "squares@6" / "adapter_model.safetensors" for out in ("whole", "cut"))
    assert whole.read_bytes() == cut.read_bytes()
