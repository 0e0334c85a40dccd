"""Latents to pixels: the checkpoint's own VAE, and a linear sketch of it for previews."""

from engine.vae.picture import PictureDecoder, read_vae, to_uint8
from engine.vae.preview import Sketch, fit_sketch

__all__ = ["PictureDecoder", "Sketch", "fit_sketch", "read_vae", "to_uint8"]
