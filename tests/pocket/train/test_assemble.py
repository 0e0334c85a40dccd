from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from diffusers import Cosmos3OmniPipeline, UniPCMultistepScheduler
from transformers import AutoTokenizer, Cosmos3OmniForConditionalGeneration

from engine import Engine
from pocket.train.shape import MAX_BYTES, POCKET, TOY
from pocket.train.untrained import build_untrained
from studio.errors import BadInput
from studio.requests import GenerateImage
from studio.requests.reason import Reason

PICTURE = GenerateImage.model_validate(
    {
        "prompt": "a red cube on a table",
        "resolution": "256",
        "aspect_ratio": "16:9",
        "sampling": {"num_inference_steps": 3, "guidance_scale": 4.0, "seed": 0, "flow_shift": 3.0},
    }
)


def drawn_by_the_engine(folder: Path) -> np.ndarray:
    engine = Engine.load(folder, device="cpu")
    trajectory = engine.begin(PICTURE)
    while not trajectory.done:
        engine.step([trajectory])
    return engine.finish(trajectory).image


def drawn_by_diffusers(folder: Path) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
        pipeline = Cosmos3OmniPipeline.from_pretrained(folder, dtype=torch.float32, enable_safety_checker=False)
    assert pipeline.config.use_native_flow_schedule
    pipeline.set_progress_bar_config(disable=True)
    pipeline.scheduler = UniPCMultistepScheduler.from_config(
        pipeline.scheduler.config, use_karras_sigmas=False, flow_shift=3.0
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
        out = pipeline(
            prompt=PICTURE.prompt,
            negative_prompt="",
            num_frames=1,
            height=192,
            width=320,
            num_inference_steps=3,
            guidance_scale=4.0,
            use_system_prompt=False,
            generator=torch.Generator().manual_seed(0),
            output_type="pt",
        )
    return out.video[0].permute(1, 2, 0).mul(255).round().to(torch.uint8).numpy()


def test_the_engine_and_diffusers_draw_the_same_picture_from_the_folder(untrained):
    ours, theirs = drawn_by_the_engine(untrained), drawn_by_diffusers(untrained)
    assert ours.std() > 5
    assert abs(ours.astype(int) - theirs.reshape(ours.shape)).max() <= 1


def test_transformers_reads_its_reasoner_and_writes_the_same_words(untrained):
    theirs, info = Cosmos3OmniForConditionalGeneration.from_pretrained(
        untrained, dtype=torch.float32, output_loading_info=True
    )
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
    assert not info["mismatched_keys"]
    turns = [{"role": "user", "content": "what stands on the table?"}]
    tokenizer = AutoTokenizer.from_pretrained(untrained)
    asked = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=True, return_tensors="pt")
    written = theirs.generate(**asked, max_new_tokens=6, do_sample=False)[0, asked["input_ids"].shape[1] :]
    engine = Engine.load(untrained, device="cpu")
    sampling = {"max_tokens": 6, "temperature": 0, "presence_penalty": 0, "seed": 0}
    conversation = engine.converse(Reason.model_validate({"messages": turns, "sampling": sampling}))
    while not conversation.done:
        engine.decode([conversation])
    assert conversation.tokens == written.tolist()


def test_one_seed_is_one_checkpoint(untrained, tmp_path):
    build_untrained(tmp_path / "again", TOY)
    for path in untrained.rglob("*.*"):
        assert (tmp_path / "again" / path.relative_to(untrained)).read_bytes() == path.read_bytes(), path


def test_a_checkpoint_that_is_too_large_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(BadInput, match="at most 1,000 are allowed"):
        build_untrained(tmp_path / "toy", TOY, max_bytes=1000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_pocket_itself_fits_and_all_three_programs_agree_on_it(tmp_path):
    assert build_untrained(tmp_path / "pocket", POCKET) <= MAX_BYTES
    ours = drawn_by_the_engine(tmp_path / "pocket")
    theirs = drawn_by_diffusers(tmp_path / "pocket")
    assert abs(ours.astype(int) - theirs.reshape(ours.shape)).max() <= 1
    _, info = Cosmos3OmniForConditionalGeneration.from_pretrained(
        tmp_path / "pocket", dtype=torch.float32, output_loading_info=True
    )
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
