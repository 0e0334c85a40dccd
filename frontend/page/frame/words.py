"""What every page says: its header, what went wrong, what is dropped on it."""

from __future__ import annotations

CONNECTING = "connecting…"
CLOSE = "Close"
UNREACHABLE = "The server did not answer."
UNREACHABLE_HINT = "Your settings are kept; try again in a moment."

WORDS: dict[str, str] = {
    # media
    "media.deleted": "deleted",
    "media.no_picture": "no preview",
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
    "header.asleep": "asleep",
    "header.checkpoints": "Checkpoints",
    "header.reading": "Loading the list…",
    "header.all_checkpoints": "All checkpoints",
    "header.default": "default",
    "header.used_here": "used on this page",
    "header.use_here": "Use on this page",
    "header.make_default": "Make default",
    "header.load": "Load",
    "header.unload": "Unload",
    "header.unloaded_toast": "{title} is being unloaded",
    "header.queue": "{running} running · {waiting} waiting",
    "header.queue_short": "{running} · {waiting}",
    "header.left": "≈ {time}",
    "header.paused": "paused",
    "header.gone": "The connection to the server is lost. What you see is as it was; this page tries again by itself.",
    "guardrail.not_installed": "not installed",
    "guardrail.starting": "starting",
    "guardrail.on": "on",
    "guardrail.failed": "failed",
    "guardrail.none": "no guardrail",
    "guardrail.title": "Guardrail: {state}",
    "guardrail.required": "This server runs nothing that it has not read.",
    "guardrails.not_installed": (
        "Nothing reads what is asked for, and nothing looks at what is made. Every job is marked so. "
        "make guardrail installs one; orrery serve --guardrail-url takes it into service."
    ),
    "guardrails.starting": "It loads its models. What is to be guarded is refused until it is on.",
    "guardrails.on": (
        "Prompts are read before a job is queued, and captions that the upsampler writes before they are used. "
        "Pictures and clips are looked at before they are kept, and faces in them are blurred. What does not pass is "
        "not kept, and the job says why. Guarded jobs have no live preview."
    ),
    "guardrails.failed": (
        "It does not answer. What is to be guarded is refused, and jobs that it was to look at fail, until it is back."
    ),
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
    # hints, where the server's name its routes
    "hints.load": "Load it on the Checkpoints page.",
    "hints.pull": "Download it on the Checkpoints page.",
    "hints.retry": "Retry runs it again.",
    "hints.media": "Drop the file on the form, or choose it there.",
    "hints.jobs": "The Queue page lists what there is.",
    "hints.library": "The Library lists what there is.",
    "hints.presets": "The menu of presets lists them.",
}
