"""From the files of a released checkpoint to named tensors: its configuration, its key map, its shards."""

from engine.weights.checkpoint import Folder, open_folder, read_weights
from engine.weights.config import ModelConfig
from engine.weights.quantization import PreciseSteps

__all__ = ["Folder", "ModelConfig", "PreciseSteps", "open_folder", "read_weights"]
