"""Conversations on the resident weights: prompts are read in pieces, answers written token by token, together.

Who reads how much of a prompt in one call is shared out, so that a short question is answered while a long one is still
read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from engine.reasoner.constraint import Constraint
from engine.reasoner.conversation import Answer, Conversation, SharedPrefixes, TokenLogprob, num_alike
from engine.reasoner.picking import Chooser, Tally, pick, upload
from engine.reasoner.prompt import PromptWriter
from engine.reasoner.sight import Footage, read_placeholders
from engine.reasoner.vision_encoder import VisionEncoder, read_vision_encoder
from engine.reasoner.vocabulary import read_vocabulary
from engine.towers import Cache, OmniModel, rope_tables
from engine.towers.decoding import SIZES, LastToken, Steps
from studio.checkpoints import read_json
from studio.errors import BadInput, PromptTooLong
from studio.requests.reason import Reason
from studio.sight import EDGE, bounds_of, choose_frames, context_of, read_sight, seen_size

READ_TOKENS = 1024
"""Of prompts, read in one call: what else the device is for waits no longer than that takes."""

MIN_SHARE = 128
"""Tokens below which a pass over the weights is not worth it: where the shares would be smaller, some wait."""

MAX_DRAFT = 7
"""Tokens of a draft: with the last token eight rows, which a pass takes in about the time of one."""

WORTH = 2
"""A conversation waits for another's prompt to be read while that takes at most so many times what it saves."""


@dataclass
class Chat:
    """The reasoner of one checkpoint as a partner in conversations. One thread's own.

    Attributes:
        vision: none where the checkpoint has no vision encoder.
        context: tokens of a conversation at most, its answer among them.
        steps: recorded ones for the tokens of answers; none where that cannot be.
    """

    model: OmniModel
    writer: PromptWriter
    vision: VisionEncoder | None
    context: int
    prefixes: SharedPrefixes
    steps: Steps | None

    @classmethod
    def load(cls, folder: Path, model: OmniModel, text_tokenizer: PreTrainedTokenizerBase) -> Chat:
        """Read what a checkpoint has beside the towers: tokenizer, chat template, vision encoder.

        Raises:
            BrokenCheckpoint: a file of it cannot be read.
        """
        root = read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
        vocabulary = read_vocabulary(folder, text_tokenizer, model.config.vocab_size)
        vision = read_vision_encoder(folder, model.device, model.dtype)
        sight = None if vision is None else read_sight(folder, root.get("model_type") == EDGE)
        writer = PromptWriter(vocabulary, sight, None if vision is None else read_placeholders(vocabulary))
        return cls(model, writer, vision, context_of(root), SharedPrefixes(), Steps.of(model.reasoner))

    def forget(self) -> None:
        """Give up what is kept between conversations, and what reads weights where they are now."""
        self.prefixes.clear()
        self.steps = None

    def record(self) -> None:
        """Record steps anew, once the weights are on the device."""
        self.steps = Steps.of(self.model.reasoner)

    def choose_frames(self, num_frames: int, fps: float, request: Reason) -> tuple[int, ...]:
        """See `Engine.choose_frames`."""
        if self.writer.sight is None:
            return (0,)
        return choose_frames(num_frames, fps, request, self.writer.sight)

    def seen_size(self, width: int, height: int, num_frames: int, request: Reason) -> tuple[int, int]:
        """The (width, height) that each of `num_frames` chosen frames of a clip is looked at. Raises BadInput."""
        sight = self.writer.sight
        if sight is None:
            return width, height
        rows, columns = seen_size(height, width, sight, bounds_of(request, sight, is_clip=True), num_frames)
        return columns, rows

    def num_tokens(self, conversations: Sequence[Conversation]) -> int:
        """Tokens that the next `advance` reads and writes."""
        unread = sum(len(entry.prompt.tokens) - entry.cache.length for entry in conversations if entry.reading)
        return min(unread, READ_TOKENS) + sum(not entry.reading for entry in conversations)

    def begin(self, request: Reason, media: Mapping[str, Footage], adapter: object = None) -> Conversation:
        """See `Engine.converse`."""
        vocabulary, sampling = self.writer.vocabulary, request.sampling
        prompt = self.writer.write(request, media)
        budget = min(sampling.max_tokens, self.context - len(prompt.tokens))
        if budget < 1:
            raise PromptTooLong(
                f"The conversation has {len(prompt.tokens):,} tokens; the maximum with the answer is {self.context:,}.",
                param="messages",
                hint="Shorten it, or show fewer or smaller frames.",
            )
        constraint = None
        if request.response_schema is not None:
            constraint = Constraint(request.response_schema, vocabulary, budget)
        return Conversation(
            request,
            prompt,
            budget,
            Cache(self.model.config, self.model.device, self.model.dtype),
            Answer(sampling.stop),
            constraint,
            Tally.of(sampling, prompt.tokens, vocabulary.size, self.model.device),
            torch.Generator().manual_seed(sampling.seed),
            adapter,
        )

    def advance(self, conversations: Sequence[Conversation]) -> None:
        """See `Engine.decode`."""
        before = [(entry.cache.length, len(entry.tokens)) for entry in conversations]
        try:
            self._advance(conversations)
        except RuntimeError:
            # Out of memory, most likely: what the caches have of a token that was not picked is forgotten.
            for entry, (length, num_tokens) in zip(conversations, before, strict=True):
                entry.cache.length, entry.failure = length + len(entry.tokens) - num_tokens, None
            raise

    def _advance(self, conversations: Sequence[Conversation]) -> None:
        writing = [entry for entry in conversations if not entry.reading]
        last: list[Tensor] = []
        writing += self._read_some([entry for entry in conversations if entry.reading], last)
        # Those that have just read their prompt come last in both lists.
        continued = writing[: len(writing) - len(last)]
        drafts = self._drafts(continued) + [()] * len(last)
        hidden = [self._write(continued, drafts)] if continued else []
        if writing:
            head, out = self.model.reasoner.head, torch.cat([*hidden, *last])
            logits = (head(out) if self.steps is None else self.steps.logits(head, out)).float()
            self._say_drafted(writing, drafts, logits)

    def _drafts(self, conversations: Sequence[Conversation]) -> list[tuple[int, ...]]:
        """Tokens that each answer is likely to go on with: what its schema forces, as the tokenizer would spell it.

        They are read with the last token in one pass, and stay where the pick comes to them: nothing else changes.
        """
        left, drafts = SIZES[-1] - len(conversations), list[tuple[int, ...]]()
        for entry in conversations:
            most = min(MAX_DRAFT, left, entry.budget - len(entry.tokens) - 1)
            drafts.append(entry.constraint.forced(most) if entry.constraint is not None and most > 0 else ())
            left -= len(drafts[-1])
        return drafts

    def _say_drafted(
        self, conversations: Sequence[Conversation], drafts: Sequence[tuple[int, ...]], logits: Tensor
    ) -> None:
        """Pick the next tokens of each from logits [B, V], a row for its last token and one for each of its draft.

        A row counts while every token before it was picked as it was drafted; what was read of others is forgotten.
        """
        firsts = list(accumulate((1 + len(draft) for draft in drafts), initial=0))
        ends = [entry.cache.length - len(draft) for entry, draft in zip(conversations, drafts, strict=True)]
        going, taken = list(range(len(conversations))), 0
        while going:
            rows = [firsts[index] + taken for index in going]
            own = logits if len(rows) == len(logits) else logits[upload(torch.tensor(rows), logits.device)]
            self._say([conversations[index] for index in going], own)
            going = [index for index in going if _came(conversations[index], drafts[index], taken)]
            taken += 1
            for index in going:
                ends[index] += 1
        for entry, end in zip(conversations, ends, strict=True):
            entry.cache.length = end

    def _read_some(self, reading: list[Conversation], last: list[Tensor]) -> list[Conversation]:
        """Read `READ_TOKENS` of prompts; behind the end of one, add its last hidden state [1, H] to `last`.

        Returns:
            Those whose prompts end here, in the order of `last`.
        """
        left, have_read = READ_TOKENS, list[Conversation]()
        waiting = list(range(len(reading)))
        while left > 0:
            # One that shares its beginning with another begins behind that one's end, in this very call if there is
            # anything left of it.
            group = [
                index
                for index in waiting
                if not waits(reading[index], [other for other in reading[:index] if other.reading])
            ]
            if not group:
                break
            waiting = [index for index in waiting if index not in group]
            entries = [reading[index] for index in group]
            for entry in entries:
                self._share(entry)
            unread = [len(entry.prompt.tokens) - entry.cache.length for entry in entries]
            for entry, size in zip(entries, shares(unread, left), strict=True):
                if size:
                    self._read(entry, size, last)
                    left -= size
            have_read += entries
        return [entry for entry in have_read if not entry.reading]

    def _share(self, conversation: Conversation) -> None:
        """Begin where a conversation that was read before ceases to be the same."""
        prompt, cache = conversation.prompt, conversation.cache
        if cache.length == 0 and (shared := self.prefixes.longest(prompt.keys, conversation.adapter)):
            # The last token is read again: what follows hangs on its output, which is not kept.
            conversation.num_shared = min(shared[1], len(prompt.tokens) - 1)
            cache.reserve(len(prompt.tokens) + 1)
            cache.take(shared[0], conversation.num_shared)

    def _read(self, conversation: Conversation, size: int, last: list[Tensor]) -> None:
        """Read so many tokens of a prompt; behind its end, add its last hidden state [1, H] to `last`."""
        prompt, cache, reasoner = conversation.prompt, conversation.cache, self.model.reasoner
        start, total = cache.length, len(prompt.tokens)
        end = start + size
        cache.reserve(end)
        x = reasoner.embed_tokens(upload(torch.tensor(prompt.tokens[start:end]), self.model.device))
        x, deep = self._look(conversation, start, x)
        rope = rope_tables(self.model.config, upload(prompt.positions[:, start:end], x.device), x.dtype)
        out = reasoner.read(x, rope, [cache], [end - start], deep)
        if end == total:
            conversation.seen.clear()
            self.prefixes.keep(prompt.keys, cache, conversation.adapter)
            last.append(out[-1:])

    def _look(self, conversation: Conversation, start: int, x: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Put what is shown among the tokens from `start` on in its places of x [n, H]; DeepStack's parts beside it."""
        end, deep = start + len(x), list[Tensor]()
        for index, shown in enumerate(conversation.prompt.shown):
            first, past = np.searchsorted(shown.places, (start, end))
            if first == past:
                continue
            assert self.vision is not None
            seen = conversation.seen.get(index)
            if seen is None:
                seen = conversation.seen[index] = self.vision(shown.patches)
            places = upload(torch.from_numpy(shown.places[first:past] - start), x.device)
            x = x.index_copy(0, places, seen.features[first:past])
            deep = deep or [torch.zeros_like(x) for _ in seen.deep]
            for layer, part in zip(deep, seen.deep, strict=True):
                layer.index_copy_(0, places, part[first:past])
        return x, deep

    def _write(self, conversations: Sequence[Conversation], drafts: Sequence[tuple[int, ...]]) -> Tensor:
        """Read the last token of each answer and its draft, packed → [B, H]."""
        rows: list[LastToken] = []
        lengths: list[int] = []
        for entry, draft in zip(conversations, drafts, strict=False):
            position = entry.prompt.next_position + len(entry.tokens) - 1
            tokens = (entry.tokens[-1], *draft)
            rows += [LastToken(token, position + place, entry.cache, place) for place, token in enumerate(tokens)]
            entry.cache.reserve(entry.cache.length + len(tokens))
            lengths.append(len(tokens))
        if self.steps is not None:
            return self.steps.read(rows, conversations[0].adapter)
        device, reasoner = self.model.device, self.model.reasoner
        positions = upload(torch.tensor([float(row.position) for row in rows]), device)
        x = reasoner.embed_tokens(upload(torch.tensor([row.token for row in rows]), device))
        rope = rope_tables(self.model.config, positions.expand(3, -1), x.dtype)
        return reasoner.read(x, rope, [entry.cache for entry in conversations], lengths)

    def _say(self, conversations: Sequence[Conversation], logits: Tensor) -> None:
        """Pick the next token of each from logits [B, V] and go on with it. One that cannot go on fails alone."""
        allowed = [self._allowed(entry) for entry in conversations]
        if kept := [index for index, entry in enumerate(conversations) if not entry.done]:
            if len(kept) < len(conversations):
                logits = logits[upload(torch.tensor(kept), logits.device)]
            self._pick([conversations[index] for index in kept], [allowed[index] for index in kept], logits)

    def _allowed(self, conversation: Conversation) -> Tensor | None:
        """Tokens that its schema allows, bool [V]; none where it has none, or has failed."""
        if conversation.constraint is None:
            return None
        try:
            return conversation.constraint.allowed()
        except BadInput as error:
            conversation.failure = error
            return None

    def _pick(self, conversations: Sequence[Conversation], allowed: Sequence[Tensor | None], logits: Tensor) -> None:
        """Pick the next token of each from logits [B, V] of those allowed, and go on with it."""
        raw = {
            index: logits[index].log_softmax(-1)
            for index, entry in enumerate(conversations)
            if entry.request.sampling.logprobs
        }
        choosers = [
            Chooser(
                entry.request.sampling,
                entry.tally,
                None if mask is None else upload(mask, logits.device),
                entry.chance(),
            )
            for entry, mask in zip(conversations, allowed, strict=True)
        ]
        picked: list[int] = pick(logits, choosers).tolist()
        for index, (entry, token) in enumerate(zip(conversations, picked, strict=True)):
            if entry.constraint is not None:
                left = entry.budget - len(entry.tokens)
                try:
                    token = entry.constraint.admit(token, left)
                except BadInput as error:
                    entry.failure = error
                    continue
            if index in raw:
                entry.logprobs.append(self._logprob(token, raw[index], entry.request.sampling.top_logprobs))
            self._accept(entry, token)

    def _accept(self, conversation: Conversation, token: int) -> None:
        vocabulary, answer, constraint = self.writer.vocabulary, conversation.answer, conversation.constraint
        conversation.tokens.append(token)
        if conversation.tally is not None:
            conversation.tally.count(token)
        if token not in vocabulary.ends:
            answer.write(vocabulary.spelt(token))
        if token in vocabulary.ends or answer.stopped or (constraint is not None and constraint.complete):
            conversation.finish_reason = "stop"
        elif len(conversation.tokens) == conversation.budget:
            conversation.finish_reason = "length" if constraint is None else "stop"
        if conversation.done:
            answer.close()

    def _logprob(self, token: int, logprobs: Tensor, num_top: int) -> TokenLogprob:
        spelt = self.writer.vocabulary.spelt
        best, tokens = logprobs.topk(num_top)
        top = tuple((other, spelt(other), value) for other, value in zip(tokens.tolist(), best.tolist(), strict=True))
        return TokenLogprob(token, spelt(token), float(logprobs[token]), top)


def _came(conversation: Conversation, draft: Sequence[int], place: int) -> bool:
    """Whether the token that was picked last is the one at this place of a draft, and another follows."""
    return not conversation.done and place < len(draft) and conversation.tokens[-1] == draft[place]


def shares(unread: Sequence[int], most: int) -> list[int]:
    """How many tokens each reads, `most` together.

    The first in line always goes on; of the others the shorter ones go first, and what they leave is the others'.

    Args:
        unread: tokens of each, the oldest conversation first.
    """
    waiting = len(unread)
    given = [0] * waiting
    given[0] = min(unread[0], most, max(most // waiting, MIN_SHARE))
    left = most - given[0]
    for index in sorted(range(1, len(unread)), key=unread.__getitem__):
        waiting -= 1
        given[index] = min(unread[index], left, max(left // waiting, MIN_SHARE))
        left -= given[index]
    given[0] += min(left, unread[0] - given[0])
    return given


def waits(conversation: Conversation, earlier: Sequence[Conversation]) -> bool:
    """Whether it shall begin to read behind one of those who read already, with which it will share a beginning."""
    if conversation.cache.length:
        return False
    return any(
        other.adapter == conversation.adapter
        and len(other.prompt.tokens) - other.cache.length
        <= WORTH * num_alike(conversation.prompt.keys, other.prompt.keys)
        for other in earlier
    )
