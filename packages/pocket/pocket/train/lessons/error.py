"""What the reasoner's stage trains, and how wrong its answers are over a batch of lessons."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from transformers import Qwen3VLVisionModel

from engine.towers import OmniModel
from pocket.train.lessons.batch import LessonBatch
from pocket.train.lessons.seeing import SEEING_WEIGHT, Naming
from pocket.train.lessons.sight import cut, look
from tuning.passes import read
from tuning.reasoner.words import word_errors
from tuning.recorded import Recorded


class Student(nn.Module):
    """Of the towers the reasoner, and the vision encoder.

    Attributes:
        naming: says what the encoder sees, see `pocket.train.lessons.seeing`; left out of a checkpoint.
    """

    def __init__(self, model: OmniModel, sight: Qwen3VLVisionModel) -> None:
        super().__init__()
        self.reasoner, self.sight = model.reasoner, sight
        self.naming = Naming(model.config.hidden_size).to(model.device)


QUESTION_WEIGHT = 0.1
"""Of the words of questions, beside those of answers: the generator reads such words too."""


class LessonError:
    """Cross-entropy of the answers' words, a little of the questions', and of what is seen, of lessons that show alike.

    Args:
        student: what answers.
        grid: of what they show; none where that is nothing.
    """

    def __init__(self, model: OmniModel, student: Student, grid: tuple[int, int, int] | None) -> None:
        self._model, self._student, self._grid = model, student, grid

    def __call__(self, *posed: Tensor) -> tuple[Tensor, ...]:
        """What `LessonBatch.posed` is → the loss, that of answers, how many of their words are right, 0 to 1.

        And where something is shown the error of what is seen in it.
        """
        tokens, positions, lengths, before_answer, before_question, *shown = posed
        x = self._model.reasoner.embed_tokens(tokens)
        deep: tuple[Tensor, ...] = ()
        seeing: tuple[Tensor, ...] = ()
        if self._grid is not None:
            frames, places, squares = shown
            features, seen = look(self._student.sight, cut(frames), self._grid)
            seeing = (self._student.naming.error(features, squares),)
            index = places[:, :, None].expand(-1, -1, x.shape[-1])
            x = x.scatter(1, index, features.to(x.dtype))
            deep = tuple(torch.zeros_like(x).scatter(1, index, part.to(x.dtype)) for part in seen)
        out, _ = read(self._model, x, positions, lengths, deep, whole=True)
        # Of all tokens, asked for or not: shapes that hang on what is asked could not be recorded.
        errors, is_right = word_errors(self._model.reasoner, out[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        of_answers, of_questions = (part[:, :-1].flatten() for part in (before_answer, before_question))
        answers, questions = _mean(errors, of_answers), _mean(errors, of_questions)
        right = _mean(is_right, of_answers)
        loss = answers + QUESTION_WEIGHT * questions + SEEING_WEIGHT * sum(seeing)
        return loss, answers.detach(), right, *(part.detach() for part in seeing)


class LessonSteps:
    """What a step of lessons minimises; on a GPU it is recorded for each form of a batch.

    Args:
        student: what answers; gradients reach its parameters.
        settle: see `Recorded`.
    """

    def __init__(self, model: OmniModel, student: Student, *, settle: Callable[[], None]) -> None:
        self._model, self._student = model, student
        self._recorded = Recorded(student, settle)

    def loss(self, batch: LessonBatch) -> tuple[Tensor, dict[str, float | Tensor]]:
        """The loss of a batch, and what the curves show of it."""
        error = LessonError(self._model, self._student, batch.grid)
        loss, *told = self._recorded((batch.grid, batch.tokens.shape), error, *batch.posed)
        return loss, dict(zip(("answers", "right", "seeing"), told, strict=False))


def _mean(values: Tensor, counts: Tensor) -> Tensor:
    """Of those that count; 0 where none does."""
    return (values * counts).sum() / counts.sum().clamp_min(1)
