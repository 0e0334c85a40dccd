"""Which sequences a step sees."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tuning.generator.clips import Clip
from tuning.generator.drawing import Drawer
from tuning.generator.records import Window


def clip(name: str, *, is_image: bool = False) -> Clip:
    window = Window(name, Path(name), 0, None, 1, None, name, is_structured=False, is_image=is_image)
    return Clip(window, (0,) if is_image else tuple(range(9)), None if is_image else 10.0, (256, 256))


VIDEOS = [clip(f"v{index}") for index in range(5)]
IMAGES = [clip(f"i{index}", is_image=True) for index in range(3)]


def test_a_step_is_a_function_of_the_seed_and_the_step():
    one, other = (Drawer(VIDEOS, {"t2v": 1, "i2v": 1}, 0.1, 4, seed=1) for _ in range(2))
    later = [other.draw(step) for step in (7, 3, 5)]
    assert [one.draw(step) for step in (7, 3, 5)] == later
    assert Drawer(VIDEOS, {"t2v": 1, "i2v": 1}, 0.1, 4, seed=2).draw(3) != one.draw(3)


def test_every_video_comes_once_before_any_comes_again():
    drawer = Drawer(VIDEOS, {"t2v": 1}, 0.0, 5, seed=0)
    orders = [[draw.clip.window.name for draw in drawer.draw(step)] for step in range(4)]
    assert all(sorted(order) == sorted({draw.window.name for draw in VIDEOS}) for order in orders)
    assert len({tuple(order) for order in orders}) > 1


def test_modes_images_and_dropped_texts_come_in_their_shares():
    modes = {"t2i": 0.25, "t2v": 0.5, "i2v": 0.25}
    drawer = Drawer([*VIDEOS, *IMAGES], modes, 0.1, 40, seed=0)
    draws = [draw for step in range(50) for draw in drawer.draw(step)]
    counts = Counter(draw.mode for draw in draws)
    assert counts["t2i"] == 500
    assert abs(counts["t2v"] - 1000) < 60
    assert abs(sum(draw.dropped for draw in draws) - 200) < 45
    assert all(draw.clip.window.is_image == (draw.mode == "t2i") for draw in draws)


def test_without_images_every_sequence_is_a_video():
    drawer = Drawer(VIDEOS, {"t2i": 0.5, "t2v": 0.5}, 0.0, 10, seed=0)
    assert {draw.mode for draw in drawer.draw(0)} == {"t2v"}
