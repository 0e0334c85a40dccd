"""What the playhead says, wherever one stands."""

from __future__ import annotations

from frontend.page.keys import Keys

KEYS: Keys = (
    (("J", "L"), "Previous frame, next frame; arrow keys too"),
    (("K",), "Play or pause"),
    (("[", "]"), "Set the loop start, the loop end"),
    (("\\",), "Clear the loop"),
    (("Ctrl", "wheel"), "Zoom in or out; drag to pan"),
)

WORDS: dict[str, str] = {
    "playhead.play": "Play",
    "playhead.pause": "Pause",
    "playhead.back": "Previous frame",
    "playhead.forward": "Next frame",
    "playhead.seek": "Playhead",
    "playhead.clock_label": "Playhead position",
    "playhead.clock": "{time} s · frame {frame} / {frames}",
    "playhead.frame": "frame {frame} of {frames}",
    "playhead.speed": "Speed",
    "playhead.loop_start": "Loop start",
    "playhead.loop_end": "Loop end",
    "playhead.loop_clear": "Loop all",
    "playhead.views": "View",
    "playhead.view_side": "Side by side",
    "playhead.view_slider": "Slider",
    "playhead.view_difference": "Difference",
    "playhead.view_flicker": "Flicker",
    "playhead.against": "Reference column",
    "playhead.against_short": "against",
    "playhead.against_gone": "Where the reference column's file is missing, the others are shown as they are.",
    "playhead.split": "Divider between the two images",
    "playhead.zoom": "Zoom",
    "playhead.zoom_in": "Zoom in",
    "playhead.zoom_out": "Zoom out",
    "playhead.zoom_reset": "Fit",
    "playhead.enlarge": "Enlarge {name}",
    "playhead.hear": "Unmute {name}",
    "playhead.silence": "Mute {name}",
    "playhead.gone": "{name} · file missing",
    "playhead.unplayable": "{name} · cannot be played",
    "playhead.aligned": "Aligned by time; a video that has ended holds its last frame.",
    "playhead.lengths": "Lengths: {lengths}.",
    "playhead.rates": "Frames per second: {rates}.",
    "playhead.sizes": "Frame sizes: {sizes}.",
    "plot.value": "Plotted action value",
    "plot.column": "value {column}",
    "plot.path": "path of the first two values",
    "plot.label": "Actions over time: {value}",
}
