"""Time the reasoner's words on a model of Nano's shape with random weights.

python -m engine.bench.decoding [--device auto] [--prompt 512] [--tokens 128] [--json FILE]

On a GPU the floor is what reading each weight of the reasoner once takes, at the speed of a large copy in the same
run. On a CPU the same cases run on a tiny model, and their times mean nothing beside others'.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from transformers import PreTrainedTokenizerFast

from engine.bench.stage import NANO, build_random
from engine.device import pick_device
from engine.planning import read_tokenizer
from engine.reasoner import Chat
from engine.speck import build_speck
from engine.towers import OmniModel
from studio.captions.answer_schema import object_schema, text_schema
from studio.errors import StudioError
from studio.requests.reason import Reason

TINY = NANO.model_copy(update={"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2})

GREEDY: dict[str, Any] = {"temperature": 0, "presence_penalty": 0}

CASES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("likeliest words", 1, GREEDY),
    ("drawn words", 1, {}),
    ("likeliest words, 2 together", 2, GREEDY),
    ("likeliest words, 4 together", 4, GREEDY),
    ("likeliest words, 8 together", 8, GREEDY),
)
"""Name, conversations, and sampling where it is not the default."""

COPY_BYTES = 2**32


@dataclass(frozen=True)
class Pace:
    """One row of the table, in milliseconds.

    Attributes:
        first: from a prompt to its first word.
        median: from a word to the next of every conversation, everything on the host among it.
        slowest: the longest of those.
        floor: none on a CPU.
    """

    case: str
    first: float
    median: float
    slowest: float
    floor: float | None


SCHEMA = object_schema(
    subject_details=text_schema(40),
    background_setting=text_schema(40),
    lighting_and_colour=text_schema(40),
    camera_motion={"enum": ["static", "pan", "orbit"]},
    number_of_subjects={"type": "integer", "minimum": 0, "maximum": 9},
    is_plausible={"type": "boolean"},
)
"""As captions are: keys, choices and short texts."""


@dataclass(frozen=True)
class Forced:
    """An answer in a schema: without drafts it takes a pass for each token.

    Attributes:
        token_ms: from the prompt's end to the answer's, by its tokens.
    """

    tokens: int
    passes: int
    token_ms: float


@torch.inference_mode()
def main() -> int:
    """Run the cases; 2 when there is no such device."""
    parser = argparse.ArgumentParser(prog="python -m engine.bench.decoding", description="Time the reasoner's words.")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--prompt", type=int, default=512, help="tokens that are read, at least")
    parser.add_argument("--tokens", type=int, default=128, help="words that are written")
    parser.add_argument("--json", type=Path, help="write the numbers here too")
    options = parser.parse_args()
    try:
        device = pick_device(options.device)
    except StudioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    on_gpu = device.type == "cuda"
    model = build_random(NANO if on_gpu else TINY, device, torch.bfloat16 if on_gpu else torch.float32)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "speck"
        build_speck(folder)
        tokenizer = read_tokenizer(folder / "text_tokenizer").tokenizer
        assert isinstance(tokenizer, PreTrainedTokenizerFast)
        chat = Chat.load(folder, model, tokenizer)
    vocabulary = chat.writer.vocabulary
    forced = time_schema(chat)
    # What spells words has to know the ends of an answer; after that none ends early.
    assert vocabulary.grammar
    vocabulary.ends = frozenset()
    floor = floor_ms(model) if on_gpu else None
    paces = [time_words(chat, name, size, how, options, floor) for name, size, how in CASES]
    where = torch.cuda.get_device_name(device) if on_gpu else "CPU, a tiny model"
    sys.stdout.write(table(where, paces))
    sys.stdout.write(f"in a schema: {forced.tokens} tokens, {forced.passes} passes, {forced.token_ms:.3f} ms a token\n")
    if options.json is not None:
        report = {"torch": torch.__version__, "device": where, "cases": [asdict(pace) for pace in paces]}
        report["schema"] = asdict(forced)
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0


def floor_ms(model: OmniModel) -> float:
    """Milliseconds in which a GPU reads the reasoner's weights once; of the embedding it reads one row."""
    weights = [weight for name, weight in model.reasoner.named_parameters() if name != "embed_tokens.weight"]
    source = torch.empty(COPY_BYTES, dtype=torch.uint8, device=model.device)
    target = torch.empty_like(source)
    spent: list[float] = []
    for _ in range(5):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        target.copy_(source)
        end.record()
        end.synchronize()
        spent.append(start.elapsed_time(end))
    return sum(weight.nbytes for weight in weights) / (2 * COPY_BYTES) * median(spent)


def time_words(
    chat: Chat, case: str, size: int, how: dict[str, Any], options: argparse.Namespace, floor: float | None
) -> Pace:
    """Write so many words in so many conversations; the first four steps are not counted."""
    words = "what is next? " * -(-options.prompt // 4)  # four tokens
    conversations = [
        chat.begin(
            Reason.model_validate(
                {
                    "messages": [{"role": "user", "content": words}],
                    "sampling": {"max_tokens": options.tokens, "seed": seed, **how},
                }
            ),
            {},
        )
        for seed in range(size)
    ]
    assert len(conversations[0].prompt.tokens) >= options.prompt
    spent: list[float] = []
    while not all(entry.done for entry in conversations):
        start = time.perf_counter()
        chat.advance(conversations)
        spent.append(1e3 * (time.perf_counter() - start))
    first = len(spent) - options.tokens + 1
    return Pace(case, sum(spent[:first]), median(spent[first + 4 :]), max(spent[first + 4 :]), floor)


def time_schema(chat: Chat) -> Forced:
    """Write an answer in `SCHEMA` four times; the last counts, by which passes of every length are recorded."""
    found: list[Forced] = []
    for seed in range(4):
        said = {"messages": [{"role": "user", "content": "what is here?"}], "response_schema": SCHEMA}
        asked = Reason.model_validate(said | {"sampling": {"max_tokens": 400, "seed": seed}})
        conversation = chat.begin(asked, {})
        while not conversation.tokens:
            chat.advance([conversation])
        start, passes = time.perf_counter(), 1
        while not conversation.done:
            chat.advance([conversation])
            passes += 1
        num_tokens = len(conversation.tokens)
        found.append(Forced(num_tokens, passes, 1e3 * (time.perf_counter() - start) / max(num_tokens - 1, 1)))
    return found[-1]


def table(where: str, paces: list[Pace]) -> str:
    """Milliseconds for the first word and from word to word, and how many times the floor that is."""
    head = f"{where}\n{'case':30} {'first':>10} {'next':>10} {'slowest':>10} {'floor':>10} {'ratio':>7}\n"
    rows = [
        f"{pace.case:30} {pace.first:7.1f} ms {pace.median:7.3f} ms {pace.slowest:7.3f} ms"
        + (f" {pace.floor:7.3f} ms {pace.median / pace.floor:6.2f}x\n" if pace.floor else "\n")
        for pace in paces
    ]
    return head + "".join(rows)


if __name__ == "__main__":
    sys.exit(main())
