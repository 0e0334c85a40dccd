"""Post-training: what a person may ask for, what the trainer's process is told, and what it tells."""

from studio.tuning.events import (
    Checked,
    DataReport,
    Ended,
    MemoryEstimate,
    Preparing,
    Refused,
    Saved,
    Stepped,
    Trials,
    TrialsBegun,
    Tried,
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
    "ReasonerRecipe",
    "Recipe",
    "Refused",
    "Saved",
    "Stepped",
    "Trials",
    "TrialsBegun",
    "Tried",
    "TuningEvent",
    "TuningWork",
    "VideoMode",
]
