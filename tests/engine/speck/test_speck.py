from __future__ import annotations

import hashlib
import json
import time
import warnings
from pathlib import Path

import pytest
import torch
from diffusers import Cosmos3OmniPipeline, Cosmos3OmniTransformer
from transformers import AutoTokenizer, Cosmos3OmniForConditionalGeneration

import engine.speck.build
from engine.planning.prompt import read_tokenizer
from engine.speck import build_speck
from studio.checkpoints import check_layout, check_weights


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_it_is_built_in_seconds_and_takes_about_five_megabytes(tmp_path):
    start = time.process_time()
    build_speck(tmp_path / "speck")
    assert time.process_time() - start < 5
    assert check_weights(tmp_path / "speck") < 5_500_000
    check_layout(tmp_path / "speck")


def test_one_seed_is_one_checkpoint(speck, tmp_path):
    state = torch.random.get_rng_state()
    build_speck(tmp_path / "again")
    assert torch.equal(torch.random.get_rng_state(), state)
    assert digests(tmp_path / "again") == digests(speck)
    build_speck(tmp_path / "other", seed=1)
    assert digests(tmp_path / "other") != digests(speck)


def test_it_replaces_what_was_there(tmp_path):
    (tmp_path / "speck").mkdir()
    (tmp_path / "speck" / "stale").touch()
    build_speck(tmp_path / "speck")
    assert not (tmp_path / "speck" / "stale").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["speck"]


def test_a_build_that_is_cut_short_leaves_nothing(tmp_path, monkeypatch):
    def fail() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine.speck.build, "random_vae", fail)
    with pytest.raises(KeyboardInterrupt):
        build_speck(tmp_path / "speck")
    assert list(tmp_path.iterdir()) == []


def test_diffusers_loads_all_of_it(speck):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
        pipeline = Cosmos3OmniPipeline.from_pretrained(speck, dtype=torch.float32, enable_safety_checker=False)
    assert pipeline.sound_tokenizer is not None
    assert pipeline.scheduler.config.use_karras_sigmas
    assert pipeline.scheduler.config.sigma_max == 200.0
    assert len(list((speck / "transformer").glob("*.safetensors"))) > 1


def test_transformers_reads_the_same_reasoner_from_the_same_folder(speck):
    reasoner, info = Cosmos3OmniForConditionalGeneration.from_pretrained(
        speck, dtype=torch.float32, output_loading_info=True
    )
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
    assert not info["mismatched_keys"]
    tokenizer = AutoTokenizer.from_pretrained(speck)
    turns = [{"role": "user", "content": "a robot arm picks up"}]
    ids = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=True, return_tensors="pt")[
        "input_ids"
    ]
    transformer = Cosmos3OmniTransformer.from_pretrained(speck, subfolder="transformer", dtype=torch.float32)
    with torch.inference_mode():
        theirs = reasoner.eval()(input_ids=ids).logits[0]
        ours = diffusers_logits(transformer.eval(), ids[0])
    assert theirs.std() > 0.1
    assert float((theirs - ours).abs().max()) < 1e-4


def diffusers_logits(transformer: Cosmos3OmniTransformer, ids: torch.Tensor) -> torch.Tensor:
    """The reasoner's half of diffusers' joint forward; the generator's half gets two silent tokens."""
    x = transformer.embed_tokens(ids)
    positions = torch.arange(len(ids)).view(1, 1, -1).expand(3, 1, -1).float()
    cos, sin = (table.squeeze(0) for table in transformer.rotary_emb(positions, x.device, x.dtype))
    silent = torch.zeros(2, x.shape[-1])
    still = torch.ones(2, cos.shape[-1])
    read, _ = transformer._run_decoder_stack(x, silent, (cos, sin, still, torch.zeros_like(still)))
    return transformer.lm_head(read)


def test_captions_of_ten_thousand_characters_fit_into_a_prompt(speck):
    kettle = {
        "description": "A copper kettle with a long spout, dented near its base, half turned towards the window.",
        "appearance_details": "Polished metal with dark stains, a wooden handle, thin scratches that catch the light.",
        "relationship": "Stands left of the cutting board and is lifted by the gripper after four seconds.",
        "location": "Lower third of the frame, in front of the tiled wall.",
        "relative_size": "small",
        "orientation": "upright",
        "number_of_subjects": 1,
    }
    caption = json.dumps({"subjects": [kettle] * 21, "aspect_ratio": "16,9"})
    assert len(caption) > 9_800
    assert len(read_tokenizer(speck / "text_tokenizer").encode(caption, system=None, param="prompt")) < 4_000
