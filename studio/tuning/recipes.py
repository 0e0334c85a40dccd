"""Recipes: what is trained, on which data, and how. The three tasks share how the weights are moved."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from studio.requests import Frozen
from studio.requests.embodiments import EmbodimentName

VideoMode = Literal["t2i", "t2v", "i2v", "v2v", "edge", "blur"]
"""What a clip is learnt as: from its text, its first frame, or its first five frames; "t2i" is a picture; "edge" and
"blur" are transfers from the control of that hint, computed from its own frames."""

CLIP_MODES: dict[VideoMode, float] = {"t2v": 1.0, "i2v": 1.0, "v2v": 1.0}

Schedule = Literal["constant", "linear", "cosine"]

Beta = Annotated[float, Field(ge=0, lt=1)]

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
"""Of an adapter, a checkpoint or a data set that is made here; an @ begins the step of a save."""


class Lora(Frozen):
    """A low-rank adapter in place of all weights.

    Attributes:
        rank: of the matrices.
        alpha: the adapter is scaled by alpha / rank; none takes twice the rank, as the framework's recipes do.
        layers: which linear layers of each block get one.
    """

    rank: Annotated[int, Field(ge=1, le=256, title="LoRA rank", description="a larger one learns more")] = 16
    alpha: Annotated[float | None, Field(gt=0, title="LoRA alpha", description="scale times rank")] = None
    layers: Annotated[
        Literal["attention", "all"],
        Field(title="LoRA layers", description="query, key, value and output, or the feed-forward layers too"),
    ] = "attention"

    @property
    def scale(self) -> float:
        """What the product of the matrices is multiplied by."""
        return (2 * self.rank if self.alpha is None else self.alpha) / self.rank


class Optimisation(Frozen):
    """How weights are moved. `presets/tuning` has the recipes of the report and of the framework."""

    steps: Annotated[int, Field(ge=1, le=1_000_000, title="Steps", description="of the optimiser")] = 500
    batch_size: Annotated[int, Field(ge=1, le=4096, title="Batch size", description="sequences a step and GPU")] = 2
    learning_rate: Annotated[float, Field(gt=0, le=1, title="Learning rate", description="at its highest")] = 1e-4
    warmup_steps: Annotated[int, Field(ge=0, title="Warm-up", description="steps until the rate is at its highest")] = (
        50
    )
    schedule: Annotated[Schedule, Field(title="Schedule", description="of the rate after the warm-up")] = "linear"
    final_rate: Annotated[
        float, Field(ge=0, le=1, title="Final rate", description="at the last step, times the highest")
    ] = 0.0
    betas: Annotated[tuple[Beta, Beta], Field(title="Betas", description="of AdamW")] = (0.9, 0.95)
    epsilon: Annotated[float, Field(gt=0, le=1, title="Epsilon", description="of AdamW")] = 1e-8
    weight_decay: Annotated[float, Field(ge=0, le=1, title="Weight decay", description="on matrices")] = 0.0
    max_gradient_norm: Annotated[float, Field(gt=0, title="Gradient clipping", description="norm of a step")] = 1.0
    ema: Annotated[
        float | None,
        Field(ge=0, lt=1, title="EMA", description="average of the weights that is saved; empty saves the last ones"),
    ] = None
    save_every: Annotated[int, Field(ge=1, title="Save every", description="steps")] = 100
    seed: Annotated[int, Field(ge=0, lt=2**32, title="Seed", description="of noise and order")] = 0
    num_gpus: Annotated[
        int, Field(ge=1, le=64, title="GPUs", description="each takes a batch of its own; gradients are averaged")
    ] = 1
    checkpoints_activations: Annotated[
        bool,
        Field(title="Activation checkpointing", description="compute each block twice; takes far less memory"),
    ] = False
    offloads_weights: Annotated[
        bool,
        Field(
            title="Offload weights",
            description="keep them on the host, and bring each block to the GPU for its turn; for adapters",
        ),
    ] = False

    @property
    def recomputes(self) -> bool:
        """Whether blocks are computed again for their gradients; those that are brought for their turn must be."""
        return self.checkpoints_activations or self.offloads_weights


class _Recipe(Frozen):
    """What the three tasks share.

    Attributes:
        name: of what is made; saves are `name@step`.
        checkpoint: that it begins with.
        lora: none trains the weights themselves and makes a checkpoint.
    """

    name: Name
    checkpoint: str
    lora: Lora | None = Lora()
    optimisation: Optimisation = Optimisation()

    @property
    def makes(self) -> Literal["adapter", "checkpoint"]:
        """What a save is."""
        return "checkpoint" if self.lora is None else "adapter"


class GeneratorRecipe(_Recipe):
    """Clips and pictures with captions, as `orrery captions-to-jsonl` writes them.

    Attributes:
        data: a data set with `video_dataset_file.jsonl`.
        modes: share of each; they need not sum to 1. Uniform over the three of clips.
        resolution: of the canvas, the one of five shapes that is nearest to the clip's own.
        num_frames: of a sequence, 4n + 1; longer windows are cut.
        fps: clips are resampled to it; none keeps their own.
        min_window_frames: shorter windows are dropped, as the framework does in silence below 61.
        max_clip_s: longer clips are dropped, likewise.
        text_dropout: share of sequences whose text is left out (report, 4.2.1).
        flow_shift: of the noise levels; none is the report's for the resolution: 3, 5, 10 (4.2.2).
    """

    task: Literal["generator"] = "generator"
    data: Name
    modes: dict[VideoMode, Annotated[float, Field(ge=0)]] = Field(
        dict(CLIP_MODES), title="Modes", description="share of each"
    )
    resolution: Annotated[Literal["256", "480", "720"], Field(title="Resolution", description="of the canvas")] = "256"
    num_frames: Annotated[
        int, Field(ge=1, le=401, title="Frames", description="of a sequence, 4n + 1; longer windows are cut")
    ] = 61
    fps: Annotated[
        float | None, Field(ge=1, le=60, title="Frames per second", description="that videos are resampled to")
    ] = None
    min_window_frames: Annotated[
        int, Field(ge=1, title="Shortest window", description="frames; shorter ones are left out")
    ] = 61
    max_clip_s: Annotated[
        float, Field(gt=0, title="Longest video", description="seconds; longer ones are left out")
    ] = 61.0
    text_dropout: Annotated[
        float, Field(ge=0, le=1, title="Text dropout", description="share of sequences without their text")
    ] = 0.1
    flow_shift: Annotated[
        float | None, Field(ge=0.1, le=20, title="Flow shift", description="of the noise levels [by resolution]")
    ] = None


class Blend(Frozen):
    """A data set and its share of what is drawn."""

    data: Name
    weight: Annotated[float, Field(gt=0)] = 1.0


class ReasonerRecipe(_Recipe):
    """Conversations about clips and pictures: messages, label files, LLaVA's layout, and blends of them.

    Attributes:
        data: weights are normalised.
        num_frames, fps: of a clip, one of the two; with neither, as the checkpoint samples them. Bounds are those of a
            request (`studio.requests.reason.Reason`).
        min_pixels, max_pixels: of a frame.
        max_tokens: longer conversations are dropped and counted.
        normalises: weigh each conversation by 1 / √ of its answer's tokens (report, 4.1.1).
        benchmarks: that every save is run on.
    """

    task: Literal["reasoner"] = "reasoner"
    data: Annotated[tuple[Blend, ...], Field(min_length=1)]
    num_frames: Annotated[int | None, Field(ge=1, le=768, title="Frames", description="sampled from a video")] = None
    fps: Annotated[float | None, Field(gt=0, le=60, title="Frames per second", description="sampled from a video")] = (
        None
    )
    min_pixels: Annotated[int | None, Field(ge=1, le=2**28, title="Least pixels", description="of a frame")] = None
    max_pixels: Annotated[int | None, Field(ge=1, le=2**28, title="Most pixels", description="of a frame")] = None
    max_tokens: Annotated[
        int, Field(ge=16, title="Longest conversation", description="tokens; longer ones are left out")
    ] = 4096
    normalises: Annotated[
        bool, Field(title="Normalise by length", description="weigh a conversation by 1/√ of its answer's tokens")
    ] = False
    benchmarks: Annotated[tuple[str, ...], Field(title="Benchmarks", description="that every save is run on")] = ()

    @field_validator("max_pixels")
    @classmethod
    def _most_is_not_below_least(cls, most: int | None, given: ValidationInfo) -> int | None:
        least = given.data.get("min_pixels")
        if most is not None and least is not None and least > most:
            raise ValueError(f"min_pixels is {least}, above max_pixels, {most}")
        return most


class PolicyRecipe(_Recipe):
    """Recordings of an arm, of the Robot page or any LeRobot data set v2.1 or v3.

    A save is a checkpoint, also of a LoRA training: an adapter cannot hold the weights of actions and their units, and
    an arm is answered by a checkpoint.

    Attributes:
        data: a data set, or the name of recordings of the Robot page.
        embodiment: whose domain, view and units the rows have.
        num_actions: rows of a window, a multiple of four; it has one frame more.
        stride: frames between the beginnings of two windows.
        resolution: tier that the views are fitted into.
        fresh_heads: begin with new action heads and embedding, as Nano-Policy did (report, 4.2.5).
        action_rate: factor on the learning rate of what is of actions, fresh or not (report, 4.2.5).
        action_weight: of the actions' loss (report, 4.2.2).
        text_dropout: share of windows whose text is left out (report, 4.2.1).
        leaves_out_idle: drop windows in which the arm stands still.
        scenes: tables at each of which every save is tried in the simulated closed loop; 0 is not at all.
    """

    task: Literal["policy"] = "policy"
    data: Name
    embodiment: Annotated[EmbodimentName, Field(title="Embodiment", description="whose actions the rows are")] = (
        "droid_joint_position"
    )
    num_actions: Annotated[int, Field(ge=1, le=128, title="Actions", description="rows of a window")] = 32
    stride: Annotated[int, Field(ge=1, title="Stride", description="frames between the starts of windows")] = 4
    resolution: Annotated[
        Literal["256", "480", "704", "720"], Field(title="Resolution", description="tier that views are fitted into")
    ] = "256"
    fresh_heads: Annotated[bool, Field(title="Fresh action heads", description="begin with new action weights")] = False
    action_rate: Annotated[
        float, Field(gt=0, title="Rate of action weights", description="times the learning rate")
    ] = 5.0
    action_weight: Annotated[float, Field(gt=0, title="Weight of actions", description="in the loss")] = 10.0
    text_dropout: Annotated[
        float, Field(ge=0, le=1, title="Text dropout", description="share of windows without their text")
    ] = 0.1
    leaves_out_idle: Annotated[
        bool, Field(title="Leave out idle windows", description="in which the arm stands still")
    ] = True
    scenes: Annotated[
        int, Field(ge=0, le=200, title="Scenes", description="tables on which every save is tried; 0 is none")
    ] = 0

    @property
    def makes(self) -> Literal["adapter", "checkpoint"]:
        """What a save is."""
        return "checkpoint"


Recipe = Annotated[GeneratorRecipe | ReasonerRecipe | PolicyRecipe, Field(discriminator="task")]
