"""What the page that asks the reasoner says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.page.keys import Keys
from studio.prompting.tasks import THINK_FIRST

KEYS: Keys = (
    (("/",), "Go to the question"),
    (("↵",), "Ask"),
    (("Shift", "↵"), "New line"),
    (("Esc",), "Leave the field, then stop the answer"),
    (("J", "K", "L"), "Previous frame, play or pause, next frame"),
    (("?",), "Show this list"),
)

WORDS: dict[str, str] = {
    "ask.subject": "Image or video",
    "ask.nothing": "No image or video selected",
    "ask.nothing_hint": "Drop an image or a video here, or select one from the library. Without one, ask a text-only "
    "question.",
    "ask.pick": "From the library",
    "ask.upload": "Upload",
    "ask.none": "Remove",
    "ask.unseen": "The reasoner can only see images and videos.",
    "ask.conversation": "Conversation",
    "ask.user": "You",
    "ask.assistant": "Reasoner",
    "ask.empty": "Ask about what you see",
    "ask.empty_hint": "Click a time in an answer to seek the video; boxes and points are drawn on the frame. The "
    "conversation stays in this browser.",
    "ask.question": "Question",
    "ask.question_hint": "What happens next? What is on the table?",
    "ask.send": "Ask",
    "ask.stop": "Stop",
    "ask.think": "Think first",
    "ask.think_help": "The reasoner writes its reasoning before the answer",
    "ask.think_format": THINK_FIRST,
    "ask.thinking": "Thinking…",
    "ask.thought": "Reasoning",
    "ask.waiting": "Looking…",
    "ask.again": "Ask again",
    "ask.stopped": "Stopped.",
    "ask.advanced": "Advanced",
    "ask.max_tokens": "Answer length",
    "ask.max_tokens_help": "tokens at most",
    "ask.temperature": "Temperature",
    "ask.temperature_help": "0 always takes the likeliest token; tasks set their own",
    "ask.own": "default",
    "ask.seed": "Seed",
    "ask.seed_help": "same seed, same answer",
    "ask.seed_drawn": "random",
    "ask.no_history": "Your earlier questions appear here.",
    "ask.tasks": "Tasks",
    "ask.task_words": "{title}: {words}",
    "ask.show_marks": "Show {count} on the frame",
    "ask.hide_marks": "Hide {count} on the frame",
    "ask.plausible": "Plausible",
    "ask.implausible": "Not plausible",
    "ask.score": "{score} of 5",
    "ask.delete": "Delete conversation",
    "ask.delete_all": "Delete the other {count} too",
    "ask.deleted": "Conversation deleted",
    "ask.random": "{title} has random weights: its answers are noise by design.",
    "ask.not_ready": "{title} is not ready yet; questions are refused until it is.",
    "drop.ask": "Drop to ask about it",
}
