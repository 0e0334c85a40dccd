"""Conversations about the small data set's files, and recipes for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from studio.tuning import Lora, Optimisation, ReasonerRecipe, TuningWork
from tuning.reasoner.conversations import Conversation, ConversationReader
from tuning.reasoner.data import read_conversation_data
from tuning.task import Place

WITH_VIDEO = 1


def recipe_of(**changes: Any) -> ReasonerRecipe:
    """A short training of an adapter; keywords of the recipe or of its optimisation change it."""
    how = {"steps": 4, "batch_size": 3, "learning_rate": 0.01, "warmup_steps": 2, "save_every": 2}
    how |= {name: changes.pop(name) for name in list(changes) if name in Optimisation.model_fields}
    fields: dict[str, Any] = {
        "name": "words",
        "checkpoint": "speck",
        "data": [{"data": "talk"}],
        "lora": Lora(rank=4),
        "num_frames": 4,
        "optimisation": how,
    }
    return ReasonerRecipe.model_validate(fields | changes)


def rows(clips: Path) -> list[dict[str, Any]]:
    """Messages: words alone, about a video, about an image under a system prompt."""
    del clips
    asked = [
        ([], "What is two and two?", "Four."),
        ([{"type": "video", "video": "0.mp4"}], "What moves?", "A square moves to the right."),
        ([{"type": "image", "image": "still.png"}], "What is shown?", "A square, and nothing else."),
    ]
    found: list[dict[str, Any]] = []
    for media, question, answer in asked:
        content = [*media, {"type": "text", "text": question}]
        turns = [{"role": "user", "content": content}, {"role": "assistant", "content": answer}]
        found.append({"messages": turns})
    found[2]["messages"].insert(0, {"role": "system", "content": "Answer briefly."})
    return found


def write_rows(folder: Path, lines: list[dict[str, Any]]) -> None:
    (folder / "video_dataset_file.jsonl").unlink(missing_ok=True)
    (folder / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def place_of(checkpoint: Path, data: Path, recipe: ReasonerRecipe) -> Place:
    folders = {blend.data: data for blend in recipe.data}
    return Place.of(TuningWork(recipe=recipe, checkpoint=checkpoint, data=folders, out=data, cache=data))


def ignore(doing: str, done: int, total: int) -> None:
    del doing, done, total


def conversations_of(clips: Path) -> list[Conversation]:
    return [
        Conversation("0", "", "What is two and two?", (), "Four."),
        Conversation("1", "", "What moves?", (clips / "0.mp4",), "A square moves to the right."),
        Conversation("2", "Answer briefly.", "What is shown?", (clips / "still.png",), "A square, and nothing else."),
    ]


def reader_of(speck: Path, recipe: ReasonerRecipe) -> ConversationReader:
    """As a training has it."""
    folder = speck.parent / "words"
    folder.mkdir(exist_ok=True)
    (folder / "train.jsonl").write_text(json.dumps(rows(folder)[0]) + "\n")
    return read_conversation_data(place_of(speck, folder, recipe), recipe, ignore).reader
