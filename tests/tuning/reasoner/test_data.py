"""Which conversations are trained on, and how the trainer sees them."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from engine.reasoner.vision_encoder import read_vision_encoder
from engine.weights import open_folder
from reasoner_data import ignore, place_of, recipe_of, rows, write_rows
from studio.errors import BadInput
from studio.tuning import Lora
from tuning.memory import estimate
from tuning.reasoner.conversations import Conversation
from tuning.reasoner.data import ConversationData, read_conversation_data
from tuning.reasoner.drawing import BlendDrawer


@pytest.fixture
def read(speck: Path, clips: Path):
    def read(lines, **changes) -> ConversationData:
        write_rows(clips, lines)
        recipe = recipe_of(**changes)
        return read_conversation_data(place_of(speck, clips, recipe), recipe, ignore)

    return read


def test_messages_are_read_in_the_engines_own_chat_and_the_answer_ends_with_its_token(read, clips):
    data = read(rows(clips))
    (conversations,) = data.sets
    reading = data.reader.read(conversations[1])
    assert "<|im_start|>user" in data.reader.words(reading)
    vocabulary = data.reader._writer.vocabulary
    answer = reading.tokens[reading.answer_at :].tolist()
    assert vocabulary.tokenizer.decode(answer[:-1]) == "A square moves to the right."
    assert answer[-1] in vocabulary.ends
    after = reading.positions[:, reading.answer_at - 1 :].numpy()
    assert (np.diff(after) == 1).all()


def test_three_samples_are_told_with_what_is_learnt(read, clips, tmp_path):
    data = read(rows(clips))
    samples = data.samples(tmp_path)
    assert [sample.answer for sample in samples] == [
        "Four.",
        "A square moves to the right.",
        "A square, and nothing else.",
    ]
    assert samples[0].picture is None
    assert (tmp_path / str(samples[1].picture)).is_file()
    assert ("frames", "4") in samples[1].facts
    assert "Answer briefly." in samples[2].text


def test_the_memory_of_a_step_counts_the_vision_encoder(read, clips, speck):
    data = read(rows(clips))
    shape = data.shape
    vision = read_vision_encoder(speck, data.place.device, data.place.dtype)
    assert vision is not None
    assert shape.frozen_bytes == sum(value.nbytes for value in vision.state_dict().values())
    config, how = open_folder(speck).config, recipe_of().optimisation
    with_it, without = (
        estimate(config, one, how, Lora(), weight_bytes=100, num_trained=0, device=torch.device("cpu"))
        for one in (shape, replace(shape, frozen_bytes=0))
    )
    assert with_it.total - without.total == with_it.weights - 100 == shape.frozen_bytes


def test_what_cannot_be_learnt_is_counted(read, clips):
    (clips / "text.mp4").write_text("no video")
    about = rows(clips)[1]
    broken, gone, long = ({"messages": [dict(turn) for turn in about["messages"]]} for _ in range(3))
    broken["messages"][0]["content"] = [{"type": "video", "video": "text.mp4"}, {"type": "text", "text": "What?"}]
    gone["messages"][0]["content"] = [{"type": "video", "video": "gone.mp4"}, {"type": "text", "text": "What?"}]
    long["messages"][1]["content"] = "word " * 3000
    data = read([*rows(clips), broken, gone, long], max_tokens=1000)
    assert data.num_kept == 3
    assert {left.reason: left.count for left in data.dropped} == {
        "unreadable": 1,
        "file_missing": 1,
        "too_many_tokens": 1,
    }


def test_a_conversation_that_goes_on_is_learnt_answer_by_answer_with_what_was_said_before(read, clips):
    talk = rows(clips)[2]
    more = [
        {"role": "user", "content": [{"type": "video", "video": "0.mp4"}, {"type": "text", "text": "And here?"}]},
        {"role": "assistant", "content": "It moves."},
    ]
    data = read([{"id": "talk", "messages": [*talk["messages"], *more]}])
    first, second = data.sets[0]
    assert (first.name, second.name) == ("talk: talk-1", "talk: talk-2")
    reading = data.reader.read(second)
    words = data.reader.words(reading)
    assert words.index("Answer briefly.") < words.index("A square, and nothing else.") < words.index("And here?")
    assert len(reading.shown) == 2
    ends = data.reader._writer.vocabulary.tokenizer
    assert ends.decode(reading.tokens[reading.answer_at : -1].tolist()) == "It moves."


def test_the_longest_conversation_is_told_in_parts(read, clips):
    data = read(rows(clips), max_tokens=2000)
    budget = data.budget
    assert budget.num_vision > 0
    assert budget.num_vision + budget.num_words + budget.num_answer == max(data.lengths)
    assert budget.max_tokens == 2000


def test_a_conversation_that_no_request_may_be_is_counted(read, clips):
    large = {"messages": [dict(turn) for turn in rows(clips)[0]["messages"]]}
    large["messages"][0]["content"] = "word " * 20_000
    data = read([*rows(clips), large])
    assert (data.num_kept, [(left.reason, left.count) for left in data.dropped]) == (3, [("unreadable", 1)])
    data = read(rows(clips)[:2], max_pixels=2**27)  # of a frame; a request's are of all frames of a video
    assert (data.num_kept, [(left.reason, left.count) for left in data.dropped]) == (1, [("unreadable", 1)])


@pytest.mark.parametrize("changes", [{"fps": 61, "num_frames": None}, {"num_frames": 769}, {"max_pixels": 2**28 + 1}])
def test_a_recipe_has_the_bounds_of_a_request(changes):
    with pytest.raises(ValidationError):
        recipe_of(**changes)


def test_a_recipes_most_pixels_are_not_fewer_than_its_least():
    with pytest.raises(ValidationError, match="min_pixels is 5000, above max_pixels, 4000"):
        recipe_of(min_pixels=5000, max_pixels=4000)


@pytest.mark.parametrize("layout", ["messages", "llava"])
def test_files_outside_the_data_set_are_as_if_they_were_not_there(read, clips, tmp_path, layout):
    shutil.copy(clips / "0.mp4", tmp_path / "private.mp4")

    def row(path: str) -> dict[str, Any]:
        if layout == "llava":
            turns = [{"from": "human", "value": "<video>\nWhat moves?"}, {"from": "gpt", "value": "A square."}]
            return {"video": path, "conversations": turns}
        content = [{"type": "video", "video": path}, {"type": "text", "text": "What moves?"}]
        return {"messages": [{"role": "user", "content": content}, {"role": "assistant", "content": "A square."}]}

    data = read([row("0.mp4"), row(str(tmp_path / "private.mp4")), row("../private.mp4")])
    assert [one.media for one in data.sets[0]] == [(clips / "0.mp4",)]
    assert [(left.reason, left.count) for left in data.dropped] == [("file_missing", 2)]


def test_frames_and_a_rate_are_not_both_given(read, clips):
    with pytest.raises(BadInput, match="num_frames and fps are both given"):
        read(rows(clips), fps=2.0)


def conversation(name: str) -> Conversation:
    return Conversation(name, "", "Which?", (), name)


def test_data_sets_are_drawn_by_weight_and_each_conversation_once_before_any_again():
    sets = [[conversation(f"a{index}") for index in range(4)], [conversation(f"b{index}") for index in range(2)]]
    drawer = BlendDrawer(sets, [3, 1], 8, seed=0)
    drawn = [one.name for step in range(10) for one in drawer.draw(step)]
    counts = Counter(name[0] for name in drawn)
    assert counts == {"a": 60, "b": 20}
    own = [name for name in drawn if name[0] == "a"]
    assert all(len(set(own[start : start + 4])) == 4 for start in range(0, 60, 4))
    assert [one.name for one in BlendDrawer(sets, [3, 1], 8, seed=0).draw(7)] == drawn[56:64]
