"""Ranks in processes of their own that divide the weights among them, and what their leader makes of a checkpoint."""

from __future__ import annotations

from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine import Engine, Trajectory
from engine.parallel import Follower, Leader, RankGroup
from engine.parallel.orders import receive
from engine.towers import Precision, generator
from studio.requests import parse_request
from studio.requests.reason import Reason

CPU = torch.device("cpu")

WORDS: dict[str, Any] = {
    "messages": [{"role": "user", "content": "Hello!"}],
    "sampling": {"max_tokens": 5, "temperature": 0},
}
SAMPLING: dict[str, Any] = {"num_inference_steps": 2, "guidance_scale": 3.0, "seed": 5}
PICTURE: dict[str, Any] = {"kind": "generate_image", "prompt": "a red cube.", "resolution": "256"}
CLIP: dict[str, Any] = PICTURE | {"kind": "generate_video", "num_frames": 5}

TOKENS_PER_PASS = 150
"""So that one of two groups needs two passes for its part of a picture and a clip, of 60 and 120 tokens, and the other
needs one."""


def made_alone(folder: Path, precision: Precision) -> dict[str, Any]:
    """What ranks should make, from whole weights."""
    return _made(Engine.load(folder, device="cpu", precision=precision))


def made_by_ranks(folder: Path, meeting: Path, num_ranks: int, precision: Precision) -> dict[str, Any]:
    """What so many ranks make, none of which has all weights."""
    context = get_context("spawn")
    meeting.touch()
    shared = (str(meeting), folder, num_ranks, precision)
    results, made = context.Pipe()
    pairs = [context.Pipe() for _ in range(1, num_ranks)]
    processes = [context.Process(target=_lead, args=(made, [ours for ours, _ in pairs], *shared), daemon=True)]
    for rank, (_, theirs) in enumerate(pairs, 1):
        processes.append(context.Process(target=_follow, args=(theirs, rank, *shared), daemon=True))
    try:
        for process in processes:
            process.start()
        for end in (made, *(end for pair in pairs for end in pair)):
            end.close()  # the processes have their own; with theirs gone, whoever waits for them is told
        return results.recv()
    finally:
        for process in processes:
            process.kill()
            process.join()
        results.close()


def _lead(results: Connection, pipes: list[Connection], meeting: str, folder: Path, size: int, precision: Any) -> None:
    group = RankGroup.join(0, size, meeting, CPU)
    engine = Engine.load(folder, device="cpu", precision=precision, peers=group.another_ring())
    engine.leader = Leader(engine.model, engine.coder, group, pipes, count=lambda _: size)
    made = _made(engine)
    assert engine.is_whole
    kept_bytes = sum(kept.nbytes for tower in _towers(engine) for kept in tower.blocks._kept)
    results.send(made | {"kept bytes": kept_bytes})
    results.recv()  # its end of the group stays until it is ended


def _towers(engine: Engine) -> list[Any]:
    return [engine.model.reasoner, engine.model.generator]


def _follow(pipe: Connection, rank: int, meeting: str, folder: Path, size: int, precision: Any) -> None:
    group = RankGroup.join(rank, size, meeting, CPU)
    generator.TOKENS_PER_PASS = TOKENS_PER_PASS
    follower = Follower.load(folder, group, precision=precision, peers=group.another_ring())
    with suppress(EOFError):
        while True:
            follower.obey(receive(pipe))


def _made(engine: Engine) -> dict[str, Any]:
    """Latents and words by turns; prompts are read again in between."""
    generator.TOKENS_PER_PASS = TOKENS_PER_PASS
    made: dict[str, Any] = {"picture": _run(engine, _begun(engine, PICTURE)), "words": _said(engine)}
    made["clip"] = _run(engine, _begun(engine, CLIP))
    made["not guided"] = _run(engine, _begun(engine, PICTURE, guidance_scale=1.0))
    engine.forget_prompts()
    made["together"] = _run(engine, _begun(engine, PICTURE), _begun(engine, CLIP))
    made["words again"] = _said(engine)
    return made


def _begun(engine: Engine, fields: dict[str, Any], **sampling: Any) -> Trajectory:
    return engine.begin(parse_request(fields | {"sampling": SAMPLING | sampling}))


def _run(engine: Engine, *trajectories: Trajectory) -> list[Tensor]:
    while not trajectories[0].done:
        engine.step(trajectories)
    return [latents for trajectory in trajectories for latents in trajectory.latents]


def _said(engine: Engine) -> str:
    conversation = engine.converse(Reason.model_validate(WORDS))
    while not conversation.done:
        engine.decode([conversation])
    return conversation.take()
