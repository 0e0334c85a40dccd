"""What a server can be asked about its library, comparisons, refinements, runs and arena. All raise StudioErrors."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode

from studio.arena import CastVote, NextPair, Standings, Vote, VotedBy, Voters
from studio.arena.votes import MAX_VOTES_PAGE, PairKind, VoteList
from studio.client.connection import Connection
from studio.client.paths import benchmark_path, comparison_path, item_path, media_path, refinement_path, run_path
from studio.comparisons import CompareRequest, Comparison, ExportForm
from studio.evaluation import Benchmark, Scores
from studio.evaluation.boundaries import BoundaryList, Times
from studio.evaluation.boundary_layouts import BoundaryLayout
from studio.evaluation.corrections import BringCorrections, Correction, CorrectionList
from studio.evaluation.runs import (
    AnsweredItems,
    AskVerdicts,
    BenchmarkList,
    BenchmarkSummary,
    EvaluationRun,
    GivenAnswers,
    Judging,
    RunList,
    StartRun,
)
from studio.library import ChangedIds, ItemsChange, LibraryDetail, LibraryPage, LibraryQuery
from studio.refinements import Refinement
from studio.saving import save_whole

EXPORT_TIMEOUT_S = 3600.0
"""For what goes through every file of the library."""

MEASURE_TIMEOUT_S = 3600.0
"""For measuring, and for a mosaic: a minute of 1280x720 takes a core as long, and a grid has many."""

STOP_TIMEOUT_S = 90.0
"""For a run's jobs to end: a worker that does not answer a cancel is restarted after 60 s."""

POLL_S = 1.0


class LibraryCalls:
    """The library of one server, as `StudioClient.library`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def search(self, query: LibraryQuery | None = None) -> LibraryPage:
        """One page of what a query finds; of everything without one."""
        said = (query or LibraryQuery()).model_dump(mode="json", exclude_defaults=True)
        return await self._connection.ask("GET", "/v1/library", LibraryPage, params=_query(said))

    async def item(self, media_id: str) -> LibraryDetail:
        """An item with its recipe and its relatives. Raises MediaNotFound."""
        return await self._connection.ask("GET", item_path(media_id), LibraryDetail)

    async def change_many(self, change: ItemsChange) -> tuple[str, ...]:
        """Star or tag items; answers those that are there."""
        body = change.model_dump(mode="json", exclude_unset=True)
        return (await self._connection.ask("POST", "/v1/library/change", ChangedIds, json=body)).ids

    async def trash(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Put items into the trash; answers those that were not in it."""
        return (await self._connection.ask("POST", "/v1/library/trash", ChangedIds, json={"ids": list(ids)})).ids

    async def restore(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Take items out of the trash; answers those that were in it."""
        return (await self._connection.ask("POST", "/v1/library/restore", ChangedIds, json={"ids": list(ids)})).ids

    async def save_archive(self, ids: Sequence[str], path: Path) -> None:
        """Write a zip of items and their recipes, which is whole or not there."""
        async with self._connection.stream("/v1/library/archive", method="POST", json={"ids": list(ids)}) as response:
            await save_whole(path, response.aiter_bytes())

    async def save_export(self, path: Path) -> None:
        """Write a zip of database, media, presets and adapters, which is whole or not there."""
        async with self._connection.stream("/v1/library/export", silence_s=EXPORT_TIMEOUT_S) as response:
            await save_whole(path, response.aiter_bytes())

    async def spritesheet(self, media_id: str) -> bytes:
        """Frames of a clip side by side, as WebP. Raises MediaNotFound, BadInput."""
        async with self._connection.stream(f"{media_path(media_id)}/spritesheet") as response:
            return await response.aread()


class ComparisonCalls:
    """The comparisons of one server, as `StudioClient.comparisons`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def submit(self, asked: CompareRequest) -> Comparison:
        """Hand in a comparison. Cells that are refused say so; the error is raised only where all of them are."""
        body = asked.model_dump(mode="json", exclude_defaults=True)
        return await self._connection.ask("POST", "/v1/comparisons", Comparison, json=body)

    async def get(self, comparison_id: str) -> Comparison:
        """A comparison as it is now. Raises ComparisonNotFound."""
        return await self._connection.ask("GET", comparison_path(comparison_id), Comparison)

    async def wait(self, comparison_id: str) -> Comparison:
        """A comparison once all of its cells have ended. Raises ComparisonNotFound."""
        while not (found := await self.get(comparison_id)).ended:
            await asyncio.sleep(POLL_S)
        return found

    async def measure(self, comparison_id: str) -> Comparison:
        """The same once everything that is made has been measured. Raises ComparisonNotFound."""
        path = f"{comparison_path(comparison_id)}/likeness"
        return await self._connection.ask("GET", path, Comparison, timeout=MEASURE_TIMEOUT_S)

    async def save_export(self, comparison_id: str, form: ExportForm, path: Path, sound: str | None = None) -> None:
        """Write it as one clip, a zip with an offline page, or a table: a file that is whole or not there.

        Args:
            sound: the item that the clip sounds like; none is the first that can be heard.
        """
        query = {"form": form} if sound is None else {"form": form, "sound": sound}
        address = f"{comparison_path(comparison_id)}/export?{urlencode(query)}"
        async with self._connection.stream(address, silence_s=MEASURE_TIMEOUT_S) as response:
            await save_whole(path, response.aiter_bytes())


class RefinementCalls:
    """The refinements of one server, as `StudioClient.refinements`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def begin(self, request: Mapping[str, Any]) -> Refinement:
        """Begin one: a `RefineImage`, whose `generate` may leave out what a job may. Raises BadInput."""
        return await self._connection.ask("POST", "/v1/refinements", Refinement, json=dict(request))

    async def get(self, name: str) -> Refinement:
        """One of them as it is now. Raises RefinementNotFound."""
        return await self._connection.ask("GET", refinement_path(name), Refinement)

    async def resume(self, name: str) -> Refinement:
        """Go on at the first thing that is missing. Raises RefinementNotFound, Conflict."""
        return await self._connection.ask("POST", f"{refinement_path(name)}/resume", Refinement)


class EvaluationCalls:
    """The benchmarks and runs of one server, as `StudioClient.evaluation`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def benchmarks(self) -> BenchmarkList:
        """The newest version of each."""
        return await self._connection.ask("GET", "/v1/benchmarks", BenchmarkList)

    async def add(self, benchmark: Benchmark) -> BenchmarkSummary:
        """Keep a benchmark whose media are on the server. Raises BadInput, MediaNotFound."""
        said = benchmark.model_dump(mode="json")
        return await self._connection.ask("POST", "/v1/benchmarks", BenchmarkSummary, json=said)

    async def bring_corrections(self, benchmark: str, corrections: Sequence[Correction]) -> CorrectionList:
        """Keep what people have corrected elsewhere. Raises BadInput, BenchmarkNotFound."""
        said = BringCorrections(corrections=tuple(corrections)).model_dump(mode="json")
        path = f"{benchmark_path(benchmark)}/corrections"
        return await self._connection.ask("POST", path, CorrectionList, json=said)

    async def runs(self, benchmark: str | None = None) -> RunList:
        """The newest first. Raises BenchmarkNotFound."""
        params = {} if benchmark is None else {"benchmark": benchmark}
        return await self._connection.ask("GET", "/v1/runs", RunList, params=params)

    async def start(self, asked: StartRun) -> EvaluationRun:
        """Begin a run. Raises BadInput, BenchmarkNotFound, Busy."""
        return await self._connection.ask("POST", "/v1/runs", EvaluationRun, json=asked.model_dump(mode="json"))

    async def run(self, run_id: str) -> EvaluationRun:
        """A run as it is now. Raises RunNotFound."""
        return await self._connection.ask("GET", run_path(run_id), EvaluationRun)

    async def resume(self, run_id: str) -> EvaluationRun:
        """Ask again what has no answer. Raises RunNotFound, Conflict."""
        return await self._connection.ask("POST", f"{run_path(run_id)}/resume", EvaluationRun)

    async def give(self, run_id: str, given: GivenAnswers) -> EvaluationRun:
        """Send episodes of a policy's run. Raises RunNotFound, BadInput, Conflict."""
        path = f"{run_path(run_id)}/answers"
        return await self._connection.ask("POST", path, EvaluationRun, json=given.model_dump(mode="json"))

    async def stop(self, run_id: str) -> EvaluationRun:
        """Stop a run and keep its answers. Raises RunNotFound, Conflict."""
        path = f"{run_path(run_id)}/stop"
        return await self._connection.ask("POST", path, EvaluationRun, timeout=STOP_TIMEOUT_S)

    async def answers(self, run_id: str, offset: int = 0) -> AnsweredItems:
        """A page of items with their answers. Raises RunNotFound."""
        params = {"offset": offset, "limit": 200}
        return await self._connection.ask("GET", f"{run_path(run_id)}/answers", AnsweredItems, params=params)

    async def judge(self, run_id: str, asked: AskVerdicts) -> Judging:
        """Let a judge grade a run. Raises RunNotFound, BadInput, Conflict."""
        path = f"{run_path(run_id)}/verdicts"
        return await self._connection.ask("POST", path, Judging, json=asked.model_dump(mode="json"))

    async def scores(self, run_id: str, judge: str | None = None) -> Scores:
        """What its answers are worth. Raises RunNotFound."""
        params = {} if judge is None else {"judge": judge}
        return await self._connection.ask("GET", f"{run_path(run_id)}/scores", Scores, params=params)

    async def boundaries(self, run_id: str) -> BoundaryList:
        """Where events or intervals begin and end. Raises RunNotFound, BadInput."""
        return await self._connection.ask("GET", f"{run_path(run_id)}/boundaries", BoundaryList)

    async def save_boundaries(self, run_id: str, layout: BoundaryLayout, times: Times, path: Path) -> None:
        """Write them as a zip for another program, which is whole or not there. Raises RunNotFound, BadInput."""
        address = f"{run_path(run_id)}/boundaries/{layout}?{urlencode({'times': times})}"
        async with self._connection.stream(address, silence_s=EXPORT_TIMEOUT_S) as response:
            await save_whole(path, response.aiter_bytes())


class ArenaCalls:
    """The arena of one server, as `StudioClient.arena`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def deal(
        self,
        voter: str,
        by: VotedBy = "person",
        *,
        contest: str | None = None,
        kind: PairKind | None = None,
        skip: Sequence[str] = (),
    ) -> NextPair:
        """The pair that a voter should look at next, if one is left.

        Args:
            voter: their name.
            by: what they are.
            contest, kind: of the pair; none is any.
            skip: pairs that they do not want to see now.
        """
        named = {"contest": contest, "kind": kind}
        params = {"voter": voter, "by": by, **{name: value for name, value in named.items() if value is not None}}
        return await self._connection.ask(
            "GET", "/v1/arena/pairs/next", NextPair, params={**params, "skip": list(skip)}
        )

    async def vote(self, said: CastVote) -> Vote:
        """Vote; the answer says what the sides were. Raises BadInput, PairNotFound, Conflict."""
        return await self._connection.ask("POST", "/v1/arena/votes", Vote, json=said.model_dump(mode="json"))

    async def votes_of(self, voter: str) -> VoteList:
        """Their newest votes that count, as many as one answer holds."""
        return await self._connection.ask(
            "GET", "/v1/arena/votes", VoteList, params={"voter": voter, "limit": MAX_VOTES_PAGE}
        )

    async def take_back(self, vote_id: str) -> Vote:
        """Take a vote back: it counts no more. Raises VoteNotFound."""
        return await self._connection.ask("DELETE", f"/v1/arena/votes/{vote_id}", Vote)

    async def standings(self, contest: str | None = None, voters: Voters = "person") -> Standings:
        """The rankings of one contest; none is the one over checkpoints, or the most voted."""
        params = {"voters": voters} if contest is None else {"voters": voters, "contest": contest}
        return await self._connection.ask("GET", "/v1/arena/standings", Standings, params=params)


def _query(said: dict[str, Any]) -> list[tuple[str, str]]:
    """A query's fields as they stand in an address; a list says its name for each value."""
    pairs: list[tuple[str, str]] = []
    for name, value in said.items():
        values = cast(list[object], value) if isinstance(value, list) else [value]
        pairs += [(name, str(each).lower() if isinstance(each, bool) else str(each)) for each in values]
    return pairs
