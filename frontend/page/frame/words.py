"""What every page says: its header, what went wrong, what is dropped on it."""

from __future__ import annotations

SETTINGS = "Settings"
CONNECTING = "connecting…"
CLOSE = "Close"
UNREACHABLE = "The server did not answer."
UNREACHABLE_HINT = "Your settings are kept; try again in a moment."

WORDS: dict[str, str] = {
    # media
    "media.deleted": "deleted",
    "media.no_picture": "no preview",
    # header
    "settings.title": SETTINGS,
    "settings.hint": "Kept in this browser.",
    "settings.forms": "Form defaults: mark a preset with a star under Presets, and its page opens with it.",
    "settings.theme": "Theme",
    "settings.theme_system": "System",
    "settings.theme_light": "Light",
    "settings.theme_dark": "Dark",
    "settings.autoplay": "Play new videos automatically",
    "settings.autoplay_true": "On",
    "settings.autoplay_false": "Off",
    "settings.angles": "Joint angles",
    "settings.angles_rad": "rad",
    "settings.angles_deg": "degrees",
    "header.connecting": CONNECTING,
    "header.reconnecting": "reconnecting…",
    "header.preparing": "preparing",
    "header.loading": "loading",
    "header.ready": "ready",
    "header.failed": "failed",
    "header.lost": "restarting",
    "header.waiting": "waiting for memory",
    "header.leaving": "unloading",
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
    "header.queue": "{running} running · {waiting} queued",
    "header.answering": "{answering} answering",
    "header.queue_short": "{running} · {waiting}",
    "header.left": "≈ {time}",
    "header.paused": "paused",
    "header.gone": "Connection to the server lost. The page shows the last known state and keeps trying to reconnect.",
    "guardrail.not_installed": "not installed",
    "guardrail.starting": "starting",
    "guardrail.on": "on",
    "guardrail.failed": "failed",
    "guardrail.none": "no guardrail",
    "guardrail.title": "Guardrail: {state}",
    "guardrail.required": "This server runs nothing that the guardrail has not checked.",
    "guardrails.not_installed": (
        "No guardrail is running: prompts and outputs are not checked, and every job is marked as unchecked. To "
        "install one: make guardrail. To use it: orrery serve --guardrail-url."
    ),
    "guardrails.starting": "Its models are loading. Requests that need it are refused until it is on.",
    "guardrails.on": (
        "Prompts are checked before a job is queued, and upsampled captions before they are used. Images and videos "
        "are checked before they are saved, and faces in them are blurred. Blocked results are not saved, and the job "
        "says why. Guarded jobs have no live preview."
    ),
    "guardrails.failed": (
        "It does not answer. Until it is back, requests that need it are refused and jobs that await its check fail."
    ),
    "notify.none": "Notifications not supported",
    "notify.denied": "Notifications are blocked",
    "notify.off": "Notify me when a job ends",
    "notify.on": "Notifying you when a job ends",
    "notify.succeeded": "A job is done",
    "notify.failed": "A job failed",
    "notify.batch": "A batch of {size} jobs has ended",
    "title.running": "{percent} % · {title}",
    # the command palette
    "palette.title": "Commands",
    "palette.hint": "Type a command, a page or an earlier prompt",
    "palette.go": "Go to {title}",
    "palette.submit": "Run this form",
    "palette.theme": "Switch between light and dark",
    "palette.keys": "Show keyboard shortcuts",
    "palette.pause": "Pause the queue",
    "palette.resume": "Resume the queue",
    "palette.again": "Use again: {prompt}",
    "palette.search": "Search the library for “{words}”",
    # drop, errors
    "drop.here": "Drop to restore its settings",
    "drop.restored": "Settings restored from {name}",
    "error.unreachable": UNREACHABLE,
    "error.unreachable_hint": UNREACHABLE_HINT,
    "error.close": CLOSE,
    # hints, where the server's name its routes
    "hints.load": "Load it on the Checkpoints page.",
    "hints.pull": "Download it on the Checkpoints page.",
    "hints.retry": "Press “Run again” to repeat it.",
    "hints.media": "Drop the file on the form, or select it there.",
    "hints.jobs": "The Queue page lists all jobs.",
    "hints.library": "The Library lists all items.",
    "hints.presets": "The Presets menu lists them.",
}
