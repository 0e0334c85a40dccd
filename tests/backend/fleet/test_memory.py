"""What checkpoints take of a device's memory, by the precision that they are computed in."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from backend.engine_process import Spreading
from backend.fleet.memory import (
    GB,
    HEADROOM_GB,
    PROCESS_GB,
    FleetMemory,
    held_gb,
    listed,
    needed_gb,
    num_rounded,
    visible,
)
from engine.memory import keep_on_host
from engine.speck import build_speck
from engine.tower_loading import load_towers
from engine.towers import OmniModel
from engine.towers.generator import Generator
from engine.weights import open_folder
from engine.weights.config import ModelConfig
from fp8_checkpoint import write_in_fp8
from studio.catalogue import DeviceMemory
from studio.checkpoints import Checkpoint
from studio.errors import BadInput
from studio.presets import CheckpointPreset, Precision
from studio.settings import ServerSettings

GPU, HOST = (DeviceMemory(place=place, total_gb=80, free_gb=80) for place in ("gpu", "host"))

FOUR = ((80.0, 70.0), (80.0, 9.0), (80.0, 60.0), (48.0, 40.0))
"""GPUs: GB in all and free."""

NANO: dict[str, Any] = {
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
}


def checkpoint(folder: Path, precision: Precision | None = None, **config: Any) -> Checkpoint:
    (folder / "transformer").mkdir(exist_ok=True)
    (folder / "transformer" / "config.json").write_text(json.dumps({**NANO, **config}))
    with (folder / "transformer" / "weights.safetensors").open("wb") as shard:
        shard.truncate(20_000_000_000)  # nothing is on the disk
    return Checkpoint("c", CheckpointPreset(id="c", title="", summary="", precision=precision), folder, True)


@pytest.mark.parametrize("hidden_act", ["silu", "relu2"])
def test_what_is_rounded_is_told_from_the_configuration(tmp_path: Path, hidden_act: str):
    with torch.device("meta"):
        generator = Generator(ModelConfig.model_validate({**NANO, "hidden_act": hidden_act}))
    matrices = [layer for layer in generator.blocks.modules() if isinstance(layer, nn.Linear) and layer.bias is None]

    checkpoint(tmp_path, hidden_act=hidden_act)

    assert num_rounded(tmp_path) == sum(layer.weight.numel() for layer in matrices)


def test_a_rounded_checkpoint_holds_less_once_it_is_loaded_and_needs_as_much_until_then(tmp_path: Path):
    untold, exact, eight = (checkpoint(tmp_path, precision) for precision in (None, "exact", "fp8"))

    for memory, saved_bytes in ((GPU, 1), (HOST, 3)):
        whole_gb = needed_gb(untold, memory)
        assert needed_gb(eight, memory) == whole_gb
        assert held_gb(untold, memory, "exact") == held_gb(exact, memory, "fp8") == whole_gb
        for rounded in (held_gb(eight, memory, "exact"), held_gb(untold, memory, "fp8")):
            assert rounded == pytest.approx(whole_gb - saved_bytes * num_rounded(tmp_path) / GB)
    assert held_gb(eight, GPU, "exact") == pytest.approx(22 - 6.95, abs=0.01)


@pytest.fixture(scope="module")
def in_fp8(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    build_speck(folder / "speck")
    return write_in_fp8(folder / "speck", folder / "eight")


@pytest.mark.parametrize("precision", ["exact", "fp8"])
def test_what_is_stored_in_fp8_is_reckoned_as_it_is_computed(tmp_path: Path, in_fp8: Path, precision: Precision):
    opened = open_folder(in_fp8)
    shutil.copytree(in_fp8 / "transformer", tmp_path / "transformer")  # the towers alone
    here = Checkpoint("c", CheckpointPreset(id="c", title="", summary=""), tmp_path, True)

    for memory, beside_gb, dtype in ((GPU, HEADROOM_GB, torch.bfloat16), (HOST, PROCESS_GB, torch.float32)):
        model = load_towers(opened, torch.device("cpu"), dtype, precision=precision, compiled=False)
        taken = sum(weight.nbytes for weight in model.parameters())
        own = (needed_gb(here, memory, precision) - beside_gb) * GB
        assert own == pytest.approx(taken, rel=0.05)
        # Nothing is whole first and rounded then.
        assert held_gb(here, memory, precision) == needed_gb(here, memory, precision)
    told = room(precision=precision)
    assert told.needed_gb(here, GPU) == told.held_gb(here, GPU) == needed_gb(here, GPU, precision)


def test_a_shard_that_is_no_shard_counts_as_nothing_in_fp8(tmp_path: Path):
    here = checkpoint(tmp_path, quantization_config={"quant_method": "modelopt", "quant_algo": "FP8"})
    assert needed_gb(here, GPU) == 20 + HEADROOM_GB


def test_what_is_not_here_is_not_looked_into(tmp_path: Path):
    absent = replace(checkpoint(tmp_path, "fp8"), folder=None, installed=False)

    assert held_gb(absent, GPU, "exact") == needed_gb(absent, GPU)


def test_a_workers_precision_is_its_checkpoints_where_that_says_one():
    told = Spreading(precision="fp8")

    assert "--precision=fp8" in told.at(None).arguments()
    assert "--precision=exact" in told.at("exact").arguments()
    assert "--precision=fp8" in Spreading().at("fp8").arguments()


def room(cards: tuple[tuple[float, float], ...] = FOUR, /, **told: Any) -> FleetMemory:
    return FleetMemory(ServerSettings(**told), lambda: cards, lambda: (32.0, 8.0))


@pytest.mark.parametrize(
    ("told", "total_gb", "free_gb"),
    [
        ({}, 80, 70),
        ({"device": "cuda"}, 80, 70),
        ({"device": "cuda:2"}, 80, 60),
        ({"gpus": 2}, 80, 9),
        ({"replicas": 2, "gpus": 2}, 48, 9),
        ({"device": "cuda:2", "gpus": 2}, 48, 40),
    ],
)
def test_memory_is_that_of_the_scarcest_device_that_engines_are_on(
    told: dict[str, Any], total_gb: float, free_gb: float
):
    memory = room(**told).read()
    assert (memory.place, memory.total_gb, memory.free_gb) == ("gpu", total_gb, free_gb)


@pytest.mark.parametrize(("cards", "told"), [(FOUR, {"device": "cpu"}), ((), {}), ((), {"replicas": 64, "gpus": 8})])
def test_without_a_gpu_memory_is_the_hosts_and_any_number_of_engines_may_be_there(
    cards: tuple[tuple[float, float], ...], told: dict[str, Any]
):
    own = room(cards, **told)
    assert own.read() == DeviceMemory(place="host", total_gb=32, free_gb=8)
    assert set(own.devices()) == {told.get("device", "auto")}
    assert len(own.devices()) == told.get("replicas", 1)


def test_every_engine_and_rank_on_one_device_counts(tmp_path: Path):
    here = checkpoint(tmp_path)
    alone = needed_gb(here, GPU)
    assert room(replicas=2, gpus=2).needed_gb(here, GPU) == alone
    assert room(replicas=3, device="cuda:1").needed_gb(here, GPU) == 3 * alone
    assert room(replicas=2, gpus=2, device="cpu").needed_gb(here, HOST) == 4 * (20 * 2 + PROCESS_GB)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            {"replicas": 3, "gpus": 2},
            "--replicas 3 with --gpus 2 needs 6 of this machine's GPUs from cuda:0 on; it has 4.",
        ),
        ({"replicas": 5}, "--replicas 5 with --gpus 1 needs 5 of this machine's GPUs from cuda:0 on; it has 4."),
        (
            {"replicas": 2, "gpus": 2, "device": "cuda:3"},
            "--replicas 2 with --gpus 2 needs 2 of this machine's GPUs from cuda:3 on; it has 4.",
        ),
        ({"gpus": 8}, "--replicas 1 with --gpus 8 needs 8 of this machine's GPUs from cuda:0 on; it has 4."),
        ({"device": "cuda:4"}, "--replicas 1 with --gpus 1 needs 1 of this machine's GPUs from cuda:4 on; it has 4."),
    ],
)
def test_more_gpus_than_there_are_is_said_before_anything_starts(told: dict[str, Any], said: str):
    with pytest.raises(BadInput) as refused:
        room(**told).devices()
    assert refused.value.message == said


def test_an_offloaded_checkpoint_needs_what_stays_on_the_gpu(tmp_path: Path):
    config: dict[str, Any] = {"num_hidden_layers": 4, "hidden_size": 64, "intermediate_size": 96, "vocab_size": 500}
    config |= {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}
    with torch.device("meta"):
        model = OmniModel(ModelConfig.model_validate({**NANO, **config, "rope_axes_dim": (4, 2, 2)}))
    whole = sum(weight.numel() for weight in model.parameters())
    model = model.to_empty(device="cpu").to(torch.bfloat16)
    keep_on_host(model, torch.device("cpu"))
    # What the towers really keep on a device: two slots, and all that is not a view of them.
    places = {weight.untyped_storage().data_ptr(): weight.untyped_storage().nbytes() for weight in model.parameters()}
    here = checkpoint(tmp_path, **config)
    with (tmp_path / "transformer" / "weights.safetensors").open("wb") as shard:
        shard.truncate(whole * 2)

    reckoned_bytes = (needed_gb(here, GPU, kept=0) - HEADROOM_GB) * GB

    assert sum(places.values()) < whole * 2 / 2
    assert reckoned_bytes == pytest.approx(sum(places.values()), rel=0.05)


def test_offloading_changes_what_a_gpu_holds_and_nothing_on_a_cpu(tmp_path: Path):
    here = checkpoint(tmp_path)
    with (tmp_path / "transformer" / "weights.safetensors").open("wb") as shard:
        shard.truncate(34_900_000_000)

    assert room(offload=True).needed_gb(here, GPU) == pytest.approx(34.9 - 27.0 + 2, abs=0.1)
    assert room(offload=True, precision="fp8").held_gb(here, GPU) == room(offload=True).needed_gb(here, GPU)
    assert room(offload=True).needed_gb(here, HOST) == room().needed_gb(here, HOST)
    assert room(offload=True, precision="fp8").held_gb(here, HOST) == room(precision="fp8").held_gb(here, HOST)


def test_gpus_that_divide_the_weights_hold_a_part_each_and_two_blocks(tmp_path: Path):
    here = checkpoint(tmp_path)
    with (tmp_path / "transformer" / "weights.safetensors").open("wb") as shard:
        shard.truncate(34_900_000_000)

    # Nano's 72 blocks of 386 MB: half of them and two more stay.
    assert room(gpus=2, shard_weights=True).needed_gb(here, GPU) == pytest.approx(34.9 - 34 * 0.386 + 2, abs=0.1)
    assert room(gpus=4, shard_weights=True).needed_gb(here, GPU) == pytest.approx(34.9 - 52 * 0.386 + 2, abs=0.1)
    spared_gb = [
        room(gpus=2, shard_weights=shards).needed_gb(here, GPU)
        - room(gpus=2, shard_weights=shards, precision="fp8").held_gb(here, GPU)
        for shards in (False, True)
    ]
    assert spared_gb[1] == pytest.approx(spared_gb[0] / 2)


def test_of_an_offloaded_checkpoint_that_is_not_here_nothing_is_claimed(tmp_path: Path):
    absent = replace(checkpoint(tmp_path), folder=None, installed=False)

    assert room(offload=True).needed_gb(absent, GPU) is None
    assert room(gpus=2, shard_weights=True).needed_gb(absent, GPU) is None
    assert room().needed_gb(absent, GPU) == HEADROOM_GB


@pytest.mark.parametrize(
    ("chosen", "seen"),
    [
        (None, [0, 1, 2]),
        ("2,0", [2, 0]),
        ("GPU-b, GPU-a1", [1, 0]),
        ("1,7,0", [1]),
        ("GPU-", []),
        ("-1", []),
        ("", []),
        ("MIG-0123", [0, 1, 2]),
    ],
)
def test_gpus_are_numbered_as_the_engine_sees_them(chosen: str | None, seen: list[int]):
    gpus = {"GPU-a1": (10.0, 1.0), "GPU-b2": (20.0, 2.0), "GPU-c3": (30.0, 3.0)}
    assert visible(gpus, chosen) == tuple(list(gpus.values())[number] for number in seen)


def test_the_drivers_word_is_read_as_it_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho GPU-a1, 81559, 81008\necho GPU-b2, 81559, 1024\n")
    tool.chmod(0o755)
    monkeypatch.setattr("backend.fleet.memory.QUERY_LIMIT_S", 60.0)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")

    memory = FleetMemory(ServerSettings()).read()

    assert (memory.place, round(memory.total_gb, 2), round(memory.free_gb, 2)) == ("gpu", 85.52, 1.07)


def test_what_lies_on_the_hub_and_has_no_size_in_its_preset_needs_nobody_knows_how_much():
    preset = CheckpointPreset(id="c", title="", summary="", repository="a/b")
    unsaid, said = (
        Checkpoint("c", each, None, installed=False) for each in (preset, preset.model_copy(update={"weights_gb": 3.0}))
    )

    assert room().needed_gb(unsaid, GPU) is None
    assert room().needed_gb(said, GPU) == 3 + HEADROOM_GB


def test_a_gpu_that_shares_the_hosts_memory_has_as_much_as_the_host():
    gpus = listed("GPU-a, 143771, 140000\nGPU-b, [N/A], [N/A]\nno devices were found\n")
    assert list(gpus) == ["GPU-a", "GPU-b"]
    assert gpus["GPU-a"] == pytest.approx((150.75, 146.80), abs=0.01)
    assert gpus["GPU-b"][0] > 0


@pytest.mark.parametrize(
    ("cards", "told", "count", "devices"),
    [
        ((), {}, 1, (("cpu",), False)),
        (FOUR[:1], {}, 1, (("cuda:0",), True)),
        (FOUR, {}, 1, (("cuda:1",), False)),
        (FOUR, {"gpus": 2}, 1, (("cuda:2",), False)),
        (FOUR, {"gpus": 4}, 1, (("cuda:0",), True)),
        (FOUR, {"device": "cpu"}, 1, (("cpu",), False)),
        (FOUR, {}, 3, (("cuda:1", "cuda:2", "cuda:3"), False)),
        (FOUR, {}, 4, (("cuda:0", "cuda:1", "cuda:2", "cuda:3"), True)),
        (FOUR, {"device": "cuda:2", "gpus": 2}, 3, (("cuda:0", "cuda:1", "cuda:2"), True)),
    ],
)
def test_a_trainer_gets_gpus_that_no_engine_uses_or_the_engines_too(
    cards: tuple[tuple[float, float], ...], told: dict[str, Any], count: int, devices: tuple[tuple[str, ...], bool]
):
    assert room(cards, **told).training_devices(count) == devices


@pytest.mark.parametrize("cards", [(), FOUR])
def test_more_gpus_than_there_are_cannot_be_trained_on(cards: tuple[tuple[float, float], ...]):
    with pytest.raises(BadInput, match=f"asks for 5 GPUs; this machine has {len(cards)}"):
        room(cards).training_devices(5)
