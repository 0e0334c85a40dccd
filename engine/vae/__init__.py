"""Latents to pixels, pixels to latents and latents to sound: the checkpoint's own codecs, and a sketch for previews."""

from engine.vae.clip import ClipCoder, Memory
from engine.vae.divided import DividedDecoder
from engine.vae.picture import PictureDecoder, read_vae, to_levels
from engine.vae.preview import Sketch, fit_sketch
from engine.vae.sound import SoundDecoder, read_sound

__all__ = [
    "ClipCoder",
    "DividedDecoder",
    "Memory",
    "PictureDecoder",
    "Sketch",
    "SoundDecoder",
    "fit_sketch",
    "read_sound",
    "read_vae",
    "to_levels",
]
