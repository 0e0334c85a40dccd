from __future__ import annotations

import numpy as np

from pocket.train.lessons.batch import places_before
from pocket.train.lessons.writing import Lesson


def lesson(length: int, answer_at: int, places: list[int]) -> Lesson:
    return Lesson(
        tokens=np.arange(length, dtype=np.int32),
        answer_at=answer_at,
        positions=np.zeros((3, length), np.float32),
        places=np.array(places, np.int64),
        frames=None,
        squares=None,
    )


def test_words_are_asked_for_where_one_follows_and_pictures_never():
    """Tokens 2 and 3 of the first stand for a picture; its answer is 5, 6 and 7. Rows have places for nine."""
    answers, questions = places_before([lesson(8, 5, [2, 3]), lesson(4, 2, [])], 9)
    assert answers.ravel().nonzero()[0].tolist() == [4, 5, 6, 9 + 1, 9 + 2]
    assert questions.ravel().nonzero()[0].tolist() == [0, 3, 9 + 0]
