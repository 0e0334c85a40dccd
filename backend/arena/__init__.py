"""The arena: pairs from the library, votes that last, rankings, and reasoners that vote, answer and grade."""

from backend.arena.judge import Judge
from backend.arena.questions import QuestionService
from backend.arena.reasoners import Reasoners
from backend.arena.service import ArenaService

__all__ = ["ArenaService", "Judge", "QuestionService", "Reasoners"]
