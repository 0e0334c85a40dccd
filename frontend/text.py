"""Every word of the page that is not a request field's own title or help, in one place.

`WORDS` travels to the browser inside the served HTML; `{name}` is filled in there.
"""

from __future__ import annotations

from frontend.robot_text import ROBOT_WORDS

STUDIO = "Orrery"

SKIP = "Skip to the form"
PLACES = "Places"
CONNECTING = "connecting…"
HELP = "Keyboard shortcuts"
DARK = "Dark mode"
CLOSE = "Close"

GENERATE = "Generate"
PROMPT_PLACEHOLDER = "What should the picture show?"
ON = "on"
OFF = "off"
AND_MORE = "{first} and {more} more"

ROBOT_STOP = "STOP"
ROBOT_STOP_LABEL = "Emergency stop"
ROBOT_STOP_HELP = "Space or Esc · not the hardware stop"

SHORTCUTS: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "image": (
        (("Ctrl", "↵"), "Generate, also while typing"),
        (("Esc",), "Leave a field, then cancel the job on the stage"),
        (("/",), "Go to the prompt"),
        (("←", "→"), "Move between choices, or along the strip"),
        (("?",), "This list"),
    ),
    "robot": (
        (("Space",), "STOP, except while typing"),
        (("Esc",), "STOP while anything moves, also while typing"),
        (("H",), "Hold"),
        (("R",), "Resume"),
        (("A", "X"), "Play the chunk that is shown, or ask again"),
        (("N",), "Play the next row, in step mode"),
        (("Ctrl", "↵"), "Start, or send another instruction"),
        (("/",), "Go to the instruction"),
        (("?",), "This list"),
    ),
}
"""By page, keys and what they do, as the help lists them."""

MISTAKES: dict[str, str] = {
    "greater_than_equal": "At least {ge:g}",
    "less_than_equal": "At most {le:g}",
    "int_type": "A whole number is needed",
    "int_from_float": "A whole number is needed",
    "int_parsing": "A whole number is needed",
    "float_type": "A number is needed",
    "float_parsing": "A number is needed",
    "finite_number": "A finite number is needed",
    "literal_error": "One of {expected}",
    "missing": "This is needed",
}
"""What to say below a field, by pydantic's name for what is wrong with it."""

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
    "header.queue": "{running} running · {waiting} waiting",
    "title.running": "{percent} % · {title}",
    # notice
    "notice.preparing": "{title} is being prepared. Jobs wait until it is ready.",
    "notice.loading": "{title} is loading. Jobs wait until it is ready.",
    "notice.lost": "The engine is restarting. Jobs wait until it is back.",
    "notice.failed": "{title} did not load.",
    "notice.random": "{title} has random weights: what it draws is noise.",
    # form
    "form.examples": "Try",
    "form.pixels": "{width} × {height} px",
    "form.picture": "picture",
    "form.pictures": "pictures, each with the next seed",
    "form.lock": "lock",
    "form.lock_help": "Keep this seed; otherwise every Generate draws a new one",
    "form.new": "new",
    "form.new_help": "Draw a new seed and keep it",
    "estimate.steps": "{steps} steps",
    "estimate.step": "1 step",
    "estimate.pictures": "{count} pictures",
    "estimate.time": "about {time} on this machine",
    "estimate.now": "starts at once",
    "estimate.after_one": "after 1 job",
    "estimate.after": "after {jobs} jobs",
    "estimate.held": "waits for {title}",
    "curl.copy": "Copy as curl",
    "curl.copied": "Copied",
    "curl.denied": "The browser did not allow copying",
    # stage
    "stage.label": "Stage",
    "stage.preview": "Live preview",
    "stage.result_image": "Picture {index} of {count}, seed {seed}",
    "stage.result_video": "Clip {index} of {count}, seed {seed}",
    "stage.actions": "{rows} actions of {columns} values",
    "stage.pick": "Show picture {index}, seed {seed}",
    "stage.empty": "Nothing made yet",
    "stage.empty_write": "Write a prompt, then Generate.",
    "stage.empty_watch": "The picture appears here while it is being made.",
    "stage.empty_drop": "Drop a PNG from Orrery anywhere to get its settings back.",
    "stage.waiting_next": "Next in line",
    "stage.waiting_one": "Waiting for 1 job before it",
    "stage.waiting": "Waiting for {jobs} jobs before it",
    "stage.held": "Waiting for {title}",
    "stage.starting": "Reading the prompt",
    "stage.tag": "preview · step {step} of {steps}",
    "stage.tag_decoding": "decoding",
    "stage.tag_stopped": "stopped at step {step} of {steps}",
    "stage.cancelled": "Cancelled",
    "stage.cancelled_at": "Cancelled at step {step} of {steps}",
    "stage.failed": "This one failed",
    # progress
    "progress.idle": "Nothing running",
    "progress.idle_meta": "The next job shows its progress here.",
    "progress.held": "Waiting for {title}",
    "progress.waiting": "Waiting",
    "progress.upsampling": "Writing the prompt out",
    "progress.starting": "Reading the prompt",
    "progress.denoising": "Denoising",
    "progress.decoding": "Decoding",
    "progress.stopping": "Stopping",
    "progress.cancelling": "Cancelling",
    "progress.succeeded": "Done",
    "progress.stopped": "Stopped and kept",
    "progress.cancelled": "Cancelled",
    "progress.failed": "Failed",
    "progress.step": "{step} / {steps}",
    "progress.left": "{time} left",
    "progress.took": "took {time}",
    "progress.bar": "Progress",
    "progress.keep": "Stop and keep",
    "progress.cancel": "Cancel",
    "progress.use": "Use again",
    "progress.retry": "Run again",
    "progress.download": "Download",
    "meta.seed": "seed {seed}",
    "meta.seeds": "seeds {first} to {last}",
    "meta.fps": "{fps} fps",
    "meta.actions": "{actions} actions",
    "meta.guidance": "guidance {guidance}",
    "meta.steps": "{steps} steps",
    # strip
    "strip.several": "{count} pictures",
    "strip.label": "Made so far",
    "strip.empty": "What you make collects here, newest first.",
    "strip.queued": "waiting",
    "strip.running": "{percent} %",
    "strip.failed": "failed",
    "strip.cancelled": "cancelled",
    "strip.item": "{state}, {time}, {label}",
    "strip.succeeded": "done",
    "strip.starting": "running",
    # drop, errors
    "drop.here": "Drop to restore its settings",
    "drop.restored": "Settings restored from {name}",
    "error.unreachable": UNREACHABLE,
    "error.unreachable_hint": UNREACHABLE_HINT,
    "error.close": CLOSE,
    **ROBOT_WORDS,
}
