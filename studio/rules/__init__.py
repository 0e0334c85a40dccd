"""What may be combined with what: one table for form, API, command line and docs."""

from studio.rules.canvas import CANVASES, canvas, canvas_of, nearest_canvas, parse_size, tier_of
from studio.rules.capabilities import Capabilities
from studio.rules.table import (
    LIMITS,
    RULES,
    Choice,
    Refusal,
    Rule,
    Span,
    choices,
    legal_sizes,
    nearest_value,
    refusals,
    spans,
)

__all__ = [
    "CANVASES",
    "LIMITS",
    "RULES",
    "Capabilities",
    "Choice",
    "Refusal",
    "Rule",
    "Span",
    "canvas",
    "canvas_of",
    "choices",
    "legal_sizes",
    "nearest_canvas",
    "nearest_value",
    "parse_size",
    "refusals",
    "spans",
    "tier_of",
]
