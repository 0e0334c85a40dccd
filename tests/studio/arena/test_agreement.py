"""How far reasoners vote as people do."""

from collections.abc import Callable

import pytest

from studio.arena import Vote, agreements

Make = Callable[..., Vote]


def test_sides_that_were_shown_the_other_way_round_are_the_same_answer(vote: Make):
    votes = [vote("a", "b", "left", pair=7), vote("b", "a", "right", pair=7, by="reasoner", voter="judge")]

    (found,) = agreements(votes, ("overall",))

    assert (found.voter, found.num_pairs, found.share) == ("judge", 1, 1.0)


def test_several_people_on_a_pair_count_as_one_pair(vote: Make):
    votes = [vote("a", "b", said, pair=7, voter=said) for said in ("left", "left", "tie", "bad")]
    votes.append(vote("a", "b", "left", pair=7, by="reasoner", voter="judge"))
    votes.append(vote("a", "b", "left", pair=8, by="reasoner", voter="judge"))

    with_people, among_people = agreements(votes, ("overall", "prompt"))

    assert (with_people.num_pairs, with_people.share) == (1, 0.5)
    assert (among_people.voter, among_people.share) == ("", pytest.approx(1 / 6))
