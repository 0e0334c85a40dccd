"""The arena as an agent has it: dealt blind, voted on as a reasoner, ranked apart from people."""

import asyncio
from string import ascii_lowercase

import pytest

from running import RunningServer
from studio.arena import Voters
from studio.client import StudioClient
from studio.errors import BadInput, Conflict, VoteNotFound
from studio.mcp.arena import ArenaTools

AGENT = "an agent's own name"
CONTEST = "negative_prompt"
VOTERS: tuple[Voters, ...] = ("person", "reasoner")


@pytest.fixture(scope="module")
def sides(server: RunningServer) -> set[str]:
    made: set[str] = set()
    for negative_prompt in ("agents voting", "people voting"):
        job = server.submit(
            prompt="an agent in the arena",
            negative_prompt=negative_prompt,
            resolution="256",
            sampling={"num_inference_steps": 1, "seed": 3},
        )
        made.add(server.wait_job(job["id"])["results"][0]["id"])
    return made


def test_an_agent_is_dealt_a_pair_votes_as_a_reasoner_and_is_not_ranked_with_people(
    server: RunningServer, sides: set[str]
):
    async def play() -> None:
        async with StudioClient(server.url) as client:
            arena = ArenaTools(client)
            skip: list[str] = []
            while True:
                pair = (await arena.deal_pair(AGENT, CONTEST, "image", skip)).pair
                assert pair is not None
                assert pair.id not in skip
                if {pair.left.id, pair.right.id} == sides:
                    break
                skip.append(pair.id)
            assert "voting" not in pair.model_dump_json()
            assert "overall" in pair.axes
            before = {by: (await arena.get_standings(CONTEST, by)).num_votes for by in VOTERS}

            with pytest.raises(BadInput, match="sound"):
                await arena.vote(pair.id, pair.left.id, AGENT, {"overall": "tie", "sound": "tie"})
            vote = await arena.vote(pair.id, pair.left.id, AGENT, {"overall": "left"}, "It is sharper.")
            assert {vote.left.value, vote.right.value} == {"agents voting", "people voting"}
            with pytest.raises(Conflict):
                await arena.vote(pair.id, pair.right.id, AGENT, {"overall": "left"})

            kept = next(each for each in server.get("/v1/arena/votes").json()["votes"] if each["id"] == vote.id)
            assert (kept["by"], kept["voter"], kept["reason"]) == ("reasoner", AGENT, "It is sharper.")
            people = await arena.get_standings(CONTEST)
            agents = await arena.get_standings(CONTEST, "reasoner")
            assert (people.num_votes, agents.num_votes) == (before["person"], before["reasoner"] + 1)
            rows = {row.contestant: row for row in agents.tables[0].rows}
            assert (rows[vote.left.value].why, rows[vote.left.value].num_votes) == ("few_votes", 1)

            with pytest.raises(VoteNotFound, match="no active vote"):
                await arena.take_back_vote(vote.id, "another agent")
            assert (await arena.take_back_vote(vote.id, AGENT)).id == vote.id
            with pytest.raises(VoteNotFound, match="no active vote"):
                await arena.take_back_vote(vote.id, AGENT)
            assert (await arena.get_standings(CONTEST, "reasoner")).num_votes == before["reasoner"]

    asyncio.run(asyncio.wait_for(play(), 240))


def test_a_pair_that_is_asked_for_again_has_its_sides_where_that_voter_saw_them(server: RunningServer, sides: set[str]):
    pair = ".".join(sorted(sides))

    def left(voter: str, by: str) -> str:
        return server.get(f"/v1/arena/pairs/{pair}", params={"voter": voter, "by": by}).json()["left"]["id"]

    drawn = {(name, by): left(name, by) for name in ascii_lowercase for by in VOTERS}
    assert set(drawn.values()) == sides
    assert drawn == {(name, by): left(name, by) for name, by in drawn}
