"""Latents to pixels, pixels to latents and latents to sound: the checkpoint's own codecs, and a sketch for previews."""

from engine.vae.clip import ClipCoder, Memory, decode_in_strips
from engine.vae.divided import DividedDecoder
from engine.vae.picture import PictureDecoder, Sketch, fit_sketch, read_vae, to_levels
from engine.vae.sound import SoundDecoder, read_sound

__all__ = [
    "ClipCoder",
    "DividedDecoder",
    "Memory",
    "PictureDecoder",
    "Sketch",
    "SoundDecoder",
    "decode_in_strips",
    "fit_sketch",
    "read_sound",
    "read_vae",
    "to_levels",
]
