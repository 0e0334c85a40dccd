"""Asking a reasoner: upsampling prompts, the tasks it knows, and captioning clips.

Whoever answers is an `Ask`, an async function from a question to text: the resident reasoner or an OpenAI-compatible
`Endpoint`. Answers are read by `studio.captions` and by the parsers here, which say why when they cannot.
"""

from studio.prompting.captioning import Captioner, CaptionOutcome, CaptionRun, read_caption_texts
from studio.prompting.endpoint import Endpoint, request_body
from studio.prompting.question import (
    PLAIN,
    THINKING,
    UPSAMPLING,
    Ask,
    ImageUrl,
    PlainText,
    Question,
    ReasonerSampling,
    Turn,
    VideoUrl,
    attach_image,
    attach_video,
)
from studio.prompting.results import Frame, Result
from studio.prompting.tasks import ReasonerTask, TaskAnswer, load_tasks, read_task, task_question
from studio.prompting.upsampling import Upsampled, UpsampleMode, Upsampling, upsample, upsample_question
from studio.prompting.wishes import Captioned, Shown, is_captioned, is_upsampled, shown_media, uncaptioned, wish_of
from studio.prompting.word_diff import WordDiff, compare_words

__all__ = [
    "PLAIN",
    "THINKING",
    "UPSAMPLING",
    "Ask",
    "CaptionOutcome",
    "CaptionRun",
    "Captioned",
    "Captioner",
    "Endpoint",
    "Frame",
    "ImageUrl",
    "PlainText",
    "Question",
    "ReasonerSampling",
    "ReasonerTask",
    "Result",
    "Shown",
    "TaskAnswer",
    "Turn",
    "UpsampleMode",
    "Upsampled",
    "Upsampling",
    "VideoUrl",
    "WordDiff",
    "attach_image",
    "attach_video",
    "compare_words",
    "is_captioned",
    "is_upsampled",
    "load_tasks",
    "read_caption_texts",
    "read_task",
    "request_body",
    "shown_media",
    "task_question",
    "uncaptioned",
    "upsample",
    "upsample_question",
    "wish_of",
]
