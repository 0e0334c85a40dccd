"""The same answer here and by transformers' own generate, on one folder, in one process, by turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import pytest
import torch

PICTURE = f"u{0:016x}"

NUM_TOKENS = 64

ROUNDS = 7


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


@pytest.mark.slow
@pytest.mark.parametrize("shown", [(), (PICTURE,)], ids=["words", "a picture"])
def test_first_and_next_tokens_are_not_slower_than_transformers(
    engine, theirs, say, media, answers, record_property, shown
):
    given = theirs.inputs(say("what is in the bowl?", shown), media)

    def ours(num_tokens: int) -> None:
        engine.talk.prefixes.clear()
        (conversation,) = answers(engine, [say("what is in the bowl?", shown, max_tokens=num_tokens)], media)
        assert len(conversation.tokens) == num_tokens

    def generate(num_tokens: int) -> None:
        # What it is given has been tokenised and cut up before; ours does both within its time.
        with torch.inference_mode():
            theirs.model.generate(
                **given, max_new_tokens=num_tokens, min_new_tokens=num_tokens, do_sample=False, pad_token_id=0
            )

    spent: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, run in (("ours", ours), ("theirs", generate)):
            torch.set_num_threads(2)
            first = seconds(lambda run=run: run(1))
            whole = seconds(lambda run=run: run(NUM_TOKENS))
            spent.setdefault(f"{name} first", []).append(first)
            spent.setdefault(f"{name} next", []).append((whole - first) / (NUM_TOKENS - 1))
    figures = {name: median(values[1:]) * 1e3 for name, values in spent.items()}
    for name, milliseconds in figures.items():
        record_property(name, f"{milliseconds:.2f} ms")
        print(f"{name} {milliseconds:.2f} ms")  # noqa: T201
    assert figures["ours first"] <= figures["theirs first"]
    assert figures["ours next"] <= figures["theirs next"]
