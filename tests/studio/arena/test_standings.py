"""Rankings: who is placed, who is not and why."""

from collections.abc import Callable

from studio.arena import Vote, draw_up_standings, rank_votes
from studio.arena.standings import MIN_VOTES

Make = Callable[..., Vote]


def test_who_wins_more_is_placed_first_with_an_interval_around_the_rating(vote: Make):
    votes = [vote("nano", "super", "right") for _ in range(30)] + [vote("super", "nano", "right") for _ in range(3)]

    first, second = rank_votes(votes, "overall")

    assert (first.contestant, first.rank, first.wins, first.losses) == ("super", 1, 30, 3)
    assert (second.contestant, second.rank) == ("nano", 2)
    assert first.low is not None
    assert first.high is not None
    assert second.high is not None
    assert first.low < (first.rating or 0) < first.high
    assert first.low > second.high


def test_what_cannot_be_told_apart_shares_a_place(vote: Make):
    votes = [vote("a", "b", said) for said in ("left", "right", "tie", "bad") * 5]

    first, second = rank_votes(votes, "overall")

    assert (first.rank, second.rank) == (1, 1)
    assert (first.wins, first.losses, first.ties, first.bad, first.num_votes) == (5, 5, 5, 5, 20)
    assert first.rating == second.rating == 1000


def test_nine_votes_are_not_enough_and_ten_are(vote: Make):
    votes = [vote("a", "b") for _ in range(MIN_VOTES - 1)]

    assert {(row.rating, row.why) for row in rank_votes(votes, "overall")} == {(None, "few_votes")}
    assert all(row.rating is not None for row in rank_votes([*votes, vote("a", "b")], "overall"))


def test_a_contestant_that_never_met_the_others_has_no_place_among_them(vote: Make):
    apart = [vote("x", "y") for _ in range(10)]
    together = [vote("a", "b") for _ in range(10)] + [vote("b", "c") for _ in range(10)]

    why = {row.contestant: row.why for row in rank_votes(apart + together, "overall")}

    assert why == {"a": None, "b": None, "c": None, "x": "never_met", "y": "never_met"}


def test_a_table_for_each_axis_over_all_domains_and_for_each(vote: Make):
    both = {"prompt": "left", "overall": "tie"}
    votes = [vote("a", "b", domain="robot", choices=both), vote("a", "b", domain="driving")]

    drawn = draw_up_standings(votes)

    tables = {(table.axis, table.domain): table.num_votes for table in drawn.tables}
    assert tables == {
        ("prompt", ""): 1,
        ("prompt", "robot"): 1,
        ("overall", ""): 2,
        ("overall", "driving"): 1,
        ("overall", "robot"): 1,
    }


def test_reasoners_do_not_rank_unless_they_are_asked_to(vote: Make):
    votes = [vote("a", "b"), vote("a", "b", by="reasoner", voter="speck"), vote("1", "2", contest="sampling.seed")]

    counted = {
        voters: draw_up_standings(votes, None, voters).num_votes for voters in ("person", "reasoner", "everybody")
    }

    assert counted == {"person": 1, "reasoner": 1, "everybody": 2}
    assert [contest.name for contest in draw_up_standings(votes).contests] == ["checkpoint", "sampling.seed"]


def test_no_votes_are_an_empty_ranking():
    drawn = draw_up_standings([])

    assert (drawn.contest, drawn.tables, drawn.agreement) == ("", (), ())
