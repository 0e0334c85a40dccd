"""The arena: pairs from the library, votes that last, rankings, and reasoners that vote, answer and grade."""

from backend.arena.answer_desk import AnswerDesk
from backend.arena.judge import Judge
from backend.arena.reasoners import Reasoners
from backend.arena.service import ArenaService

__all__ = ["AnswerDesk", "ArenaService", "Judge", "Reasoners"]
