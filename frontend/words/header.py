"""What every page says: its header, what went wrong, what is dropped on it."""

from __future__ import annotations

CONNECTING = "connecting…"
CLOSE = "Close"
UNREACHABLE = "The server did not answer."
UNREACHABLE_HINT = "Your settings are kept; try again in a moment."

WORDS: dict[str, str] = {
    # header
    "header.connecting": CONNECTING,
    "header.reconnecting": "reconnecting…",
    "header.preparing": "preparing",
    "header.loading": "loading",
    "header.ready": "ready",
    "header.failed": "failed",
    "header.lost": "restarting",
    "header.waiting": "waiting for room",
    "header.leaving": "leaving",
    "header.unloaded": "not loaded",
    "header.queue": "{running} running · {waiting} waiting",
    "header.queue_short": "{running} · {waiting}",
    "header.left": "≈ {time}",
    "header.paused": "paused",
    "header.gone": "The connection to the server is lost. What you see is as it was; this page tries again by itself.",
    "guardrail.not_installed": "not installed",
    "guardrail.starting": "starting",
    "guardrail.on": "on",
    "guardrail.failed": "failed",
    "notify.none": "No notifications here",
    "notify.denied": "Notifications are blocked",
    "notify.off": "Tell me when a job ends",
    "notify.on": "Telling you when a job ends",
    "notify.succeeded": "A job is done",
    "notify.failed": "A job failed",
    "notify.batch": "A batch of {size} has ended",
    "title.running": "{percent} % · {title}",
    # drop, errors
    "drop.here": "Drop to restore its settings",
    "drop.restored": "Settings restored from {name}",
    "error.unreachable": UNREACHABLE,
    "error.unreachable_hint": UNREACHABLE_HINT,
    "error.close": CLOSE,
}
