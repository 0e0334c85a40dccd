"""What the page of the checkpoints says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.page.keys import Keys

KEYS: Keys = (
    (("Tab",), "From button to button"),
    (("?",), "This list"),
)

WORDS: dict[str, str] = {
    "checkpoints.can": "What it can do",
    "checkpoints.memory": "Memory that is used",
    "checkpoints.used_gpu": "{used} of {total} of the GPU's memory used",
    "checkpoints.used_host": "{used} of {total} of this machine's memory used",
    "checkpoints.free": "{size} free",
    "checkpoints.serving": "serving",
    "checkpoints.warm": "warm",
    "checkpoints.installed": "installed",
    "checkpoints.absent": "not installed",
    "checkpoints.too_large": "too large for this machine",
    "checkpoints.crowded": "another leaves for it",
    "checkpoints.random": "random weights",
    "checkpoints.ships": "comes with the studio",
    "checkpoints.variant": "a variant of {of}",
    "checkpoints.fp8": "matrices in 8 bits",
    "checkpoints.weights": "{size} of weights",
    "checkpoints.disk": "{size} on disk",
    "checkpoints.needs": "needs {size} of memory",
    "checkpoints.load": "Load",
    "checkpoints.serve": "Let it serve",
    "checkpoints.unload": "Unload",
    "checkpoints.sleep": "Sleep",
    "checkpoints.sleep_help": "Off the device until the next request for it, which wakes it",
    "checkpoints.wake": "Wake",
    "checkpoints.builds": "built when it is first loaded",
    "checkpoints.starts": "serves after a restart",
    "checkpoints.stays": "{title} is the default and loads at startup.",
    "checkpoints.told": "After a restart {title} serves again: the server is started with --checkpoint.",
    "checkpoints.verify": "Verify",
    "checkpoints.pull": "Download",
    "checkpoints.stop": "Stop the download",
    "errand.pull": "Downloading",
    "errand.verify": "Verifying",
    "errand.of": "{done} of {total}",
    "can.generate_image": "pictures {tiers}",
    "can.generate_video": "clips {tiers}, up to {frames} frames",
    "can.sound": "sound",
    "can.predict_video": "worlds from actions",
    "can.bodies": "{count} bodies",
    "can.distilled": "{count} steps only",
    "can.distilled_one": "1 step only",
}
