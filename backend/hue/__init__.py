"""HUE: studies of videos that people and reasoners rate by questions with one fact each.

Questions and ratings are rows, each written down before the next is asked for; scores are drawn from them when they are
asked for.
"""

from backend.hue.service import HueService
from backend.hue.tasks import HueTaskService

__all__ = ["HueService", "HueTaskService"]
