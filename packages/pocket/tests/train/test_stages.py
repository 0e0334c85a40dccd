"""All stages at toy size on flat shapes, one after the other, to a checkpoint that the engine runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engine import Engine
from pocket.train import generator, reasoner, sound_codec, tokenizing, video_vae
from pocket.train.finishing import finish
from pocket.train.flow.encoding import drawn_of, encode_shard, read_encoder, read_latents
from pocket.train.loop import Options, needed_state
from pocket.train.starting import start
from pocket_flat_world import flat_episodes
from studio.errors import BadInput
from studio.requests import GenerateImage
from studio.requests.generate_video import GenerateVideo
from studio.requests.reason import Reason

SAMPLING = {"num_inference_steps": 2, "guidance_scale": 2.0, "seed": 0, "flow_shift": 3.0}


def curve(options: Options, stage: str, name: str) -> list[float]:
    lines = [json.loads(line) for line in (options.out / f"{stage}.jsonl").read_text().splitlines()]
    return [line[name] for line in lines if name in line]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_stage_lowers_its_loss_and_what_they_make_together_runs(options, tmp_path):
    tokenizing.run(options, flat_episodes)
    video_vae.run(replace(options, steps=40), flat_episodes)
    sound_codec.run(options, flat_episodes)
    reasoner.run(replace(options, steps=60), flat_episodes)
    generator.run(replace(options, steps=200, batch=16), generator.PICTURES, flat_episodes)
    for stage, name in (("vae", "loss"), ("sound", "loss"), ("reasoner", "answers"), ("pictures", "t2i_vision")):
        losses = curve(options, stage, name)
        assert losses[-1] < 0.95 * losses[0], (stage, losses)
    check_encoded_elsewhere_is_encoded_here(options, tmp_path)
    elsewhere = replace(options, steps=202, batch=16, encoders=1)
    assert generator.run(elsewhere, generator.PICTURES, flat_episodes).step == 202
    going_on = replace(options, steps=40, batch=16)
    assert generator.run(going_on, generator.GENERATOR, flat_episodes, reasoner_rate=0.0).step == 40
    check_the_decoder_goes_on_alone(replace(options, steps=5))
    assert finish(options, tmp_path / "pocket") < 3_000_000
    check_runs(tmp_path / "pocket")
    check_goes_on_from(tmp_path / "pocket", options, tmp_path)


def check_the_decoder_goes_on_alone(options: Options) -> None:
    video_vae.run(options, flat_episodes, stage=video_vae.DECODER)
    before, after = needed_state(options.out, "vae"), needed_state(options.out, "decoder")
    of_latents = [name for name in before.average if name.startswith(("encoder.", "quant_conv."))]
    assert all(torch.equal(before.average[name], after.average[name]) for name in of_latents)
    assert not torch.equal(before.average["decoder.conv_out.weight"], after.average["decoder.conv_out.weight"])
    assert after.notes == before.notes
    drawn = video_vae.read_vae(options, video_vae.DECODER).state_dict()
    assert torch.equal(drawn["decoder.conv_out.weight"], after.average["decoder.conv_out.weight"])


def check_encoded_elsewhere_is_encoded_here(options: Options, scratch: Path) -> None:
    encoder = read_encoder(options)
    for path in options.data.glob("*-0000000000-*"):
        encode_shard(encoder, path, scratch / "shard.latents")
        found = read_latents(scratch / "shard.latents")
        wanted = [sample for drawn in drawn_of(path) for sample in encoder.samples(drawn)]
        assert len(found) == len(wanted) > 0
        for one, other in zip(found, wanted, strict=True):
            assert torch.equal(one.vision, other.vision)
            assert (one.kind, one.words, list(one.controls)) == (other.kind, other.words, list(other.controls))


def check_goes_on_from(checkpoint: Path, options: Options, scratch: Path) -> None:
    again = replace(options, out=scratch / "again", steps=3, batch=16)
    start(again, checkpoint)
    assert finish(again, scratch / "same") == size_of(checkpoint)
    for path in checkpoint.rglob("*.safetensors"):
        assert path.read_bytes() == (scratch / "same" / path.relative_to(checkpoint)).read_bytes(), path
    assert generator.run(again, generator.PICTURES, flat_episodes).step == 3


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def check_runs(folder: Path) -> None:
    engine = Engine.load(folder, device="cpu")
    asked = {"prompt": "a red cube", "resolution": "256", "aspect_ratio": "16:9", "sampling": SAMPLING}
    picture = engine.begin(GenerateImage.model_validate(asked))
    clip = engine.begin(GenerateVideo.model_validate({**asked, "num_frames": 5, "fps": 10, "sound": True}))
    while not (picture.done and clip.done):
        engine.step([trajectory for trajectory in (picture, clip) if not trajectory.done])
    assert engine.finish(picture).image.shape == (192, 320, 3)
    result = engine.finish(clip)
    assert sum(len(piece) for piece in result.frames) == 5
    assert result.sound is not None
    turns = [{"role": "user", "content": "What colour is it?"}]
    answer = engine.converse(Reason.model_validate({"messages": turns, "sampling": {"max_tokens": 4}}))
    while not answer.done:
        engine.decode([answer])
    assert answer.tokens


def test_a_stage_without_the_one_before_it_says_which(options):
    with pytest.raises(BadInput, match=r"reasoner\.pt was not found"):
        generator.run(options, generator.GENERATOR, flat_episodes)


def test_a_stage_without_episodes_says_where_they_come_from(options, tmp_path):
    with pytest.raises(BadInput, match="holds no episodes"):
        video_vae.run(replace(options, data=tmp_path / "nothing"), flat_episodes)
