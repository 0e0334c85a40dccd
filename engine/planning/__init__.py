"""From a request to a `Plan`: one planner for each kind of request, one sampler for all plans."""

from engine.planning.plan import Branch, Continuation, Plan
from engine.planning.planners import Plannable, plan
from engine.planning.prompt import PromptEncoder, read_tokenizer
from engine.planning.segments import ActionSegment, Given, Segment, SoundSegment, VisionSegment, is_denoised
from engine.planning.setting import Media, Setting, read_setting

__all__ = [
    "ActionSegment",
    "Branch",
    "Continuation",
    "Given",
    "Media",
    "Plan",
    "Plannable",
    "PromptEncoder",
    "Segment",
    "Setting",
    "SoundSegment",
    "VisionSegment",
    "is_denoised",
    "plan",
    "read_setting",
    "read_tokenizer",
]
