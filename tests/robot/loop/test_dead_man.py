from robot.loop import DeadMan


def test_a_page_that_falls_silent_is_lost_after_half_a_second():
    dead_man = DeadMan(required=False)
    dead_man.beat(10.0)

    assert not dead_man.lost(10.5)
    assert dead_man.lost(10.51)


def test_where_nobody_ever_beat_it_is_lost_only_if_a_beat_is_required():
    assert DeadMan(required=True).lost(0.0)
    assert not DeadMan(required=False).lost(0.0)


def test_a_page_that_gave_control_back_need_not_beat():
    dead_man = DeadMan(required=False)
    dead_man.beat(10.0)
    dead_man.release()

    assert not dead_man.lost(99.0)
