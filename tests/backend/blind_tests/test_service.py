"""Blind tests over one database: kept once, undone, refused, and what a person is shown."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.blind_tests import BlindTestService
from backend.blind_tests.store import BlindTestStore
from backend.database import Database, open_database
from backend.media import MediaStore
from library_rows import put
from studio.blind_tests import AddBlindPair, BlindTest, CreateBlindTest, GiveVerdict, ordered
from studio.errors import BadInput, Conflict, MediaNotFound, PairNotFound, StudyNotFound, VoteNotFound
from studio.requests import parse_as

VIDEOS = {"base": "u00000000000000b1", "tuned": "u00000000000000b2"}
STILL, GONE = "u00000000000000b3", "u00000000000000b4"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "orrery.db")
    with database.transaction() as session:
        for name in (*VIDEOS.values(), GONE):
            put(session, name, type="video", mime="video/mp4", checkpoint=None, job_id=None)
        put(session, STILL, checkpoint=None, job_id=None)
    store = MediaStore(tmp_path / "media")
    for name in VIDEOS.values():
        path = store._place(name, ".mp4")  # pyright: ignore[reportPrivateUsage]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"video")
    yield database
    database.close()


def service(database: Database, folder: Path) -> BlindTestService:
    return BlindTestService(BlindTestStore(database), MediaStore(folder / "media"), lambda: None)


def pair(task: str, **changes: Any) -> AddBlindPair:
    episodes = [{"policy": name, "videos": [video]} for name, video in VIDEOS.items()]
    return parse_as(AddBlindPair, {"id": task, "task": "Lift the cup.", "episodes": episodes, **changes})


def verdict(number: int, **changes: Any) -> GiveVerdict:
    said = {"pair": number, "better": "first", "progress": [1.0, 0.25], "rater": "ada"}
    return parse_as(GiveVerdict, {**said, **changes})


async def begun(own: BlindTestService, *tasks: str) -> BlindTest:
    test = await own.create(CreateBlindTest(policies=("base", "tuned"), seed=5))
    for task in tasks:
        await own.add_pair(test.id, pair(task))
    return await own.get(test.id)


def test_a_person_sees_every_pair_once_in_the_drawn_order_without_names(database: Database, tmp_path: Path):
    async def act() -> None:
        own = service(database, tmp_path)
        test = await begun(own, "a", "b", "c")
        tasks = {each.number: each.id for each in (await own.pairs(test.id)).pairs}
        seen: set[int] = set()
        while (card := (await own.next(test.id, "ada")).card) is not None:
            first, second = ordered(test, tasks[card.pair])
            assert [side[0].id for side in card.sides] == [VIDEOS[first], VIDEOS[second]]
            assert not {"base", "tuned"} & set(card.model_dump_json().split('"'))
            seen.add(card.pair)
            await own.judge(test.id, verdict(card.pair))
        assert seen == {1, 2, 3}
        assert (await own.next(test.id, "ben")).num_left == 3
        assert (await own.get(test.id)).num_verdicts == 3

    asyncio.run(act())


def test_a_verdict_is_kept_once_undone_and_given_anew(database: Database, tmp_path: Path):
    async def act() -> None:
        own = service(database, tmp_path)
        test = await begun(own, "a")
        kept = await own.judge(test.id, verdict(1))
        assert await own.judge(test.id, verdict(1)) == kept
        with pytest.raises(Conflict, match="judged this pair already"):
            await own.judge(test.id, verdict(1, better="tie"))
        last = (await own.next(test.id, "ada")).last
        assert last == kept
        await own.undo(test.id, kept.id)
        with pytest.raises(VoteNotFound):
            await own.undo(test.id, kept.id)
        assert (await own.next(test.id, "ada")).num_left == 1
        await own.judge(test.id, verdict(1, better="tie"))
        scores = await own.scores(test.id)
        assert [(each.ties, each.wins) for each in scores.policies] == [(1, 0), (1, 0)]

    asyncio.run(act())


def test_a_task_is_kept_once(database: Database, tmp_path: Path):
    async def act() -> None:
        own = service(database, tmp_path)
        test = await begun(own, "a")
        again = await own.add_pair(test.id, pair("a"))
        assert (again.number, (await own.get(test.id)).num_pairs) == (1, 1)
        turned = [{"policy": name, "videos": [VIDEOS["base"]]} for name in VIDEOS]
        with pytest.raises(Conflict, match="other episodes already"):
            await own.add_pair(test.id, pair("a", episodes=turned))

    asyncio.run(act())


@pytest.mark.parametrize(
    ("second", "error", "says"),
    [
        ({"policy": "other", "videos": [VIDEOS["base"]]}, BadInput, "expected one of each of base, tuned"),
        ({"policy": "base", "videos": [VIDEOS["base"]]}, BadInput, "expected one of each of base, tuned"),
        ({"policy": "tuned", "videos": ["u00000000000000ff"]}, MediaNotFound, "no item"),
        ({"policy": "tuned", "videos": [STILL]}, BadInput, "expected a video"),
    ],
)
def test_episodes_that_are_none_of_the_test_are_refused(
    database: Database, tmp_path: Path, second: dict[str, Any], error: type[Exception], says: str
):
    async def act() -> None:
        own = service(database, tmp_path)
        test = await begun(own)
        episodes = [{"policy": "base", "videos": [VIDEOS["base"]]}, second]
        with pytest.raises(error, match=says):
            await own.add_pair(test.id, pair("a", episodes=episodes))

    asyncio.run(act())


def test_a_pair_whose_video_is_gone_is_not_shown(database: Database, tmp_path: Path):
    async def act() -> None:
        own = service(database, tmp_path)
        test = await begun(own)
        episodes = [{"policy": "base", "videos": [VIDEOS["base"]]}, {"policy": "tuned", "videos": [GONE]}]
        await own.add_pair(test.id, pair("a", episodes=episodes))
        assert (await own.next(test.id, "ada")).card is None

    asyncio.run(act())


def test_scores_of_all_tests_are_those_of_their_verdicts_together(database: Database, tmp_path: Path):
    async def act() -> None:
        own = service(database, tmp_path)
        for _ in range(2):
            test = await begun(own, *"abcde")
            for number in range(1, 6):
                await own.judge(test.id, verdict(number, better="tie"))
        assert (await own.scores(test.id)).policies[0].rating is None
        together = await own.scores(None)
        assert [(each.rating, each.ties) for each in together.policies] == [(1000, 10), (1000, 10)]

    asyncio.run(act())


def test_what_is_not_there_is_said(database: Database, tmp_path: Path):
    async def act() -> None:
        own = service(database, tmp_path)
        with pytest.raises(StudyNotFound):
            await own.next("none", "ada")
        test = await begun(own, "a")
        with pytest.raises(PairNotFound):
            await own.judge(test.id, verdict(2))
        await own.remove(test.id)
        with pytest.raises(StudyNotFound):
            await own.get(test.id)

    asyncio.run(act())
