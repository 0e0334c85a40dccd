"""`orrery library`: what was made or uploaded; find it, keep it in order, take it along."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from cli.flags import TargetFlags, pass_on, with_flags
from cli.printed import age, head, one_line, print_table
from cli.target import ask
from studio.library import ItemsChange, LibraryItem, LibraryQuery
from studio.requests import parse_as

IdsArgument = Annotated[list[str], typer.Argument(metavar="ID...", help="Items.")]

library = typer.Typer(help="Manage results and uploads.")


@library.callback(invoke_without_command=True)
@with_flags
def table(
    *,
    context: typer.Context,
    words: Annotated[
        str, typer.Option("--search", "-q", envvar="ORRERY_SEARCH", help="Words to search for in prompts.")
    ] = "",
    tag: Annotated[
        list[str] | None, typer.Option(envvar="ORRERY_TAG", help="Only with this tag; may be repeated.")
    ] = None,
    batch: Annotated[
        str | None, typer.Option(envvar="ORRERY_BATCH", metavar="ID", help="Only results of this batch.")
    ] = None,
    starred: Annotated[bool, typer.Option("--starred", envvar="ORRERY_STARRED", help="Only starred items.")] = False,
    rating: Annotated[
        int | None, typer.Option(envvar="ORRERY_RATING", min=1, max=5, help="Only items rated at least so.")
    ] = None,
    trashed: Annotated[
        bool, typer.Option("--trashed", envvar="ORRERY_TRASHED", help="Only items in the trash.")
    ] = False,
    evaluation: Annotated[
        bool,
        typer.Option("--evaluation", envvar="ORRERY_EVALUATION", help="Only media of benchmarks and results of runs."),
    ] = False,
    limit: Annotated[int, typer.Option(envvar="ORRERY_LIMIT", help="Number of items, newest first.")] = 20,
    target: TargetFlags,
) -> None:
    """Manage results and uploads. Without a subcommand, print a table, newest first."""
    pass_on(context)
    if context.invoked_subcommand is not None:
        return
    said = {"q": words, "tag": tag or [], "batch": batch, "starred": starred or None, "rating": rating}
    query = parse_as(LibraryQuery, {**said, "trashed": trashed, "evaluation": evaluation, "limit": limit})
    page = ask(target, lambda client: client.library.search(query))
    now = datetime.now(UTC)
    print_table(("id", "type", "size", "seed", "tags", "prompt", "age"), [_row(item, now) for item in page.items])
    if page.total > len(page.items):
        print(f"{len(page.items)} of {page.total:,}")


@library.command()
@with_flags
def show(
    media_id: Annotated[str, typer.Argument(metavar="ID", help="The item.")],
    target: TargetFlags,
) -> None:
    """Print one item, its recipe and related items as JSON."""
    print(ask(target, lambda client: client.library.item(media_id)).model_dump_json(indent=2))


@library.command()
@with_flags
def star(
    *,
    ids: IdsArgument,
    off: Annotated[bool, typer.Option("--off", envvar="ORRERY_OFF", help="Remove the star.")] = False,
    target: TargetFlags,
) -> None:
    """Star items."""
    change = parse_as(ItemsChange, {"ids": ids, "starred": not off})
    _print(ask(target, lambda client: client.library.change_many(change)))


@library.command()
@with_flags
def rate(
    *,
    rating: Annotated[int, typer.Argument(min=0, max=5, help="1 to 5; 0 removes the rating.")],
    ids: IdsArgument,
    target: TargetFlags,
) -> None:
    """Rate items."""
    change = parse_as(ItemsChange, {"ids": ids, "rating": rating})
    _print(ask(target, lambda client: client.library.change_many(change)))


@library.command()
@with_flags
def tag(
    *,
    ids: IdsArgument,
    add: Annotated[list[str] | None, typer.Option(envvar="ORRERY_ADD", help="Tag to add; may be repeated.")] = None,
    remove: Annotated[
        list[str] | None, typer.Option(envvar="ORRERY_REMOVE", help="Tag to remove; may be repeated.")
    ] = None,
    target: TargetFlags,
) -> None:
    """Tag items."""
    change = parse_as(ItemsChange, {"ids": ids, "add_tags": add or [], "remove_tags": remove or []})
    _print(ask(target, lambda client: client.library.change_many(change)))


@library.command()
@with_flags
def trash(
    *,
    ids: IdsArgument,
    restore: Annotated[
        bool, typer.Option("--restore", envvar="ORRERY_RESTORE", help="Restore them from the trash instead.")
    ] = False,
    target: TargetFlags,
) -> None:
    """Move items to the trash. Emptying it on the page or by the API deletes them permanently."""
    if restore:
        _print(ask(target, lambda client: client.library.restore(ids)))
    else:
        _print(ask(target, lambda client: client.library.trash(ids)))


@library.command()
@with_flags
def export(
    *,
    output: Annotated[Path, typer.Argument(metavar="FILE", help="The zip to write.")],
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="Items with their recipes.")] = None,
    target: TargetFlags,
) -> None:
    """Write a zip of these items and their recipes, or of everything, as a backup that can be imported."""
    if ids:
        ask(target, lambda client: client.library.save_archive(ids, output))
    else:
        ask(target, lambda client: client.library.save_export(output))
    print(f"{output} {output.stat().st_size / 1e6:.1f} MB")


def _row(item: LibraryItem, now: datetime) -> tuple[str, ...]:
    return (
        item.id,
        item.type,
        "missing" if item.missing else f"{item.width}x{item.height}" if item.width else f"{item.size_bytes:,} B",
        "" if item.seed is None else str(item.seed),
        one_line(
            ", ".join((*("★" for _ in range(item.starred)), *(f"{item.rating}/5",) * (item.rating > 0), *item.tags))
        ),
        head(item.title or item.prompt),
        age((now - item.created_at).total_seconds()),
    )


def _print(ids: tuple[str, ...]) -> None:
    for media_id in ids:
        print(media_id)
