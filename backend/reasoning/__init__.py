"""The reasoner at the server's side: open conversations, what they show, upsampling and tasks.

The worker decodes; here is who waits for the words.
"""

from backend.reasoning.answers import AnswerStream, AnswerStreams
from backend.reasoning.service import OpenConversation, ReasoningService

__all__ = ["AnswerStream", "AnswerStreams", "OpenConversation", "ReasoningService"]
