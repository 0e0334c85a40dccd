"""Critics' scores, as a comparison asks for them."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from backend.comparisons.drawing import critic_scores
from backend.database import Database, open_database
from backend.library.erasing import forget_everything
from backend.refining.store import RefinementStore
from critiques import critique
from library_rows import reference
from refining_fakes import begun
from studio.prompting.critique import read_critique
from studio.refinements import Refinement

FIRST, SECOND = "aaaaaaaaaaaa-0", "bbbbbbbbbbbb-0"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "orrery.db")
    yield opened
    opened.close()


def judged(name: str, score: float | None) -> Refinement:
    tree = begun()
    said = None if score is None else read_critique(json.dumps(critique(score)))
    made = tree.nodes[0].model_copy(update={"media": reference(name), "critique": said})
    return tree.model_copy(update={"nodes": (made, *tree.nodes[1:])})


def scores(database: Database, *names: str) -> dict[str, float]:
    with database.transaction() as session:
        return critic_scores(session, names)


def test_what_a_critic_said_is_found_by_the_item_once_it_is_said(database: Database):
    shelf = RefinementStore(database)

    async def grow() -> None:
        await shelf.add(begun())
        await shelf.put(judged(FIRST, None))
        assert scores(database, FIRST) == {}
        for score in (5.0, 7.5):
            await shelf.put(judged(FIRST, score))

    asyncio.run(grow())

    assert scores(database, FIRST, SECOND) == {FIRST: 7.5}
    assert scores(database, SECOND) == {}
    assert scores(database, *(f"{number:012x}-0" for number in range(1200)), FIRST) == {FIRST: 7.5}


def test_a_refinement_that_is_gone_leaves_no_score_and_gets_none(database: Database, tmp_path: Path):
    shelf = RefinementStore(database)

    async def grow() -> None:
        await shelf.add(begun())
        await shelf.put(judged(FIRST, 5.0))
        await database.alone(lambda: forget_everything(database, tmp_path / "media"))
        assert scores(database, FIRST) == {}
        await shelf.put(judged(SECOND, 5.0))

    asyncio.run(grow())

    assert scores(database, FIRST, SECOND) == {}


def test_scores_are_asked_for_by_name_and_no_tree_is_read(database: Database):
    said: list[tuple[str, Any]] = []
    event.listen(database.engine, "before_cursor_execute", lambda *heard: said.append((heard[2], heard[3])))

    scores(database, FIRST, SECOND)

    ((query, names),) = said
    with database.engine.connect() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", names).all()
    assert [step.detail.split("(")[0].strip() for step in plan] == [
        "SEARCH critic_scores USING INDEX sqlite_autoindex_critic_scores_1"
    ]
