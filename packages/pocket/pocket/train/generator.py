"""Stages `pictures` and `generator`: the generating tower by rectified flow, of single frames first, then in all modes.

As in the report the reasoner is left as it is, unless `reasoner_rate` says otherwise: then it learns along, slowly, and
goes on with its own lessons beside.
"""

from __future__ import annotations

from contextlib import ExitStack, closing, nullcontext

from torch import Tensor, nn
from transformers import Qwen3VLVisionModel

from engine.planning import PromptEncoder
from engine.towers import OmniModel
from pocket.train.flow.encoding import encoding
from pocket.train.flow.modes import BatchMaker, Mode
from pocket.train.flow.pointing import Pointer, Squares
from pocket.train.flow.sample_store import Drawer, Samples
from pocket.train.lessons.error import LessonSteps, Student
from pocket.train.loop import Options, State, needed_state, train
from pocket.train.reasoner import Lessons, read_reasoner, read_tokenizer
from pocket.train.shards import Make, Source, make_episodes, rendering
from pocket.train.tokenizing import tokenizer_folder
from pocket.train.waiting import fill
from tuning.ahead import Ahead
from tuning.flow.error import FlowSteps, Term
from tuning.flow.levels import Levels

PICTURES, GENERATOR = "pictures", "generator"

SHARES: dict[str, dict[Mode, float]] = {
    PICTURES: {"t2i": 0.72, "still_transfer": 0.08, "act": 0.2},
    GENERATOR: {
        "t2i": 0.4,
        "t2v": 0.09,
        "i2v": 0.08,
        "v2v": 0.03,
        "still_transfer": 0.04,
        "transfer": 0.1,
        "hand_fd": 0.01,
        "hand_id": 0.01,
        "fd": 0.06,
        "id": 0.015,
        "policy": 0.065,
        "act": 0.1,
    },
}
"""Of steps. The report's curriculum: what a single frame shows first, then its mixture (table 6) with more pictures,
and with no more actions than the renderers have scenes for: asked sixty times of each, they were learnt by heart."""

SOURCES: dict[Source, float] = {"still": 0.25, "clip": 0.22, "policy": 0.12, "glance": 0.19, "beginnings": 0.22}
"""Of the renderers' time, in both stages: the second begins with what the first has waited for."""

ACTION_RATE = 3.0
"""On the learning rate of what is of actions alone; the report has 5 where policies are taught alone (4.2.5)."""

LEVELS = Levels(action_weight=2.0)
"""The report weighs actions by 10 (4.2.2), for values in rad; in the units of `pocket.train.acting` squares are some 20
times as large, and what is much larger than the loss of pictures slows them: Adam goes by the largest."""

ENCODED_EVERY = 4
"""Steps between two shards that are encoded here, where no processes do that."""


class Pupil(nn.Module):
    """What these stages train: of the towers the generator, and the rest where the reasoner learns along.

    Attributes:
        pointer: says of policies where things are, left out of a checkpoint.
        squares: says of pictures what stands where, left out as well.
    """

    def __init__(self, model: OmniModel, student: Student | None) -> None:
        super().__init__()
        self.generator, self.student = model.generator, student
        self.pointer = Pointer(model.config.hidden_size).to(model.device)
        self.squares = Squares(model.config.hidden_size).to(model.device)

    @property
    def terms(self) -> dict[str, Term]:
        """By mode, what is asked beside the velocity."""
        return {"policy": self.pointer, "act": self.pointer, "t2i": self.squares}


def run(options: Options, stage: str = GENERATOR, make: Make = make_episodes, *, reasoner_rate: float = 0.0) -> State:
    """Train it; the generator stage begins with what the pictures stage has made.

    Args:
        reasoner_rate: factor on the reasoner's learning rate; 0 leaves it as it is.

    Raises:
        BadInput: a stage before has not run.
    """
    model, sight = read_towers(options, before=stage)
    student = Student(model, sight)
    learns_along = reasoner_rate > 0
    student.requires_grad_(learns_along)
    pupil = Pupil(model, student if learns_along else None)
    if stage == GENERATOR:
        before = needed_state(options.out, PICTURES)
        pupil.pointer.load_state_dict(_part_of(before, "pointer."))
        pupil.squares.load_state_dict(_part_of(before, "squares."))
    config = model.config
    maker = BatchMaker(
        PromptEncoder(read_tokenizer(options)),
        patch=config.latent_patch_size,
        sound_width=config.sound_dim or 0,
        action_width=config.action_dim or 0,
    )
    samples = Samples(options, tuple(SOURCES))

    def refill(step: int) -> None:
        if options.encoders or step % ENCODED_EVERY == 0:
            samples.take()

    drawer = Drawer(samples, maker, SHARES[stage], options.batch)
    batches = Ahead(drawer.draw, options.seed, refill)
    with ExitStack() as ending:
        lessons = Lessons(options, tokenizer_folder(options.out)) if learns_along else None
        ending.enter_context(closing(samples))
        ending.enter_context(closing(batches))
        taught_beside = None
        if lessons is not None:
            ending.enter_context(closing(lessons))
            taught_beside = ending.enter_context(closing(lessons.ahead(max(1, options.batch // 8))))
        ending.enter_context(
            rendering(options.data, SOURCES, options.workers, options.shard_size, make, stage=stage, seed=options.seed)
        )
        ending.enter_context(encoding(options, tuple(SOURCES)) if options.encoders else nullcontext())
        fill(samples.take, options, lambda: bool(drawer.modes))
        if lessons is not None:
            fill(lessons.take, options)

        def settle() -> None:
            for drawn in (batches, taught_beside):
                if drawn is not None:
                    drawn.settle()

        steps = FlowSteps(
            model,
            pupil,
            LEVELS,
            trains_reasoner=learns_along,
            terms=pupil.terms,
            settle=settle,
        )
        lesson_steps = LessonSteps(model, student, settle=settle)

        def loss(step: int) -> tuple[Tensor, dict[str, float | Tensor]]:
            value, shown = steps.loss(batches.take(step))
            if taught_beside is not None:
                taught, of_lessons = lesson_steps.loss(taught_beside.take(step))
                value, shown = value + taught, {**shown, **of_lessons}
            return value, shown

        faster = [("generator.action.", ACTION_RATE)]
        if learns_along:
            faster.append(("student.", reasoner_rate))
        return train(stage, pupil, loss, options, faster=faster, muon=True, notes={"learns_along": learns_along})


def read_towers(options: Options, before: str) -> tuple[OmniModel, Qwen3VLVisionModel]:
    """Both towers and the vision encoder as the stages before one have left them, on the device.

    A reasoner that has learnt along in one stage is what the next one begins with, though that may leave it as it is.

    Raises:
        BadInput: one of those stages has not run.
    """
    model, sight = read_reasoner(options)
    if before == GENERATOR:
        load_generator(model, Student(model, sight), needed_state(options.out, PICTURES))
    return model, sight


def _part_of(state: State, start: str) -> dict[str, Tensor]:
    return {name.removeprefix(start): value for name, value in state.average.items() if name.startswith(start)}


def load_generator(model: OmniModel, student: Student, state: State) -> None:
    """Put what either stage has made into the towers, the reasoner too where it learnt along."""
    learns_along = bool(state.notes["learns_along"])
    pupil = Pupil(model, student if learns_along else None)
    pupil.load_state_dict(state.average)
