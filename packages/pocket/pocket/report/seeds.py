"""Which seeds a report card draws from: behind those that training may ever see, each exam in a block of its own."""

from __future__ import annotations

from pocket.world.episode import HELD_OUT_FROM

BLOCK = 1_000_000
"""Seeds of an exam; two exams never share a scene, but where they name the same block to share its rendering."""

STILLS, CLIPS, RUNS, PROMPTS, SCENES = range(5)
"""Blocks: stills, clips and policy runs of the world, prompts without a picture, tables of the bridge."""


def held_out(block: int, count: int, seed: int = 0) -> range:
    """The seeds of an exam.

    `pocket.train.shards` refuses to render seeds from ``HELD_OUT_FROM`` on, so that none of these was ever trained on.

    Args:
        seed: of the card; another one draws other questions.
    """
    assert 0 <= count <= BLOCK // 10
    first = HELD_OUT_FROM + block * BLOCK + (seed % 10) * (BLOCK // 10)
    return range(first, first + count)
