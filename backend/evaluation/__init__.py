"""Evaluate: benchmarks, the runs that answer them, and the judges that read the answers.

Answers and verdicts are rows, each written down before the next is asked for; scores are drawn from them when they are
asked for, and stored nowhere.
"""

from backend.evaluation.benchmarks import BenchmarkService
from backend.evaluation.corrections import CorrectionService
from backend.evaluation.generating import Generators
from backend.evaluation.judging import JudgingService
from backend.evaluation.measuring import ResultMeasuring
from backend.evaluation.news import EvaluationNews
from backend.evaluation.questions import QuestionDraftService
from backend.evaluation.service import RunService
from backend.evaluation.store import RunStore

__all__ = [
    "BenchmarkService",
    "CorrectionService",
    "EvaluationNews",
    "Generators",
    "JudgingService",
    "QuestionDraftService",
    "ResultMeasuring",
    "RunService",
    "RunStore",
]
