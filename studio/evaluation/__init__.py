"""What a checkpoint can do, measured: benchmarks, the forms of their questions, answers, and the scores of these.

Pure data and arithmetic. Answers are stored first and scores are computed from them, so a new metric, another judge or
another bar needs no new answers.
"""

from studio.evaluation.answers import Answer, FieldVerdict
from studio.evaluation.benchmark import Benchmark, EventRules, Form, Item, Settings, content_hash
from studio.evaluation.comparing import compare, table
from studio.evaluation.drawing_up import draw_up
from studio.evaluation.metrics import METRICS, MetricFacts
from studio.evaluation.schema import AnnotationSchema, SchemaField, load_schema
from studio.evaluation.scores import (
    Counts,
    Group,
    Mark,
    MarkChange,
    Measurement,
    Scores,
    ScoreTable,
    TableCell,
    TableRow,
)

__all__ = [
    "METRICS",
    "AnnotationSchema",
    "Answer",
    "Benchmark",
    "Counts",
    "EventRules",
    "FieldVerdict",
    "Form",
    "Group",
    "Item",
    "Mark",
    "MarkChange",
    "Measurement",
    "MetricFacts",
    "SchemaField",
    "ScoreTable",
    "Scores",
    "Settings",
    "TableCell",
    "TableRow",
    "compare",
    "content_hash",
    "draw_up",
    "load_schema",
    "table",
]
