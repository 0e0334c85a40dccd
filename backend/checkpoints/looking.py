"""What a clip takes of a conversation with a checkpoint, read from the checkpoint's own files."""

from __future__ import annotations

from studio.checkpoints import Checkpoint, read_json
from studio.errors import BadInput
from studio.sight import EDGE, context_of, read_sight
from studio.vision_budget import ClipLook, VisionBudget, vision_budget


def budget_of(checkpoint: Checkpoint, look: ClipLook) -> VisionBudget:
    """What a clip takes. Raises BadInput, also where the checkpoint sees nothing, and BrokenCheckpoint."""
    folder = checkpoint.folder
    assert folder is not None, "a whole checkpoint has a folder"
    config = read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
    if not any((folder / "vision_encoder").glob("*.safetensors")):
        raise BadInput(f"{checkpoint.preset.title} has no vision encoder: it reads only text.", param="name")
    return vision_budget(read_sight(folder, config.get("model_type") == EDGE), context_of(config), look)
