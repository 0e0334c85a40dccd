"""What the queue says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.page.keys import Keys

KEYS: Keys = (
    (("Tab",), "Next row"),
    (("↑", "↓"), "On a handle: move the job up or down"),
    (("Alt", "↑"), "Anywhere in a row: move the job up"),
    (("Home", "End"), "On a handle: move the job to the top or bottom"),
    (("?",), "Show this list"),
)

WORDS: dict[str, str] = {
    "queue.running": "Running",
    "queue.waiting": "Queued",
    "queue.ended": "Finished",
    "queue.pause": "Pause the queue",
    "queue.resume": "Resume",
    "queue.clear": "Clear queue",
    "queue.sure": "Cancel all {count} queued jobs? This includes jobs from every page and every device.",
    "queue.sure_one": "Cancel the 1 queued job? It may be from another device.",
    "queue.sure_yes": "Yes, cancel",
    "queue.cleared": "{count} jobs cancelled",
    "queue.cleared_one": "1 job cancelled",
    "queue.left": "about {time} in total",
    "queue.paused_hint": "Paused: running jobs continue, no new ones start.",
    "queue.full_hint": "The library is at its quota: no job starts until there is room.",
    "queue.empty": "No jobs running or queued",
    "queue.empty_hint": "Jobs from every page and every device appear here. They survive closing the page and "
    "restarting the server.",
    "queue.again": "Run with a new seed",
    "queue.move": "Move {name}, {place} of {count}",
    "queue.how": "Drag, or press the up and down arrow keys.",
    "queue.moved": "Now {place} of {count}",
    "queue.more": "{count} more queued after these.",
    "queue.more_one": "1 more queued after these.",
    "queue.priority": "Priority of {name}",
    "queue.waits_for": "waiting for {what}",
    "queue.rests": "paused for {what}",
    "queue.of_batch": "{index} of {size}",
    "queue.batch": "batch · {kind} · {done} of {size} done · {waiting} queued",
    "queue.jobs": "Jobs",
    "queue.batch_ended": "batch · {kind} · {done} of {size} done",
    "queue.batch_failed": "{count} failed",
    "queue.batch_library": "Show in library",
    "queue.batch_retry": "Retry failed",
    "queue.batch_zip": "Download all as a zip",
    "priority.low": "Low",
    "priority.normal": "Normal",
    "priority.high": "High",
    "state.queued": "queued",
    "state.running": "running",
    "state.succeeded": "done",
    "state.failed": "failed",
    "state.cancelled": "cancelled",
}
