"""Tables and instructions are a function of the seed, and each names one object."""

import pytest

from robot.evaluation.scenes import table_benchmark, task_of
from robot.scripted.instruction import understand
from robot.simulation.scene import Scene
from robot.simulation.world import World
from robot_fakes import FakeClock
from studio.evaluation import content_hash
from studio.evaluation.forms import check

LEVELS = ("vague", "default", "specific")


def test_the_same_seed_has_the_same_items_and_another_one_others():
    first, again, other = (table_benchmark(3, LEVELS, seed) for seed in (0, 0, 1))

    check(first)
    assert content_hash(first) == content_hash(again) != content_hash(other)
    assert len(first.items) == 9
    assert [item.category for item in first.items[:3]] == list(LEVELS)
    assert first.items[0].reference == first.items[1].reference == first.items[2].reference


def test_more_tables_begin_with_the_same_ones():
    assert table_benchmark(3, LEVELS, 0).items == table_benchmark(5, LEVELS, 0).items[:9]


@pytest.mark.parametrize("seed", [0, 7])
def test_every_level_names_the_object_of_the_table_and_no_other(plain_scene: Scene, seed: int):
    for item in table_benchmark(4, LEVELS, seed).items:
        task = task_of(item)
        objects = World(plain_scene, seed=task.scene, clock=FakeClock()).object_poses()

        assert objects[task.thing].name == item.reference
        assert understand(task.instruction, objects).thing is objects[task.thing]
