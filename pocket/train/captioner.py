"""How a clip is captioned in two turns: the studio's own questions, and what answers them rightly."""

from __future__ import annotations

import json
from functools import cache

from pocket.world.captioning import clip_facts
from pocket.world.episode import Episode, Wording
from studio.captions import Controls, analysis_schema
from studio.prompting.captioning import analysis_question
from studio.prompting.question import PlainText, VideoUrl
from studio.prompting.templates import CaptionTexts, caption_texts, fill


def captioning(episode: Episode, full: Wording) -> tuple[tuple[str, str], tuple[str, str]]:
    """The analysis of a clip and the narrative that follows it, each as (question, answer).

    Args:
        full: its caption with every field.
    """
    controls = Controls.of_clip(clip_facts(episode))
    asked = analysis_question(VideoUrl(url=""), controls, texts())
    question = "".join(part.text for part in asked.messages[-1].parts if isinstance(part, PlainText))
    caption = json.loads(full.caption)
    analysis = {name: caption[name] for name in analysis_schema(controls)["properties"] if name in caption}
    return (question, json.dumps(analysis)), (fill(texts().narrative), caption["temporal_caption"])


@cache
def texts() -> CaptionTexts:
    """What is asked with, as shipped."""
    return caption_texts()
