"""What a shape costs on a processor: an untrained checkpoint of it, loaded and asked by the ordinary engine."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import nn

from engine import Engine
from engine.planning import Plannable
from engine.reasoner import Footage
from pocket.train.assemble import assemble
from pocket.train.codecs import fresh_sight, fresh_sound, fresh_vae
from pocket.train.shape import MAX_BYTES, POCKET, Shape
from pocket.train.tokenizer import train_tokenizer
from studio.requests import GenerateImage
from studio.requests.actions import RunPolicy
from studio.requests.generate_video import GenerateVideo
from studio.requests.reason import Reason
from tuning.weights import fresh_model, released_tensors

WORDS = [
    "A robot arm above a red cube on a wooden table, soft daylight from the left.",
    "The gripper picks up the green ball and places it in the blue bowl next to the yellow cylinder.",
]


def build_untrained(folder: Path, shape: Shape, seed: int = 0, *, max_bytes: int = MAX_BYTES) -> int:
    """Write it; one seed is one checkpoint.

    Returns:
        Its size in bytes.

    Raises:
        BadInput: see `pocket.train.assemble.assemble`.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = fresh_model(shape.model(), seed)
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.ndim > 1 and not parameter.any():
                    nn.init.normal_(parameter, std=shape.width**-0.5)
        return assemble(
            folder,
            shape,
            transformer=released_tensors(model),
            sight=fresh_sight(shape),
            vae=fresh_vae(shape),
            sound=fresh_sound(shape),
            tokenizer=train_tokenizer(WORDS * 4, shape.vocabulary),
            max_bytes=max_bytes,
        )


CANDIDATES: dict[str, Shape] = {
    "pocket": POCKET,
    "VAE decoder 16": replace(POCKET, vae_decoder=16),
    "VAE decoder 32, inner 384": replace(POCKET, vae_decoder=32, inner=384),
    "width 192, 12 layers": replace(POCKET, width=192, heads=3, kv_heads=1, layers=12, inner=512),
    "width 320, 6 layers": replace(POCKET, width=320, heads=5, kv_heads=1, layers=6, inner=608),
}
"""What was measured before the sizes were chosen."""

NUM_TOKENS = 100
"""Of an answer that is timed; a caption of the tabletop has about three times as many."""

PROMPT = "A red cube and a blue ball on a wooden table, a robot arm above them, soft light from the left."

Made = TypeVar("Made")

SHOWN = "u" + "0" * 16
"""A media id that stands for what is handed over with the request."""

POLICY_FRAME = (224, 256, 3)
"""(height, width, colours), see `pocket.world.episode.POLICY_SIZE`."""


def measure(shape: Shape) -> dict[str, float]:
    """Seconds of everything that has a bar, of one untrained checkpoint: its size in bytes among them.

    Peak memory is the process's, so that only the first shape of a process gives its own.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "pocket"
        row = {"bytes": float(build_untrained(folder, shape, max_bytes=10**9))}
        engine, row["load_s"] = _timed(lambda: Engine.load(folder, device="cpu"))
        for name, request, media in _requests():
            _run(engine, request, media, num_steps=1)
            _, row[f"{name}_s"] = _timed(lambda request=request, media=media: _run(engine, request, media))
        # Twice: the first answer also reads the tokenizer into the grammar.
        _answer(engine)
        _, seconds = _timed(lambda: _answer(engine))
        row["token_ms"] = seconds / NUM_TOKENS * 1e3
    row["peak_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return row


def table(rows: dict[str, dict[str, float]]) -> str:
    """Markdown, one line a shape."""
    columns = list(next(iter(rows.values())))
    lines = ["| shape | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name, row in rows.items():
        cells = [f"{value / 1e6:.1f} MB" if key == "bytes" else f"{value:.2f}" for key, value in row.items()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _requests() -> list[tuple[str, Plannable, dict[str, np.ndarray]]]:
    sampling = {"num_inference_steps": 20, "guidance_scale": 4.0, "seed": 0, "flow_shift": 3.0}
    clip = {**sampling, "flow_shift": 5.0}
    policy = {"num_inference_steps": 4, "guidance_scale": 1.0, "seed": 0, "flow_shift": 5.0}
    place = {"resolution": "256", "aspect_ratio": "1:1"}
    acting = {
        "prompt": "Pick up the red cube.",
        "embodiment": "droid_joint_position",
        "start_image": SHOWN,
        "state": (0.0,) * 8,
        "num_actions": 32,
        "fps": 15.0,
        "resolution": "256",
        "decode_video": False,
    }
    seen = {"start_image": np.zeros((1, *POLICY_FRAME), np.uint8)}
    return [
        ("t2i", GenerateImage.model_validate({"prompt": PROMPT, "sampling": sampling, **place}), {}),
        (
            "t2v",
            GenerateVideo.model_validate(
                {"prompt": PROMPT, "sampling": clip, "num_frames": 17, "fps": 10.0, "sound": True, **place}
            ),
            {},
        ),
        ("policy", RunPolicy.model_validate({**acting, "sampling": policy}), seen),
        ("policy_guided", RunPolicy.model_validate({**acting, "sampling": {**policy, "guidance_scale": 3.0}}), seen),
    ]


def _run(engine: Engine, request: Plannable, media: dict[str, np.ndarray], num_steps: int | None = None) -> None:
    trajectory = engine.begin(request, media)
    while not trajectory.done:
        engine.step([trajectory])
        if num_steps is not None and trajectory.step >= num_steps:
            return
    result = engine.finish(trajectory)
    if isinstance(request, GenerateVideo):
        assert sum(len(piece) for piece in result.frames) == request.num_frames


def _answer(engine: Engine) -> None:
    picture = Footage(np.zeros((1, 256, 256, 3), np.uint8), ())
    parts = [{"type": "image", "image": SHOWN}, {"type": "text", "text": "What stands on the table?"}]
    request = Reason.model_validate(
        {
            "messages": [{"role": "user", "content": parts}],
            "sampling": {"max_tokens": NUM_TOKENS, "seed": 0, "temperature": 1.0},
        }
    )
    conversation = engine.converse(request, {SHOWN: picture})
    while not conversation.done:
        engine.decode([conversation])


def _timed(make: Callable[[], Made]) -> tuple[Made, float]:
    start = time.perf_counter()
    made = make()
    return made, time.perf_counter() - start


def measure_all(names: list[str]) -> str:
    """The table of some candidates, or of all."""
    torch.set_num_threads(2)
    return table({name: measure(CANDIDATES[name]) for name in names or CANDIDATES})
