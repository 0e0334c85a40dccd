"""Data sets of conversations: which are learnt, and how they look to the trainer."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from pathlib import Path

from engine.reasoner.prompt import PromptWriter
from engine.reasoner.sight import read_placeholders
from engine.reasoner.vision_encoder import read_vision_encoder
from engine.reasoner.vocabulary import read_vocabulary
from engine.towers import OmniModel
from studio.captions.training_data import file_inside
from studio.checkpoints import read_json, shard_header
from studio.errors import BadInput
from studio.evaluation.layouts.exchanges import read_exchanges
from studio.sight import EDGE, read_sight
from studio.tuning import ReasonerRecipe
from studio.tuning.events import Bin, ConversationBudget, LeftOut, TrainingSample
from tuning.histogram import histogram_of
from tuning.left_out import Drops
from tuning.lora import LearningLora
from tuning.memory import StepShape
from tuning.orders import sampled
from tuning.reasoner.conversations import Conversation, ConversationReader, Reading, Said
from tuning.reasoner.task import ReasonerTask, let_learn
from tuning.sheets import write_sheet
from tuning.sources import Sources
from tuning.tally import Tally
from tuning.task import About, Place


@dataclass(frozen=True)
class ConversationData:
    """What is trained on.

    Attributes:
        sets: conversations of each data set of the recipe; at least one in all.
        lengths: tokens of each, set after set.
        longest_answer: in tokens.
        budget: of the longest conversation.
    """

    place: Place
    recipe: ReasonerRecipe
    sets: tuple[tuple[Conversation, ...], ...]
    lengths: tuple[int, ...]
    longest_answer: int
    budget: ConversationBudget
    dropped: tuple[LeftOut, ...]
    reader: ConversationReader
    sources: Sources = field(default_factory=Sources)

    @property
    def num_kept(self) -> int:
        """Conversations."""
        return len(self.lengths)

    @property
    def faster(self) -> tuple[tuple[str, float], ...]:
        """All learn at one rate."""
        return ()

    @property
    def files(self) -> dict[str, str]:
        """None."""
        return {}

    @property
    def shape(self) -> StepShape:
        """The longest conversation: a step computes one after another."""
        return StepShape(1, max(self.lengths), 0, self.longest_answer, frozen_bytes=self._encoder_bytes())

    def histogram(self) -> tuple[Bin, ...]:
        """Of the conversations' tokens."""
        return histogram_of(self.lengths)

    def samples(self, out: Path) -> tuple[TrainingSample, ...]:
        """Three of them, from the beginning to the end of the data; their pictures are written below `out`."""
        every = [conversation for conversations in self.sets for conversation in conversations]
        return tuple(self._sample(every[place], number, out) for number, place in enumerate(sampled(len(every)), 1))

    def let_learn(self, model: OmniModel) -> list[LearningLora]:
        """Let the parameters learn that the recipe trains."""
        return let_learn(model, self.recipe)

    def prepare(self, about: About) -> str:
        """Returns the SHA-256 of every conversation and its files, in their order; nothing else is done once."""
        every = [conversation for conversations in self.sets for conversation in conversations]
        said: list[object] = []
        for done, one in enumerate(every):
            about("Reading the files", done, len(every))
            before = [(turn.question, turn.answer) for turn in one.earlier]
            said.append((one.system, one.question, one.answer, self._hashes(one), *before))
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def task(self, model: OmniModel, tally: Tally) -> ReasonerTask:
        """The losses of a model."""
        vision = read_vision_encoder(self.place.work.checkpoint, model.device, model.dtype)
        return ReasonerTask(model, self.recipe, self.sets, self.reader, vision, tally)

    def check(self) -> None:
        """Raises BadInput where a file has changed."""
        self.sources.check()

    def _hashes(self, conversation: Conversation) -> list[str]:
        return [self.sources.hash(path) for path in conversation.all_media]

    def _encoder_bytes(self) -> int:
        """Of the vision encoder's weights, in the dtype that they are loaded in."""
        shards = (self.place.work.checkpoint / "vision_encoder").glob("*.safetensors")
        headers = [shard_header(shard) for shard in shards]
        shapes = [said["shape"] for header in headers for name, said in header.items() if name != "__metadata__"]
        return sum(map(math.prod, shapes)) * self.place.dtype.itemsize

    def _sample(self, conversation: Conversation, number: int, out: Path) -> TrainingSample:
        reading, frames = self.reader.read(conversation), self.reader.frames(conversation)
        picture = None
        facts: list[tuple[str, str]] = []
        if frames is not None:
            picture = f"samples/data-{number}.webp"
            write_sheet(frames, out / picture)
            _, rows, columns = reading.shown[0].patches.grid
            facts = [("frames", str(len(frames))), ("patches of a frame", f"{columns}x{rows}")]
        return TrainingSample(
            name=conversation.name,
            mode="answer",
            text=self.reader.words(reading),
            answer=conversation.answer,
            picture=picture,
            num_tokens=len(reading.tokens),
            facts=tuple(facts),
        )


def read_conversation_data(place: Place, recipe: ReasonerRecipe, about: About) -> ConversationData:
    """Read every conversation of the recipe's data sets, and look at its media.

    Raises:
        BadInput: a data set has no known layout, a row does not fit, or nothing of it can be trained on.
    """
    if recipe.num_frames is not None and recipe.fps is not None:
        raise BadInput("num_frames and fps are both given; use one of them.", param="fps")
    reader, drops = ConversationReader(_writer(place), recipe), Drops()
    sets: list[tuple[Conversation, ...]] = []
    lengths: list[int] = []
    longest: Reading | None = None
    longest_answer = 0
    for blend in recipe.data:
        every = _conversations(place.work.data[blend.data], blend.data, drops)
        kept: list[Conversation] = []
        for done, conversation in enumerate(every):
            about(f"Reading {blend.data}", done, len(every))
            try:
                reading = reader.read(conversation)
            except BadInput as error:
                drops.add("unreadable", f"It cannot be read: {error.message}", conversation.name)
                continue
            if len(reading.tokens) > recipe.max_tokens:
                drops.add("too_many_tokens", f"It has more than {recipe.max_tokens:,} tokens.", conversation.name)
                continue
            kept.append(conversation)
            lengths.append(len(reading.tokens))
            if longest is None or len(reading.tokens) > len(longest.tokens):
                longest = reading
            longest_answer = max(longest_answer, len(reading.tokens) - reading.answer_at)
        sets.append(tuple(kept))
    if longest is None:
        raise BadInput(
            f"Nothing of the data can be trained on. {drops.summary()}".strip(),
            param="data",
            hint="Raise max_tokens, or show fewer or smaller frames.",
        )
    budget = _budget_of(longest, recipe.max_tokens)
    return ConversationData(place, recipe, tuple(sets), tuple(lengths), longest_answer, budget, drops.told(), reader)


def _conversations(folder: Path, name: str, drops: Drops) -> list[Conversation]:
    found: list[Conversation] = []
    for number, exchange in enumerate(read_exchanges(folder), 1):
        own = f"{name}: {exchange.id or exchange.origin.row or number}"
        every = [exchange.media, *(said.media for said in exchange.earlier)]
        found_files = [[file_inside(folder, folder, name) for name in names] for names in every]
        if not all(path is not None for paths in found_files for path in paths):
            drops.add("file_missing", "The data set has no file of a name in the row.", own)
            continue
        media, *of_earlier = (tuple(path for path in paths if path is not None) for paths in found_files)
        earlier = tuple(
            Said(said.question, paths, said.answer) for said, paths in zip(exchange.earlier, of_earlier, strict=True)
        )
        found.append(Conversation(own, exchange.system, exchange.question, media, exchange.answer, earlier))
    return found


def _budget_of(reading: Reading, max_tokens: int) -> ConversationBudget:
    num_vision = sum(len(shown.places) for shown in reading.shown)
    return ConversationBudget(
        num_vision=num_vision,
        num_words=reading.answer_at - num_vision,
        num_answer=len(reading.tokens) - reading.answer_at,
        max_tokens=max_tokens,
    )


def _writer(place: Place) -> PromptWriter:
    """What writes a checkpoint's chats, without the vision encoder's weights."""
    folder = place.work.checkpoint
    root = read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
    vocabulary = read_vocabulary(folder, place.setting.prompts.tokenizer, place.opened.config.vocab_size)
    if not (root and any((folder / "vision_encoder").glob("*.safetensors"))):
        return PromptWriter(vocabulary, None, None)
    sight = read_sight(folder, root.get("model_type") == EDGE)
    return PromptWriter(vocabulary, sight, read_placeholders(vocabulary))
