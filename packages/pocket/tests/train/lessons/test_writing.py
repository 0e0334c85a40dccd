from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer

from engine import Engine
from engine.reasoner import Footage
from pocket.train.codecs import fresh_sight
from pocket.train.lessons.batch import PictureTensors, batched
from pocket.train.lessons.error import LessonSteps, Student
from pocket.train.lessons.writing import LessonWriter, exchanges
from pocket.train.shape import TOY
from pocket.world.episode import Wording
from pocket_flat_world import flat_episode
from studio.captions import Controls, VideoFacts
from studio.prompting.captioning import Captioner
from studio.prompting.critique import read_critique
from studio.prompting.question import SYSTEM, PlainText, Question, VideoUrl
from studio.requests.reason import Reason
from tuning.weights import read_model

FULL_CAPTION = {
    "subjects": [{"description": "a blue ball", "location": "on the right", "number_of_subjects": 1}],
    "background_setting": "a grey table",
    "lighting": {"conditions": "soft light"},
    "aesthetics": {"color_scheme": "blue"},
    "cinematography": {"framing": "medium shot"},
    "style_medium": "computer rendering",
    "artistic_style": "clean simulation",
    "context": "a tabletop",
    "actions": [{"time": "0:00-0:01", "description": "the ball is lifted"}],
    "segments": [{"segment_index": 0, "time_range": "0:00-0:01", "description": "an arm lifts the ball"}],
    "audio_description": "motors hum",
    "temporal_caption": "A blue ball lies on the right. An arm lifts it.",
}


@pytest.fixture(scope="module")
def writer(untrained: Path) -> LessonWriter:
    tokenizer = AutoTokenizer.from_pretrained(untrained, local_files_only=True)
    return LessonWriter(untrained, tokenizer, TOY.vocabulary)


def test_a_lesson_is_the_conversation_that_the_engine_begins_and_its_answer(untrained, writer):
    episode = flat_episode("still", 3)
    exchange = next(exchange for exchange in exchanges(episode) if exchange.shows == "image")
    lesson = writer.write(episode, exchange)
    parts = [{"type": "image", "image": "u" + "0" * 16}, {"type": "text", "text": exchange.question}]
    turns = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": parts}]
    request = Reason.model_validate({"messages": turns, "sampling": {"max_tokens": 1}})
    engine = Engine.load(untrained, device="cpu")
    prompt = engine.converse(request, {"u" + "0" * 16: Footage(episode.frames)}).prompt
    assert tuple(lesson.tokens[: lesson.answer_at]) == prompt.tokens
    assert torch.equal(torch.from_numpy(lesson.positions[:, : lesson.answer_at]), prompt.positions)
    assert lesson.positions[0, lesson.answer_at] == prompt.next_position
    answer = "".join(writer.vocabulary.spelt(int(token)).decode() for token in lesson.tokens[lesson.answer_at :])
    assert answer == exchange.answer


def test_an_episode_of_a_canvas_teaches_to_write_captions_with_their_controls_last():
    answers = [exchange.answer for exchange in exchanges(flat_episode("still", 1, 256)) if exchange.shows == "nothing"]
    controls = Controls.of_image("256", "1:1").media
    assert answers
    for answer in answers:
        caption = json.loads(answer)
        assert list(caption)[:2] == ["scene_imagination", "comprehensive_t2i_caption"]
        assert {name: caption[name] for name in list(caption)[-len(controls) :]} == controls


def test_a_clip_teaches_to_caption_in_the_two_turns_that_the_captioner_asks(writer):
    flat = flat_episode("clip", 0)
    episode = replace(flat, wordings=(Wording("rich", "", json.dumps(FULL_CAPTION)),))
    *_, analysis, narrative = exchanges(episode)
    controls = Controls.of_clip(
        VideoFacts(width=64, height=64, duration_s=episode.duration_s, fps=episode.fps, num_frames=len(episode.frames))
    )
    asked: list[Question] = []

    async def answer(question: Question) -> str:
        asked.append(question)
        return analysis.answer if len(asked) == 1 else narrative.answer

    captioner = Captioner(answer, probe=None, attach=None)
    clip = asyncio.run(captioner.caption(VideoUrl(url="clip"), controls))
    assert clip.caption.temporal_caption == narrative.answer
    assert not clip.repairs
    turns = [part.text for message in asked[1].messages for part in message.parts if isinstance(part, PlainText)]
    assert turns == [SYSTEM, analysis.question, analysis.answer, narrative.question]
    lesson = writer.write(episode, narrative)
    told = "".join(writer.vocabulary.spelt(int(token)).decode() for token in lesson.tokens)
    assert analysis.answer in told
    assert told.endswith(narrative.answer)


def test_a_critics_answer_reads_as_one():
    episode = flat_episode("still", 0)
    answer = next(exchange.answer for exchange in exchanges(episode) if "prompt_elements" in exchange.answer)
    critique = read_critique(answer)
    assert critique.prompt_adherence_score == 10
    assert critique.prompt_elements == {episode.things[0].name: "present"}


def test_the_loss_of_a_lesson_hangs_on_what_is_shown_and_only_on_its_own_words(untrained, writer):
    torch.manual_seed(0)
    model = read_model(untrained)
    student = Student(model, fresh_sight(TOY))
    episodes = [flat_episode("clip", seed) for seed in (0, 1)]
    lessons = [writer.write(episode, next(iter(exchanges(episode)))) for episode in episodes]
    steps = LessonSteps(model, student, settle=lambda: None)
    loss, shown = steps.loss(batched(lessons, model.device, PictureTensors(model.device)))
    loss.backward()
    assert student.sight.patch_embed.proj.weight.grad.abs().sum() > 0
    assert student.naming.names.weight.grad.abs().sum() > 0
    assert set(shown) == {"answers", "right", "seeing"}
    assert all(parameter.grad is None for parameter in model.generator.parameters())
    alone = [
        steps.loss(batched([lesson], model.device, PictureTensors(model.device)))[1]["answers"] for lesson in lessons
    ]
    weights = [len(lesson.tokens) - lesson.answer_at for lesson in lessons]
    mean = sum(float(value) * weight for value, weight in zip(alone, weights, strict=True)) / sum(weights)
    assert float(shown["answers"]) == pytest.approx(mean, rel=1e-3)
