"""Post-training: what a person may ask for, what the trainer's process is told, and what it tells."""

from studio.tuning.events import (
    Checked,
    DataReport,
    Ended,
    MemoryEstimate,
    Preparing,
    Progress,
    Refused,
    Saved,
    TuningEvent,
    TuningWork,
)
from studio.tuning.recipes import (
    GeneratorRecipe,
    Lora,
    Optimisation,
    PolicyRecipe,
    ReasonerRecipe,
    Recipe,
    VideoMode,
)

__all__ = [
    "Checked",
    "DataReport",
    "Ended",
    "GeneratorRecipe",
    "Lora",
    "MemoryEstimate",
    "Optimisation",
    "PolicyRecipe",
    "Preparing",
    "Progress",
    "ReasonerRecipe",
    "Recipe",
    "Refused",
    "Saved",
    "TuningEvent",
    "TuningWork",
    "VideoMode",
]
