"""What the reasoner's stage trains."""

from __future__ import annotations

from torch import nn
from transformers import Qwen3VLVisionModel

from engine.towers import OmniModel
from pocket.train.seeing import Naming


class Student(nn.Module):
    """Of the towers the reasoner, and the vision encoder.

    Attributes:
        naming: says what the encoder sees, see `pocket.train.seeing`; left out of a checkpoint.
    """

    def __init__(self, model: OmniModel, sight: Qwen3VLVisionModel) -> None:
        super().__init__()
        self.reasoner, self.sight = model.reasoner, sight
        self.naming = Naming(model.config.hidden_size).to(model.device)
