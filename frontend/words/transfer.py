"""What the transfer page says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.words.keys import CLIP_KEYS, Keys

PLACEHOLDER = "What should the clip look like?"

KEYS: Keys = CLIP_KEYS

WORDS: dict[str, str] = {
    "empty.transfer": "Choose a clip and what of it to follow, write what it should become, then Generate.",
    "controls.source": "Source clip",
    "controls.source_empty": "The clip whose outlines or blur are followed.",
    "controls.title": "Follows",
    "controls.help": "one hint or several",
    "controls.none": "Choose at least one thing to follow.",
    "controls.needs_source": "{hint} is computed from the source clip: choose one, or give its own clip.",
    "controls.needs_clip": "{hint} comes from another model: give its clip.",
    "controls.strength": "How much is left out",
    "controls.weight": "Weight",
    "controls.weight_of": "Weight of {hint}",
    "controls.own_clip": "Its own clip",
    "controls.own_clip_empty": "or a clip that was computed elsewhere",
    "controls.clip": "{hint} clip",
    "controls.clip_empty": "from the model that made it",
    "controls.kept": "Kept frames",
    "controls.kept_help": "of the source, as the beginning",
    "controls.preview": "{hint}, one frame as the model will see it",
    "controls.whole": "{hint}, the whole clip",
    "controls.at": "Place in the clip",
    "controls.watch": "Watch all of it",
    "controls.stop": "Stop",
    "controls.use_clip": "Follow this clip",
    "controls.computing": "Computing the control…",
    "controls.no_preview": "No preview could be computed.",
    "hint.edge": "Edges",
    "hint.blur": "Blur",
    "hint.depth": "Depth",
    "hint.seg": "Segments",
    "hint.wsm": "World map",
    "hint.edge_help": "Outlines, computed here",
    "hint.blur_help": "Soft colours, computed here",
    "hint.depth_help": "Distance, from a depth model",
    "hint.seg_help": "Regions, from a segmentation model",
    "hint.wsm_help": "A world scenario map, rendered elsewhere",
    "strength.very_low": "very low",
    "strength.low": "low",
    "strength.medium": "medium",
    "strength.high": "high",
    "strength.very_high": "very high",
}
