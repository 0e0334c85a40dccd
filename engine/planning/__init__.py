"""From a request to a `Plan`: one planner for each kind of request, one sampler for all plans."""

from engine.planning.image import plan_image
from engine.planning.plan import Branch, Plan, VisionSegment
from engine.planning.prompt import PromptEncoder, read_tokenizer
from engine.planning.setting import Setting, read_setting

__all__ = [
    "Branch",
    "Plan",
    "PromptEncoder",
    "Setting",
    "VisionSegment",
    "plan_image",
    "read_setting",
    "read_tokenizer",
]
