"""What the page of the checkpoints says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.page.keys import Keys

KEYS: Keys = (
    (("Tab",), "Next button"),
    (("?",), "Show this list"),
)

WORDS: dict[str, str] = {
    "machine.title": "This machine",
    "machine.cpu": "CPU: {percent} % of {cores} cores",
    "machine.memory": "Memory: {used} of {total}",
    "machine.gpu": "GPU {index}, {name}: {percent} %, {used} of {total}",
    "machine.log": "Server log",
    "checkpoints.can": "Capabilities",
    "checkpoints.memory": "Memory in use",
    "checkpoints.used_gpu": "{used} of {total} of the GPU's memory used",
    "checkpoints.used_host": "{used} of {total} of this machine's memory used",
    "checkpoints.free": "{size} free",
    "checkpoints.serving": "default",
    "checkpoints.warm": "loaded",
    "checkpoints.installed": "installed",
    "checkpoints.absent": "not installed",
    "checkpoints.too_large": "too large for this machine",
    "checkpoints.crowded": "loading it unloads another",
    "checkpoints.random": "random weights",
    "checkpoints.ships": "included",
    "checkpoints.variant": "variant of {of}",
    "checkpoints.fp8": "FP8 weights",
    "checkpoints.weights": "{size} of weights",
    "checkpoints.disk": "{size} on disk",
    "checkpoints.needs": "needs {size} of memory",
    "checkpoints.load": "Load",
    "checkpoints.serve": "Make default",
    "checkpoints.unload": "Unload",
    "checkpoints.sleep": "Sleep",
    "checkpoints.sleep_help": "Moves it off the device; the next request for it wakes it",
    "checkpoints.wake": "Wake",
    "checkpoints.builds": "built on first load",
    "checkpoints.starts": "loads at startup",
    "checkpoints.stays": "{title} is the default and loads at startup.",
    "checkpoints.told": "After a restart, {title} is the default again: the server is started with --checkpoint.",
    "checkpoints.verify": "Verify",
    "checkpoints.pull": "Download",
    "checkpoints.stop": "Stop download",
    "errand.pull": "Downloading",
    "errand.verify": "Verifying",
    "errand.of": "{done} of {total}",
    "can.generate_image": "images {tiers}",
    "can.generate_video": "videos {tiers}, up to {frames} frames",
    "can.sound": "sound",
    "can.predict_video": "forward dynamics",
    "can.bodies": "{count} embodiments",
    "can.distilled": "{count} steps only",
    "can.distilled_one": "1 step only",
}
