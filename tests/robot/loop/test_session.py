import pytest

from robot.commands import Run
from robot.faults import StopReason
from robot.loop import Session
from robot.loop.session import MOVES
from studio.errors import Conflict


def test_a_robot_that_has_not_passed_its_self_test_does_not_start():
    with pytest.raises(Conflict, match="idle") as caught:
        Session().start(Run())

    assert "self-test" in caught.value.hint


def test_recovering_does_not_stand_in_for_the_self_test():
    session = Session()
    session.stop(StopReason.BUTTON)
    session.recover()
    assert session.view.state == "idle"

    session.ready()
    session.stop(StopReason.BUTTON)
    session.recover()
    assert session.view.state == "ready"


def test_a_fault_is_left_only_by_recovering():
    session = Session()
    session.ready()
    session.start(Run())
    session.stop(StopReason.TOO_FAR)

    for forbidden in (session.resume, session.hold, session.play, session.finish, session.ready):
        with pytest.raises(Conflict):
            forbidden()
    session.stop(StopReason.BUTTON)
    assert session.view.state == "fault"

    session.recover()
    assert session.view.state == "ready"


def test_every_stop_hold_resume_and_instruction_begins_an_epoch():
    session = Session()
    session.ready()
    epochs = [session.view.epoch]
    for change in (
        lambda: session.start(Run()),
        session.hold,
        session.resume,
        lambda: session.instruct("something else"),
        lambda: session.stop(StopReason.BUTTON),
        session.resume,
        session.finish,
    ):
        change()
        epochs.append(session.view.epoch)

    assert epochs == sorted(set(epochs))


def test_waiting_for_rows_and_playing_again_do_not():
    session = Session()
    session.ready()
    session.start(Run())
    epoch = session.view.epoch

    session.wait("policy")
    session.wait("connection")
    assert session.view.state == "holding"
    assert session.view.hold == "connection"
    session.play()

    assert session.view.epoch == epoch
    assert session.view.hold is None


def test_an_automatic_hold_is_not_resumed_by_a_person():
    session = Session()
    session.ready()
    session.start(Run())
    session.wait("policy")

    with pytest.raises(Conflict):
        session.resume()


def test_a_stop_is_possible_from_everywhere():
    assert all("stopped" in moves or state == "fault" for state, moves in MOVES.items())
    assert all("fault" in moves for moves in MOVES.values())
