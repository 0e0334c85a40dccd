"""`orrery library`: what was made or uploaded; find it, keep it in order, take it along."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from cli.jobs import Said
from cli.one_line import one_line
from cli.options import DataOption, ServerOption, TokenOption
from cli.tables import PROMPT_HEAD, age, print_table

if TYPE_CHECKING:
    from studio.client import StudioClient
    from studio.library import LibraryItem

Answer = TypeVar("Answer")
IdsArgument = Annotated[list[str], typer.Argument(metavar="ID...", help="Items.")]

library = typer.Typer(help="What was made or uploaded.")


@library.callback(invoke_without_command=True)
def table(
    context: typer.Context,
    words: Annotated[str, typer.Option("--search", "-q", envvar="ORRERY_SEARCH", help="Words of the prompt.")] = "",
    tag: Annotated[
        list[str] | None, typer.Option(envvar="ORRERY_TAG", help="Only with this tag; may be repeated.")
    ] = None,
    batch: Annotated[
        str | None, typer.Option(envvar="ORRERY_BATCH", metavar="ID", help="Only what this batch of jobs made.")
    ] = None,
    starred: Annotated[bool, typer.Option("--starred", envvar="ORRERY_STARRED", help="Only what is starred.")] = False,
    trashed: Annotated[bool, typer.Option("--trashed", envvar="ORRERY_TRASHED", help="What is in the trash.")] = False,
    limit: Annotated[int, typer.Option(envvar="ORRERY_LIMIT", help="How many, newest first.")] = 20,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """What was made or uploaded. Without a sub-command: a table, newest first."""
    context.obj = Said(server, data, token)
    if context.invoked_subcommand is not None:
        return
    from studio.library import LibraryQuery
    from studio.requests import parse_as

    said = {"q": words, "tag": tag or [], "batch": batch, "starred": starred or None, "trashed": trashed}
    query = parse_as(LibraryQuery, {**said, "limit": limit})
    page = _ask(context.obj, lambda client: client.library.search(query))
    now = datetime.now(UTC)
    print_table(("id", "type", "size", "seed", "tags", "prompt", "age"), [_row(item, now) for item in page.items])
    if page.total > len(page.items):
        print(f"{len(page.items)} of {page.total:,}")


@library.command()
def show(
    context: typer.Context,
    media_id: Annotated[str, typer.Argument(metavar="ID", help="The item.")],
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Everything about one item, its recipe and its relatives, as JSON."""
    said = context.obj.unless(server, data, token)
    print(_ask(said, lambda client: client.library.item(media_id)).model_dump_json(indent=2))


@library.command()
def star(
    context: typer.Context,
    ids: IdsArgument,
    off: Annotated[bool, typer.Option("--off", envvar="ORRERY_OFF", help="Take the star away.")] = False,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Star items."""
    from studio.library import ItemsChange
    from studio.requests import parse_as

    change = parse_as(ItemsChange, {"ids": ids, "starred": not off})
    _print(_ask(context.obj.unless(server, data, token), lambda client: client.library.change_many(change)))


@library.command()
def tag(
    context: typer.Context,
    ids: IdsArgument,
    add: Annotated[list[str] | None, typer.Option(envvar="ORRERY_ADD", help="Tag to add; may be repeated.")] = None,
    remove: Annotated[
        list[str] | None, typer.Option(envvar="ORRERY_REMOVE", help="Tag to take away; may be repeated.")
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Tag items."""
    from studio.library import ItemsChange
    from studio.requests import parse_as

    change = parse_as(ItemsChange, {"ids": ids, "add_tags": add or [], "remove_tags": remove or []})
    _print(_ask(context.obj.unless(server, data, token), lambda client: client.library.change_many(change)))


@library.command()
def trash(
    context: typer.Context,
    ids: IdsArgument,
    restore: Annotated[
        bool, typer.Option("--restore", envvar="ORRERY_RESTORE", help="Take them out of it instead.")
    ] = False,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Put items into the trash. They are gone for good when it is emptied on the page, or over the API."""
    said = context.obj.unless(server, data, token)
    if restore:
        _print(_ask(said, lambda client: client.library.restore(ids)))
    else:
        _print(_ask(said, lambda client: client.library.trash(ids)))


@library.command()
def export(
    context: typer.Context,
    output: Annotated[Path, typer.Argument(metavar="FILE", help="The zip to write.")],
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="Items with their recipes.")] = None,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Write a zip: of these items and their recipes, or of everything, which can be imported again."""
    said = context.obj.unless(server, data, token)
    if ids:
        _ask(said, lambda client: client.library.save_archive(ids, output))
    else:
        _ask(said, lambda client: client.library.save_export(output))
    print(f"{output} {output.stat().st_size / 1e6:.1f} MB")


def _row(item: LibraryItem, now: datetime) -> tuple[str, ...]:
    prompt = one_line(item.title or item.prompt)
    return (
        item.id,
        item.type,
        "missing" if item.missing else f"{item.width}x{item.height}" if item.width else f"{item.size_bytes:,} B",
        "" if item.seed is None else str(item.seed),
        one_line(", ".join((*("★" for _ in range(item.starred)), *item.tags))),
        prompt if len(prompt) <= PROMPT_HEAD else f"{prompt[: PROMPT_HEAD - 1]}…",
        age((now - item.created_at).total_seconds()),
    )


def _print(ids: tuple[str, ...]) -> None:
    for media_id in ids:
        print(media_id)


def _ask(said: Said, question: Callable[[StudioClient], Awaitable[Answer]]) -> Answer:
    from cli.target import connected, read_target

    target = read_target(said.server, said.data, said.token)

    async def ask() -> Answer:
        async with connected(target) as client:
            return await question(client)

    return asyncio.run(ask())
