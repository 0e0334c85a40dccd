"""Everybody is told, in order; who lags is let go."""

from backend.broadcast import MAX_BACKLOG, MAX_FRAME_BACKLOG, MAX_NEWEST, Broadcast
from studio.wire import unpack_frame


def test_numbers_have_no_gaps_and_everybody_gets_the_same():
    broadcast = Broadcast()

    with broadcast.subscribe() as one, broadcast.subscribe() as two:
        for step in range(3):
            broadcast.publish("jobs", {"step": step}, "a")
        seen = [[subscription.items.get_nowait() for _ in range(3)] for subscription in (one, two)]

    assert seen[0] == seen[1]
    assert [getattr(delta, "seq", None) for delta in seen[0]] == [1, 2, 3]


def test_a_subscriber_that_never_reads_is_dropped_and_knows_it():
    broadcast = Broadcast()

    with broadcast.subscribe() as slow:
        for _ in range(MAX_BACKLOG + 1):
            broadcast.publish("system", {})

        assert slow.lagged
        assert broadcast.num_subscribers == 0


def test_frames_go_to_those_who_want_them_and_keep_up():
    broadcast = Broadcast()

    with broadcast.subscribe() as wants, broadcast.subscribe() as does_not:
        broadcast.want(wants, frozenset({"preview/a"}))
        for _ in range(MAX_FRAME_BACKLOG + 3):
            broadcast.publish_frame("preview/a", b"jpeg")
        frame = wants.items.get_nowait()

        assert isinstance(frame, bytes)
        assert unpack_frame(frame) == ("preview/a", b"jpeg")
        assert wants.items.qsize() == MAX_FRAME_BACKLOG - 1
        assert does_not.items.empty()


def test_who_looks_later_gets_the_newest_frame_at_once_and_only_once():
    broadcast = Broadcast()

    with broadcast.subscribe() as late:
        for picture in (b"first", b"second"):
            broadcast.publish_frame("preview/a", picture)
        for _ in range(2):
            broadcast.want(late, frozenset({"preview/a", "preview/b"}))

        frame = late.items.get_nowait()
        assert isinstance(frame, bytes)
        assert unpack_frame(frame) == ("preview/a", b"second")
        assert late.items.empty()


def test_frames_of_topics_of_long_ago_are_not_kept():
    broadcast = Broadcast()

    for number in range(MAX_NEWEST + 1):
        broadcast.publish_frame(f"preview/{number}", b"jpeg")
    with broadcast.subscribe() as late:
        broadcast.want(late, frozenset({"preview/0"}))
        assert late.items.empty()
        broadcast.want(late, frozenset({"preview/1"}))
        assert late.items.qsize() == 1
