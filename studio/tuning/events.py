"""Between the server and `python -m tuning`: a line of JSON says what to do, and a line tells each thing that happens.

The process reads a `TuningWork`, then commands, one word a line: `save` (now, and continue), `stop` (save and end).
It ends when its input does, as if it had been stopped. It writes a `TuningEvent` a line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from studio.jobs import Failure
from studio.requests import Frozen
from studio.tuning.recipes import Recipe


class Trials(Frozen):
    """Trying a save of a policy in the simulated closed loop, instead of a training.

    Attributes:
        scenes: tables; one object is lifted from each.
        defaults: of `run_policy` requests to the save, as its preset has them.
    """

    scenes: int
    defaults: dict[str, Any] = Field(default_factory=dict)


class Joins(Frozen):
    """A process that trains together with another one, which has started it.

    Attributes:
        rank: its number; the first one's is 0.
        count: of all that train together.
        meeting: a file by which they find each other.
    """

    rank: int
    count: int
    meeting: Path


class TuningWork(Frozen):
    """What the process does.

    Attributes:
        only_checks: look at the data, say what fits, and end.
        trials: try `checkpoint`, which is a save, and end.
        checkpoint: folder of the one that is begun with.
        data: folder of each data set of the recipe, by name.
        out: folder of the training: `state/`, `saves/NAME@STEP/`, `curves.jsonl`, `samples/`. With a state in it the
            training continues from there.
        cache: latents of clips, shared by all trainings.
        device: as PyTorch names it.
        beside: devices of the further processes that train together with this one, which starts them.
        joins: this one is such a process: it writes nothing, and tells only why it cannot go on.
    """

    recipe: Recipe
    only_checks: bool = False
    trials: Trials | None = None
    checkpoint: Path
    data: dict[str, Path]
    out: Path
    cache: Path
    device: str = "cpu"
    beside: tuple[str, ...] = ()
    joins: Joins | None = None


class LeftOut(Frozen):
    """Data that is not trained on.

    Attributes:
        reason: "window_too_short", "clip_too_long", "file_missing", "no_caption", …
        message: the same as a sentence, with numbers.
        count: how many.
        examples: names of a few of them.
    """

    reason: str
    message: str
    count: int
    examples: tuple[str, ...] = ()


class TrainingSample(Frozen):
    """One sequence as the trainer sees it.

    Attributes:
        name: file and window, or line.
        mode: what it is learnt as.
        text: the very words that are read, the template's among them; of a conversation, up to the answer.
        answer: of a conversation; what is learnt.
        picture: file below `out`: frames as the VAE or the vision encoder gets them, side by side.
        num_tokens: of the whole sequence.
        facts: (name, value) of what else is seen, such as the canvas.
    """

    name: str
    mode: str
    text: str
    answer: str = ""
    picture: str | None = None
    num_tokens: int
    facts: tuple[tuple[str, str], ...] = ()


class Bin(Frozen):
    """How many sequences have between `low` and `high` tokens."""

    low: int
    high: int
    count: int


class MemoryEstimate(Frozen):
    """Bytes of the device that a step takes at most.

    Attributes:
        weights: frozen ones and trained ones.
        optimiser: gradients, moments and averages of what is trained.
        activations: kept for the gradients of the longest batch.
        total: with what the framework itself takes.
        available: on the device; none where it is not known.
        advice: what to change where it does not fit.
    """

    weights: int
    optimiser: int
    activations: int
    total: int
    available: int | None = None
    advice: str = ""

    @property
    def fits(self) -> bool:
        """Whether there is room for it, as far as is known."""
        return self.available is None or self.total <= self.available


class ConversationBudget(Frozen):
    """The longest conversation that is kept, in tokens.

    Attributes:
        num_vision: of what is shown.
        num_words: of everything else before the answer.
        num_answer: what is learnt.
        max_tokens: of the recipe; longer conversations are left out.
    """

    num_vision: int
    num_words: int
    num_answer: int
    max_tokens: int


class DataReport(Frozen):
    """What of the data is trained on.

    Attributes:
        num_kept: windows, conversations or recordings.
        dropped: by reason.
        tokens: a histogram of the lengths of sequences.
        samples: three of them.
        num_trained: parameters that learn.
        memory: of a step.
        budget: of conversations.
    """

    num_kept: int
    dropped: tuple[LeftOut, ...] = ()
    tokens: tuple[Bin, ...] = ()
    samples: tuple[TrainingSample, ...] = ()
    num_trained: int = 0
    memory: MemoryEstimate | None = None
    budget: ConversationBudget | None = None


class Checked(Frozen):
    """The data has been looked at."""

    kind: Literal["checked"] = "checked"
    report: DataReport


class Preparing(Frozen):
    """Before the first step: `done` of `total` clips are encoded, or recordings read."""

    kind: Literal["preparing"] = "preparing"
    doing: str
    done: int
    total: int


class Stepped(Frozen):
    """Means over the steps since the last one that was told.

    Attributes:
        step: of `steps`.
        loss: what is minimised.
        accuracy: of a reasoner, the share of the answers' tokens that were the likeliest ones.
        losses: by modality or mode, such as "vision" or "t2v_vision".
        by_noise: of vision, sound and actions, the loss by noise level: ten bins from 0 to 1; none of an empty bin.
        gradient_norm: before clipping.
        learning_rate: of this step.
        seconds_per_step: over the same steps.
        memory: bytes at their peak; none on a CPU.
    """

    kind: Literal["stepped"] = "stepped"
    step: int
    steps: int
    loss: float
    accuracy: float | None = None
    losses: dict[str, float] = Field(default_factory=dict)
    by_noise: dict[str, tuple[float | None, ...]] = Field(default_factory=dict)
    gradient_norm: float
    learning_rate: float
    seconds_per_step: float
    memory: int | None = None


class Saved(Frozen):
    """A save is whole on the disk.

    Attributes:
        folder: below `out`: an adapter or a checkpoint that the engine serves.
    """

    kind: Literal["saved"] = "saved"
    step: int
    folder: str
    makes: Literal["adapter", "checkpoint"]
    size_bytes: int


class TrialsBegun(Frozen):
    """What a save is tried on: a `studio.evaluation.Benchmark` as JSON."""

    kind: Literal["trials_begun"] = "trials_begun"
    benchmark: dict[str, Any]


class Tried(Frozen):
    """What became of one episode: a `studio.evaluation.Answer` of the form "policy" as JSON."""

    kind: Literal["tried"] = "tried"
    answer: dict[str, Any]


class Ended(Frozen):
    """The process ends: all steps, or all episodes of trials, are done, or it was stopped and can continue."""

    kind: Literal["ended"] = "ended"
    step: int
    is_whole: bool


class Refused(Frozen):
    """It cannot go on; what was saved stays."""

    kind: Literal["refused"] = "refused"
    error: Failure


TuningEvent = Annotated[
    Checked | Preparing | Stepped | Saved | TrialsBegun | Tried | Ended | Refused, Field(discriminator="kind")
]

EVENT: TypeAdapter[TuningEvent] = TypeAdapter(TuningEvent)
"""Reads and writes the line of one."""
