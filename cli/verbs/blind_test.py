"""`orrery blind-test`: two policies take turns on the same scenes, and people judge the videos without their names."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import typer

from cli.flags import TargetFlags, with_flags
from cli.job_run import counted
from cli.policy_program import AnswersAfterOption, LevelsOption, PolicyProgram, ScenesOption, policy_program
from cli.printed import print_table
from cli.target import Target, connected
from studio.blind_tests import (
    AddBlindPair,
    BlindEpisode,
    BlindScores,
    BlindTest,
    CreateBlindTest,
    RecordedEpisode,
    RecordedPair,
    ordered,
)
from studio.client import StudioClient
from studio.errors import BadInput
from studio.evaluation import Item
from studio.evaluation.episodes import EpisodeResult, video_name
from studio.requests import parse_as, shown


@with_flags
def blind_test(
    *,
    pairs: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A .jsonl of recorded episodes, as docs/evaluation.md describes it."),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            envvar="ORRERY_POLICY",
            metavar="NAME=URL",
            help="A policy server, as in base=ws://127.0.0.1:8000. Give two.",
        ),
    ] = None,
    scenes: ScenesOption = 10,
    levels: LevelsOption = "default",
    seed: Annotated[
        int, typer.Option(envvar="ORRERY_SEED", min=0, max=1000, help="Selects the tables and draws who goes first.")
    ] = 0,
    answers_after: AnswersAfterOption = None,
    title: Annotated[str, typer.Option(envvar="ORRERY_TITLE", metavar="NAME", help="Name of the test.")] = "",
    test: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_TEST", metavar="ID", help="Continue this test; alone, print its scores."),
    ] = None,
    target: TargetFlags,
) -> None:
    """Let two policies do the same tasks in turns, for people who judge the videos without knowing who was who.

    With two --policy the simulated arm is driven as orrery evaluate-policy drives it, and both videos of each scene go
    to the server. With a FILE recorded episodes of a real arm do. People judge on the page Evaluate, under Blind A/B.
    """
    if pairs is not None and policy:
        raise BadInput("FILE and --policy cannot be combined.", param="policy", hint="Give one of them.")
    if pairs is None and not policy and test is None:
        raise BadInput("Nothing to do.", param="policy", hint="Give two --policy, a FILE, or --test to print scores.")
    if pairs is not None:
        asyncio.run(_import(pairs.expanduser(), title, seed, test, target))
    elif policy:
        arguments = [f"--scenes={scenes}", f"--levels={levels}", f"--seed={seed}"]
        if answers_after is not None:
            arguments.append(f"--answers-after={answers_after}")
        asyncio.run(_drive(_addresses(policy), arguments, title, seed, test, target))
    else:
        assert test is not None
        asyncio.run(_show(test, target))


def _addresses(words: Sequence[str]) -> dict[str, str]:
    """Two policies' addresses by their names."""
    found: dict[str, str] = {}
    for word in words:
        name, _, url = word.partition("=")
        if not name or not re.match(r"wss?://[^/]+", url):
            raise BadInput(f"--policy is {shown(word)}; expected NAME=ws://host:port.", param="policy")
        found[name] = url
    if len(words) != 2 or len(found) != 2:
        raise BadInput(f"{len(words)} --policy are given; expected two with different names.", param="policy")
    return found


async def _drive(
    addresses: Mapping[str, str], arguments: Sequence[str], title: str, seed: int, test_id: str | None, target: Target
) -> None:
    async with connected(target) as client, AsyncExitStack() as stack:
        test = await _test(client, list(addresses), title, seed, test_id)
        folders: dict[str, Path] = {}
        programs: dict[str, PolicyProgram] = {}
        for name, url in addresses.items():
            folders[name] = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            own = [*arguments, f"--videos={folders[name]}"]
            programs[name] = await stack.enter_async_context(policy_program(url, None, own))
        there = {pair.id for pair in await client.blind_tests.pairs(test.id)}
        items = next(iter(programs.values())).benchmark.items
        missing = [item for item in items if item.id not in there]
        with counted(len(missing), "pairs") as count:
            for item in missing:
                episodes = [
                    await _episode(client, name, programs[name], folders[name], item) for name in ordered(test, item.id)
                ]
                one, other = episodes
                await client.blind_tests.add(
                    test.id, AddBlindPair(id=item.id, task=item.question, episodes=(one, other))
                )
                count()


async def _episode(client: StudioClient, policy: str, program: PolicyProgram, folder: Path, item: Item) -> BlindEpisode:
    result = EpisodeResult.model_validate_json((await program.drive(item)).text)
    film = folder / video_name(item.id)
    video = await client.upload(film)
    film.unlink()
    return BlindEpisode(policy=policy, videos=(video.id,), success=result.success)


async def _import(path: Path, title: str, seed: int, test_id: str | None, target: Target) -> None:
    pairs = _read(path)
    names = sorted({episode.policy for pair in pairs for episode in pair.episodes})
    async with connected(target) as client:
        test = await _test(client, names, title or path.stem, seed, test_id)
        with counted(len(pairs), "pairs") as count:
            for pair in pairs:
                one, other = [await _sent(client, path.parent, episode) for episode in pair.episodes]
                sent = AddBlindPair(id=pair.id, task=pair.task, episodes=(one, other))
                await client.blind_tests.add(test.id, sent)
                count()


async def _sent(client: StudioClient, folder: Path, episode: RecordedEpisode) -> BlindEpisode:
    videos = [(await client.upload(folder / name)).id for name in episode.videos]
    return BlindEpisode(policy=episode.policy, videos=tuple(videos), success=episode.success)


def _read(path: Path) -> list[RecordedPair]:
    """The pairs of a file. Raises BadInput with the line's number."""
    try:
        lines = [line for line in path.read_text("utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.", param="pairs") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not text in UTF-8.", param="pairs") from None
    if not lines:
        raise BadInput(f"{path} has no pairs.", param="pairs")
    return [_pair(line, f"Line {number} of {path.name}") for number, line in enumerate(lines, 1)]


def _pair(line: str, where: str) -> RecordedPair:
    try:
        return parse_as(RecordedPair, json.loads(line))
    except BadInput as error:
        raise BadInput(f"{where}: {error.message}", param="pairs", hint=error.hint) from None
    except ValueError as error:
        raise BadInput(f"{where} is not JSON: {error}.", param="pairs") from None


async def _test(client: StudioClient, names: Sequence[str], title: str, seed: int, test_id: str | None) -> BlindTest:
    """The test that is continued, or a new one."""
    if test_id is not None:
        test = await client.blind_tests.get(test_id)
        if sorted(test.policies) != sorted(names):
            raise BadInput(
                f"The test is of {' and '.join(sorted(test.policies))}; {' and '.join(sorted(names))} are given.",
                param="test",
            )
    else:
        if len(names) != 2:
            raise BadInput(f"The episodes are of {len(names)} policies; expected two.", param="pairs")
        asked = CreateBlindTest(title=title, policies=(names[0], names[1]), seed=seed)
        test = await client.blind_tests.create(asked)
    print(f"{client.base_url}/evaluate?blind={test.id}#blind")
    return test


async def _show(test_id: str, target: Target) -> None:
    async with connected(target) as client:
        test, scores = await client.blind_tests.get(test_id), await client.blind_tests.scores(test_id)
    print(f"{test.title} · {scores.num_verdicts} verdicts of {scores.num_raters} people")
    _print(scores)


def _print(scores: BlindScores) -> None:
    def between(low: float | None, high: float | None, scale: float) -> str:
        return "" if low is None or high is None else f"{low * scale:.0f}-{high * scale:.0f}"

    rows = [
        (
            each.policy,
            "–" if each.rating is None else f"{each.rating:.0f}",
            between(each.low, each.high, 1),
            "–" if each.progress is None else f"{100 * each.progress:.0f} %",
            between(each.progress_low, each.progress_high, 100),
            f"{each.wins}/{each.losses}/{each.ties}",
            f"{each.num_successes}/{each.num_measured}" if each.num_measured else "–",
        )
        for each in scores.policies
    ]
    print_table(("policy", "rating", "95 %", "progress", "95 %", "won/lost/tied", "success"), rows)
