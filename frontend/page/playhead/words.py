"""What the playhead says, wherever one stands."""

from __future__ import annotations

from frontend.page.keys import Keys

KEYS: Keys = (
    (("J", "L"), "One frame back, one on; the arrows too"),
    (("K",), "Play, pause"),
    (("[", "]"), "Loop from here, loop to here"),
    (("\\",), "Loop all of it again"),
    (("Ctrl", "wheel"), "Closer, further; drag to move"),
)

WORDS: dict[str, str] = {
    "playhead.play": "Play",
    "playhead.pause": "Pause",
    "playhead.back": "One frame back",
    "playhead.forward": "One frame on",
    "playhead.seek": "Playhead",
    "playhead.clock_label": "Where the playhead is",
    "playhead.clock": "{time} s · frame {frame} / {frames}",
    "playhead.frame": "frame {frame} of {frames}",
    "playhead.speed": "Speed",
    "playhead.loop_start": "Loop from here",
    "playhead.loop_end": "Loop to here",
    "playhead.loop_clear": "Loop all",
    "playhead.views": "How cells are seen",
    "playhead.view_side": "Side by side",
    "playhead.view_slider": "Slider",
    "playhead.view_difference": "Difference",
    "playhead.view_flicker": "Flicker",
    "playhead.against": "The column that the others are seen against",
    "playhead.against_short": "against",
    "playhead.against_gone": "Where that column's file is gone, the others are shown as they are.",
    "playhead.split": "Where one picture ends and the other begins",
    "playhead.zoom": "Zoom",
    "playhead.zoom_in": "Closer",
    "playhead.zoom_out": "Further",
    "playhead.zoom_reset": "Whole",
    "playhead.hear": "Hear {name}",
    "playhead.silence": "Silence {name}",
    "playhead.gone": "{name} · file gone",
    "playhead.unplayable": "{name} · cannot be played",
    "playhead.aligned": "Aligned by time; a clip that has ended stays on its last frame.",
    "playhead.lengths": "Lengths: {lengths}.",
    "playhead.rates": "Frames per second: {rates}.",
    "playhead.sizes": "Sizes: {sizes}.",
    "plot.value": "Which value of the actions is drawn",
    "plot.column": "value {column}",
    "plot.path": "path of the first two values",
    "plot.label": "Actions over time: {value}",
}
