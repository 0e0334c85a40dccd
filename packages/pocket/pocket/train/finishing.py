"""Stage `assemble`: what the stages have made, as one checkpoint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pocket.train.assemble import assemble
from pocket.train.generator import GENERATOR, PICTURES, load_generator, read_towers
from pocket.train.lessons.error import Student
from pocket.train.loop import Options, needed_state, read_state
from pocket.train.reasoner import read_tokenizer
from pocket.train.shape import SHAPES
from pocket.train.sound_codec import read_sound
from pocket.train.video_vae import DECODER, read_vae
from tuning.weights import released_tensors


def finish(options: Options, folder: Path) -> int:
    """Write the checkpoint: averaged weights of the last stage that has run, generator or pictures.

    Returns:
        Its size in bytes.

    Raises:
        BadInput: a stage is missing, or the checkpoint is too large.
    """
    on_host = replace(options, device="cpu")
    last = GENERATOR if read_state(options.out, GENERATOR) is not None else PICTURES
    model, sight = read_towers(on_host, before=last)
    load_generator(model, Student(model, sight), needed_state(options.out, last))
    return assemble(
        folder,
        SHAPES[options.shape],
        transformer=released_tensors(model),
        sight=sight,
        vae=read_vae(on_host, DECODER),
        sound=read_sound(on_host),
        tokenizer=read_tokenizer(options),
    )
