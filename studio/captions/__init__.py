"""Structured captions: their schemas, reading them out of answers, and the files that hold them.

The schemas are those of the technical report, appendix A.2 and A.3. Nothing here talks to a model; `studio.prompting`
does.
"""

from studio.captions.answer import Repair, RepairKind, SplitAnswer, UnusableAnswer, sendable, split_thought
from studio.captions.answer_schema import analysis_schema, answer_schema, bounded_schema, sparing
from studio.captions.caption import Caption, ImageCaption, Paragraph, VideoCaption, serialise
from studio.captions.checking import CaptionKind, CheckedCaption, check_answer, check_object
from studio.captions.controls import Controls, VideoFacts
from studio.captions.json_text import object_in, values_in

__all__ = [
    "Caption",
    "CaptionKind",
    "CheckedCaption",
    "Controls",
    "ImageCaption",
    "Paragraph",
    "Repair",
    "RepairKind",
    "SplitAnswer",
    "UnusableAnswer",
    "VideoCaption",
    "VideoFacts",
    "analysis_schema",
    "answer_schema",
    "bounded_schema",
    "check_answer",
    "check_object",
    "object_in",
    "sendable",
    "serialise",
    "sparing",
    "split_thought",
    "values_in",
]
