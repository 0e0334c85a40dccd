"""The reasoner trained from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine import Engine
from engine.weights import open_folder
from reasoner_data import recipe_of, rows, write_rows
from studio.requests.reason import Reason
from studio.tuning import Saved, Stepped, TuningWork
from tuning.commands import Commands
from tuning.state import read_state
from tuning.training import run
from tuning_data import Silence


@pytest.fixture
def train(speck: Path, clips: Path, tmp_path: Path):
    write_rows(clips, rows(clips))

    def train(recipe, out: str = "out") -> list:
        told: list = []
        work = TuningWork(
            recipe=recipe, checkpoint=speck, data={"talk": clips}, out=tmp_path / out, cache=tmp_path / "cache"
        )
        run(work, told.append, Commands(Silence()))
        return told

    return train


def test_an_answer_is_learnt_and_the_engine_gives_it(
    train, speck: Path, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tuning.training.TOLD_EVERY_S", 0)  # a quick machine does all steps within one interval
    write_rows(clips, rows(clips)[:1])
    told = train(
        recipe_of(steps=60, save_every=60, batch_size=1, schedule="constant", lora={"rank": 16, "layers": "all"})
    )
    stepped = [event for event in told if isinstance(event, Stepped)]
    assert stepped[-1].losses["answers"] < stepped[0].losses["answers"]
    assert stepped[-1].losses.keys() == {"answers"}
    assert stepped[-1].accuracy == 1.0
    (save,) = (event for event in told if isinstance(event, Saved))
    engine = Engine.load(speck, device="cpu")
    before = answer_of(engine)
    engine.use_adapter(tmp_path / "out" / save.folder)
    assert answer_of(engine) == "Four." != before


def answer_of(engine: Engine) -> str:
    asked = {"role": "user", "content": "What is two and two?"}
    sampling = {"temperature": 0, "presence_penalty": 0, "max_tokens": 12}
    conversation = engine.converse(Reason.model_validate({"messages": [asked], "sampling": sampling}))
    while not conversation.done:
        engine.decode([conversation])
    return conversation.text


def test_a_training_of_all_weights_continues_to_the_bit_and_leaves_the_generator(train, speck: Path, tmp_path: Path):
    train(recipe_of(lora=None, steps=2, schedule="constant"), "cut")
    train(recipe_of(lora=None, steps=4, schedule="constant"), "cut")
    train(recipe_of(lora=None, steps=4, schedule="constant"), "other")
    cut, other = (read_state(tmp_path / out / "state" / "training.pt") for out in ("cut", "other"))
    assert cut is not None
    assert other is not None
    assert all(torch.equal(cut.weights[name], other.weights[name]) for name in cut.weights)
    assert all(name.startswith("reasoner.") for name in cut.weights)
    saved = tmp_path / "cut" / "saves" / "words@4"
    assert open_folder(saved).shards.keys() == open_folder(speck).shards.keys()


def test_an_adapter_learns_the_same_with_weights_on_the_host(train, tmp_path: Path):
    train(recipe_of(steps=2), "device")
    train(recipe_of(steps=2, offloads_weights=True), "host")
    device, host = (read_state(tmp_path / out / "state" / "training.pt") for out in ("device", "host"))
    assert device is not None
    assert host is not None
    assert all(torch.equal(value, host.weights[name]) for name, value in device.weights.items())
