"""A limit of divergence under a clock that stands still: it holds, says why, and only a person resumes."""

from dataclasses import dataclass, field

import numpy as np

from robot.commands import Resume, Run
from robot.foresight import Divergence, Foreseen, Moment
from robot_fakes import Reply, Rig, sway

PICTURE = np.zeros((540, 640, 3), np.uint8)


@dataclass
class ToldForesight:
    """Says what a test tells it, of the very moment that it is asked about."""

    motion: float | None = 0.1
    asked: list[Moment] = field(default_factory=list)
    num_forgotten: int = 0

    def look(self, moment: Moment) -> Foreseen | None:
        self.asked.append(moment)
        if self.motion is None:
            return None
        return Foreseen(moment, round(moment.row), PICTURE, Divergence((20.0, 20.0, 20.0), (0.0, self.motion, 0.0)))

    def forget(self) -> None:
        self.num_forgotten += 1


def running(foresight: ToldForesight, **run: object) -> Rig:
    rig = Rig(lambda seen: Reply(0.2, sway()), foresight=foresight)
    rig.start(Run.model_validate({"prompt": "lift", **run}))
    rig.seconds(1)
    return rig


def test_beyond_the_limit_for_so_many_ticks_the_arm_holds_until_a_person_resumes():
    foresight = ToldForesight()
    rig = running(foresight, divergence_limit=0.5, divergence_ticks=4)
    assert rig.state == "running"

    foresight.motion = 0.9
    rig.tick(3)
    assert rig.state == "running"
    rig.tick()
    assert (rig.state, rig.loop.view.hold) == ("holding", "divergence")
    assert "exterior view 1" in rig.loop.view.words
    assert "0.90 for 4 ticks, limit 0.5" in rig.loop.view.words
    assert rig.codes().count("divergence") == 1

    num_asked = len(rig.policy.asked)
    foresight.motion = 0.0
    rig.seconds(30)
    assert (rig.state, rig.loop.view.hold) == ("holding", "divergence")
    assert len(rig.policy.asked) == num_asked
    assert rig.arm.calls[-1] == "hold"

    rig.tell(Resume()).result(0)
    rig.seconds(1)
    assert rig.state == "running"


def test_one_tick_within_the_limit_begins_the_count_anew():
    foresight = ToldForesight()
    rig = running(foresight, divergence_limit=0.5, divergence_ticks=4)

    for _ in range(10):
        foresight.motion = 0.9
        rig.tick(3)
        foresight.motion = 0.4
        rig.tick()

    assert rig.state == "running"


def test_without_a_limit_nothing_holds():
    foresight = ToldForesight(motion=2.0)
    rig = running(foresight, foresee=True)

    rig.seconds(3)

    assert rig.state == "running"
    assert rig.reports[-1].foreseen is not None


def test_foreseeing_that_never_says_anything_changes_no_tick():
    silent = running(ToldForesight(motion=None), divergence_limit=0.5)
    without = Rig(lambda seen: Reply(0.2, sway()))
    without.start(Run(prompt="lift"))
    without.seconds(1)

    for rig in (silent, without):
        rig.seconds(5)

    assert silent.state == "running"
    assert np.array_equal(silent.arm.targets, without.arm.targets)


def test_the_row_that_is_asked_about_is_how_many_were_played_since_the_observation():
    foresight = ToldForesight()
    running(foresight)

    first, *_ = foresight.asked
    assert first.row == 0 or first.row.is_integer()
    of_one_chunk = [moment.row for moment in foresight.asked if moment.chunk_tick == first.chunk_tick]
    assert of_one_chunk == [first.row + index for index in range(len(of_one_chunk))]


def test_in_shadow_nothing_is_compared():
    foresight = ToldForesight(motion=2.0)
    rig = running(foresight, mode="shadow", divergence_limit=0.5)

    assert not foresight.asked
    assert rig.state == "running"


def test_an_old_comparison_is_counted_once():
    foresight = ToldForesight(motion=None)
    rig = running(foresight, divergence_limit=0.5, divergence_ticks=2)
    old = foresight.asked[-1]
    stale = Foreseen(old, 3, PICTURE, Divergence((9.0, 9.0, 9.0), (1.0, 1.0, 1.0)))
    foresight.look = lambda moment: stale  # type: ignore[method-assign]

    rig.tick(6)

    assert rig.state == "running"
