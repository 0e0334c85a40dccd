"""What the page that asks the reasoner says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.page.keys import Keys
from studio.prompting.tasks import THINK_FIRST

KEYS: Keys = (
    (("/",), "Go to the question"),
    (("↵",), "Ask"),
    (("Shift", "↵"), "A new line"),
    (("Esc",), "Leave the field, then stop the answer"),
    (("J", "K", "L"), "A frame back, play or pause, a frame on"),
    (("?",), "This list"),
)

WORDS: dict[str, str] = {
    "ask.subject": "What is asked about",
    "ask.nothing": "Nothing is shown to the reasoner",
    "ask.nothing_hint": "Drop a picture or a clip here, or take one from the library. Without one, ask in words alone.",
    "ask.pick": "From the library",
    "ask.upload": "Upload",
    "ask.none": "Without it",
    "ask.unseen": "The reasoner looks at pictures and clips only.",
    "ask.conversation": "Conversation",
    "ask.user": "You",
    "ask.assistant": "Reasoner",
    "ask.empty": "Ask about what you see",
    "ask.empty_hint": "Times in an answer seek the clip; boxes and points are drawn on the frame. It all stays in "
    "this browser.",
    "ask.question": "Question",
    "ask.question_hint": "What happens next? What is on the table?",
    "ask.send": "Ask",
    "ask.stop": "Stop",
    "ask.think": "Think first",
    "ask.think_help": "The reasoner writes its reasoning before the answer",
    "ask.think_format": THINK_FIRST,
    "ask.thinking": "Thinking…",
    "ask.thought": "What it thought",
    "ask.waiting": "Looking…",
    "ask.stopped": "Stopped.",
    "ask.advanced": "Advanced",
    "ask.max_tokens": "Answer length",
    "ask.max_tokens_help": "tokens at most",
    "ask.temperature": "Temperature",
    "ask.temperature_help": "0 takes the likeliest token; tasks have their own",
    "ask.own": "its own",
    "ask.seed": "Seed",
    "ask.seed_help": "one seed is one answer",
    "ask.seed_drawn": "random",
    "ask.no_history": "What you asked before collects here.",
    "ask.tasks": "Tasks",
    "ask.task_words": "{title}: {words}",
    "ask.show_marks": "Show {count} on the frame",
    "ask.hide_marks": "Hide {count} on the frame",
    "ask.plausible": "Plausible",
    "ask.implausible": "Not plausible",
    "ask.score": "{score} of 5",
    "ask.delete": "Delete the conversation",
    "ask.delete_all": "Delete the other {count} too",
    "ask.deleted": "The conversation is deleted",
    "ask.random": "{title} has random weights: its answers are noise, by design.",
    "ask.not_ready": "{title} is not ready yet; questions are refused until it is.",
    "drop.ask": "Drop to ask about it",
}
