"""Pairs found in a library, votes that count once, and a reasoner beside people."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import delete

from backend.arena import ArenaService
from backend.arena.pairing import Match, Pairing, Wish, left_of
from backend.broadcast import LibraryNews
from backend.database import Database, open_database
from backend.database.tables import AnswerRow, ArtefactRow, QuestionRow, VoteRow
from backend.jobs.ledger import Accepted, Ledger
from backend.library.recording import Origin, add_artefact
from backend.media import MediaStore
from library_rows import reference
from studio.arena import CastVote, NextPair
from studio.errors import BadInput, Conflict, PairNotFound, VoteNotFound
from studio.requests import GenerateImage


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "orrery.db")
    yield database
    database.close()


@pytest.fixture
def lost() -> set[str]:
    """Artefacts whose files are gone."""
    return set()


def store_without(lost: set[str]) -> MediaStore:
    return cast("MediaStore", SimpleNamespace(holds=lambda name, mime: name not in lost))


@pytest.fixture
def arena(database: Database, lost: set[str]) -> ArenaService:
    return ArenaService(database, cast("LibraryNews", SimpleNamespace(revision=0)), store_without(lost))


def made(database: Database, job_id: str, checkpoint: str = "speck", **fields: Any) -> str:
    """A picture of a job that has succeeded, as far as the arena looks."""
    sampling = {"seed": 0, **fields.pop("sampling", {})}
    request = GenerateImage.model_validate({"prompt": "a robot arm", "sampling": sampling, **fields})
    Ledger(database).insert(Accepted(job_id, request, checkpoint))
    name = f"{job_id}-0"
    said = request.model_dump(mode="json")
    origin = Origin(kind=request.kind, job_id=job_id, checkpoint=checkpoint, request=said)
    with database.transaction() as session:
        add_artefact(session, reference(name, seed=request.sampling.seed), origin)
    return name


def pairs(database: Database, *lost: str) -> dict[str, Match]:
    with database.transaction() as session:
        return Pairing(store_without(set(lost))).pairs(session)


def test_results_that_differ_in_one_thing_alone_are_pairs(database: Database):
    made(database, "a" * 12)
    made(database, "b" * 12, "nano")
    made(database, "c" * 12, sampling={"guidance_scale": 7})
    made(database, "d" * 12, "nano", sampling={"guidance_scale": 9})
    made(database, "e" * 12, sampling={"seed": 5})
    made(database, "f" * 12, prompt="a car on a road")

    found = {(match.first[0], match.second[0]): match for match in pairs(database).values()}

    assert {sides: match.contest for sides, match in found.items()} == {
        ("a", "b"): "checkpoint",
        ("a", "c"): "sampling.guidance_scale",
        ("b", "d"): "sampling.guidance_scale",
    }
    assert dict(found["a", "c"].values) == {f"{'a' * 12}-0": "4", f"{'c' * 12}-0": "7"}
    assert found["a", "b"].domain == "robot"


def test_what_was_made_twice_or_thrown_away_is_paired_once_or_not(database: Database):
    made(database, "a" * 12)
    made(database, "b" * 12)
    made(database, "c" * 12, "nano")
    assert [match.first[0] for match in pairs(database).values()] == ["b"]

    with database.transaction() as session:
        session.query(ArtefactRow).filter(ArtefactRow.id == f"{'c' * 12}-0").one().erasing = True

    assert pairs(database) == {}


def test_what_has_no_file_any_more_is_not_paired_and_an_older_one_of_the_same_stands_for_it(database: Database):
    made(database, "a" * 12)
    newer = made(database, "b" * 12)
    made(database, "c" * 12, "nano")

    assert [match.first[0] for match in pairs(database, newer).values()] == ["a"]


def test_a_pair_that_lost_a_side_is_not_dealt_any_more(database: Database, arena: ArenaService, lost: set[str]):
    for number in "ab":
        made(database, number * 12, prompt=f"cube {number}")
        made(database, f"c{number * 11}", "nano", prompt=f"cube {number}")

    async def act() -> None:
        first = (await arena.next_pair(Wish(), "ada")).pair
        assert first is not None
        lost.add(first.right.id)
        dealt = await arena.next_pair(Wish(), "ada")
        assert dealt.pair is not None
        assert dealt.pair.id != first.id
        assert (dealt.num_pairs, dealt.num_left) == (1, 1)
        with pytest.raises(PairNotFound):
            await arena.pair(first.id, "ada")
        lost.add(dealt.pair.left.id)
        with pytest.raises(PairNotFound):
            await arena.pair(dealt.pair.id, "ada")
        assert (await arena.next_pair(Wish(), "ada")).num_pairs == 0

    asyncio.run(act())


def test_answers_to_one_question_are_pairs(database: Database):
    with database.transaction() as session:
        question = {"text": "What does the robot do?", "max_tokens": 9, "seed": 0}
        session.add(QuestionRow(id="q" * 12, created_at=datetime(2026, 1, 1, tzinfo=UTC), **question))
        for name, text in (("1", "It waits."), ("2", "It lifts."), ("3", None)):
            session.add(AnswerRow(id=name * 12, question_id="q" * 12, reasoner=f"r{name}", text=text))

    (match,) = pairs(database).values()

    assert (match.kind, match.contest, dict(match.values)) == ("answer", "reasoner", {"1" * 12: "r1", "2" * 12: "r2"})


def test_a_pair_says_nothing_of_where_its_sides_come_from(database: Database, arena: ArenaService):
    made(database, "a" * 12)
    made(database, "b" * 12, "nano")

    dealt = asyncio.run(arena.next_pair(Wish(), "ada"))

    assert dealt.pair is not None
    assert "nano" not in dealt.model_dump_json()
    assert "checkpoint" not in dealt.model_dump_json()
    assert dealt.pair.axes == ("prompt", "physics", "geometry", "overall")


def test_a_voter_sees_each_pair_once_and_the_sides_are_drawn(database: Database, arena: ArenaService):
    for number in range(12):
        made(database, f"{number:012x}", prompt=f"cube {number}")
        made(database, f"a{number:011x}", "nano", prompt=f"cube {number}")

    async def vote_on_all() -> tuple[list[str], NextPair]:
        lefts: list[str] = []
        while (dealt := await arena.next_pair(Wish(), "ada")).pair is not None:
            again = await arena.next_pair(Wish(), "ada")
            assert again.pair == dealt.pair
            lefts.append(dealt.pair.left.id)
            await arena.cast(cast_of(dealt))
        return lefts, dealt

    lefts, after = asyncio.run(vote_on_all())

    assert len(lefts) == 12
    assert 0 < sum(name.startswith("a") for name in lefts) < 12
    assert (after.num_pairs, after.num_left) == (12, 0)
    assert asyncio.run(arena.next_pair(Wish(), "bo")).num_left == 12


def cast_of(dealt: NextPair, voter: str = "ada", **choices: str) -> CastVote:
    assert dealt.pair is not None
    said = {"overall": "left", **choices}
    return CastVote.model_validate({"pair": dealt.pair.id, "left": dealt.pair.left.id, "voter": voter, "choices": said})


def test_a_vote_counts_once_until_it_is_taken_back(database: Database, arena: ArenaService):
    made(database, "a" * 12)
    made(database, "b" * 12, "nano")

    async def act() -> None:
        dealt = await arena.next_pair(Wish(), "ada")
        vote = await arena.cast(cast_of(dealt))
        assert await arena.cast(cast_of(dealt)) == vote
        with pytest.raises(Conflict):
            await arena.cast(cast_of(dealt, overall="tie"))
        assert (await arena.standings(None, "person")).num_votes == 1
        revoked = await arena.revoke(vote.id)
        assert revoked.revoked_at is not None
        assert await arena.revoke(vote.id) == revoked
        assert (await arena.standings(None, "person")).num_votes == 0
        assert (await arena.cast(cast_of(dealt, overall="tie"))).id != vote.id
        assert (await arena.list_votes(None, None, revoked=True, limit=9)).total == 2
        with pytest.raises(VoteNotFound):
            await arena.revoke("nothing")

    asyncio.run(act())


def test_votes_of_an_emptied_library_count_no_more(database: Database, arena: ArenaService):
    made(database, "a" * 12)
    made(database, "b" * 12, "nano")

    async def act() -> None:
        await arena.cast(cast_of(await arena.next_pair(Wish(), "ada")))
        assert (await arena.standings(None, "person")).num_votes == 1
        with database.transaction() as session:
            session.execute(delete(VoteRow))
        arena.forget()
        assert (await arena.standings(None, "person")).num_votes == 0
        assert (await arena.next_pair(Wish(), "ada")).num_left == 1

    asyncio.run(act())


def test_votes_that_mean_nothing_are_refused(database: Database, arena: ArenaService):
    made(database, "a" * 12)
    made(database, "b" * 12, "nano")

    async def act() -> None:
        dealt = await arena.next_pair(Wish(), "ada")
        with pytest.raises(BadInput, match="sound"):
            await arena.cast(cast_of(dealt, sound="left"))
        with pytest.raises(BadInput, match="not a side"):
            await arena.cast(cast_of(dealt).model_copy(update={"left": "x"}))
        with pytest.raises(PairNotFound):
            await arena.cast(cast_of(dealt).model_copy(update={"pair": "aaa.bbb"}))

    asyncio.run(act())


def test_an_export_is_a_line_a_vote_that_no_spreadsheet_runs(database: Database, arena: ArenaService):
    made(database, "a" * 12)
    made(database, "b" * 12, "nano")

    async def act() -> str:
        dealt = await arena.next_pair(Wish(), "=1+1")
        await arena.cast(cast_of(dealt, "=1+1"))
        return await arena.export("csv", revoked=False)

    head, line = asyncio.run(act()).splitlines()

    assert head.startswith("id,created_at,voter,by,kind,contest,domain")
    assert ",'=1+1,person,image,checkpoint,robot," in line


def test_the_left_side_is_the_same_each_time_and_another_for_others(database: Database):
    made(database, "a" * 12)
    made(database, "b" * 12, "nano")
    (match,) = pairs(database).values()

    lefts = [left_of(match, "person", f"voter {number}") for number in range(40)]

    assert lefts == [left_of(match, "person", f"voter {number}") for number in range(40)]
    assert 8 < sum(left == match.first for left in lefts) < 32
