"""What the queue says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.page.keys import Keys

KEYS: Keys = (
    (("Tab",), "From row to row"),
    (("↑", "↓"), "On a grip: a place earlier or later"),
    (("Alt", "↑"), "Anywhere in a row: a place earlier"),
    (("Home", "End"), "On a grip: first or last"),
    (("?",), "This list"),
)

WORDS: dict[str, str] = {
    "queue.running": "Running",
    "queue.waiting": "Waiting",
    "queue.ended": "Ended",
    "queue.pause": "Pause the queue",
    "queue.resume": "Resume",
    "queue.clear": "Cancel all that wait",
    "queue.sure": "Cancel all {count} jobs that wait? They are those of every page and every device.",
    "queue.sure_one": "Cancel the 1 job that waits? It may be another device's.",
    "queue.sure_yes": "Yes, cancel",
    "queue.cleared": "{count} jobs cancelled",
    "queue.cleared_one": "1 job cancelled",
    "queue.left": "about {time} for all of it",
    "queue.paused_hint": "Paused: what runs goes on, nothing else is started.",
    "queue.full_hint": "The library is at its quota: nothing is started until there is room.",
    "queue.empty": "Nothing is running and nothing waits",
    "queue.empty_hint": "Jobs of every page and every device line up here. They outlive the page and the server.",
    "queue.again": "Again with a new seed",
    "queue.move": "Move {name}, {place} of {count}",
    "queue.how": "Drag, or press the up and down arrows.",
    "queue.moved": "Now {place} of {count}",
    "queue.more": "{count} more wait after these.",
    "queue.more_one": "1 more waits after these.",
    "queue.priority": "Priority of {name}",
    "queue.waits_for": "waits for {what}",
    "queue.rests": "rests for {what}",
    "queue.of_batch": "{index} of {size}",
    "queue.batch": "batch · {kind} · {done} of {size} done · {waiting} wait",
    "queue.jobs": "Jobs",
    "queue.batch_ended": "batch · {kind} · {done} of {size} succeeded",
    "queue.batch_failed": "{count} failed",
    "queue.batch_library": "Show in library",
    "queue.batch_retry": "Run the failed ones again",
    "queue.batch_zip": "Download all as one zip",
    "priority.low": "Low",
    "priority.normal": "Normal",
    "priority.high": "High",
    "state.queued": "waiting",
    "state.running": "running",
    "state.succeeded": "done",
    "state.failed": "failed",
    "state.cancelled": "cancelled",
}
