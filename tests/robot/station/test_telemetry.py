import json

import numpy as np
import pytest

from robot.clock import Tick
from robot.commands import Run
from robot.station.telemetry import Meter
from robot_fakes import Reply, Rig, stay, sway


def measured(rig: Rig) -> Meter:
    meter = Meter()
    rig.loop._listeners = (rig.reports.append, meter)  # type: ignore
    return meter


def test_a_run_is_summed_up():
    rig = Rig(lambda seen: Reply(0.45, stay()))
    meter = measured(rig)
    rig.start(Run(horizon=16))

    rig.seconds(20)
    summary = meter.summary()

    assert summary.rate_hz == pytest.approx(15)
    assert summary.latency_p95_s == pytest.approx(7 / 15)
    assert summary.largest_gapless_horizon == 25
    assert summary.jump_max_rad == 0
    assert summary.num_late == summary.num_missed == 0
    assert summary.num_gaps == 7
    assert summary.num_played == summary.num_ticks - summary.num_gaps - 1
    assert json.loads(json.dumps(summary.to_json()))["num_played"] == summary.num_played


def test_clamps_are_counted_by_joint_and_kind():
    rig = Rig(lambda seen: Reply(0.1, sway(2, speed_rad_s=3.0)))
    meter = measured(rig)
    rig.start()

    rig.seconds(0.6)
    summary = meter.summary()

    assert summary.num_clamped_acceleration[2] > 0
    assert summary.num_clamped_acceleration[0] == 0
    assert 0 < summary.clamped_share <= 1


def test_late_and_missed_ticks_are_counted():
    rig = Rig()
    meter = measured(rig)
    rig.tick(3)
    now = rig.clock.now()
    rig.loop.run_tick(Tick(9, now, now + 0.02, num_missed=4))

    assert meter.summary().num_late == 1
    assert meter.summary().num_missed == 4
    assert meter.summary().lateness_max_ms == pytest.approx(20)


def test_before_the_first_turn_there_is_nothing_to_say():
    summary = Meter().summary()

    assert summary.num_ticks == 0
    assert summary.latency_p95_s is None
    assert np.sum(summary.num_clamped_soft) == 0


def test_what_a_self_test_times_counts_before_the_first_run():
    meter = Meter()
    for seconds in (0.4, 0.5):
        meter.add_latency(seconds)
    summary = meter.summary()
    assert summary.latency_p50_s == pytest.approx(0.45)
    assert summary.largest_gapless_horizon is not None
