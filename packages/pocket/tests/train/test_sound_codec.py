from __future__ import annotations

import weakref

import torch
from torch.autograd.graph import get_gradient_edge

from pocket.train.codecs import fresh_sound
from pocket.train.shape import TOY
from pocket.train.sound_codec import sound_loss


class Trace:
    """Is there as long as what holds it."""


def test_a_codec_keeps_nothing_of_the_graph_of_its_loss():
    """Its weights are computed anew at each pass, and each module keeps the last ones."""
    codec = fresh_sound(TOY).train()
    loss, *_ = sound_loss(codec, 0.1 * torch.randn(1, 2, 5 * 1920))
    traces: list[weakref.ref[Trace]] = []
    for parameter in codec.parameters():
        trace = Trace()
        traces.append(weakref.ref(trace))
        get_gradient_edge(parameter).node.register_prehook(lambda _, trace=trace: None)
    del trace
    loss.backward()
    assert all(parameter.grad is not None for parameter in codec.decoder.parameters())
    del loss, _
    assert not any(trace() for trace in traces)
