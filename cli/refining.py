"""A refinement begun on a server, followed, and what came of it saved."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from cli.attachments import Attachments
from cli.request_flags import build_request
from cli.result_files import suffix_of
from cli.target import Target, local_checkpoint, reached, running_server
from studio.captions.caption_files import write_text
from studio.client import StudioClient
from studio.errors import BadInput, EngineError
from studio.refinements import Refinement, RefinementNode

LOOK_S = 0.5
"""Between two looks at a loop whose rounds take seconds."""


def refine_and_save(
    fields: Mapping[str, object],
    loop: Mapping[str, object],
    size: str | None,
    folder: Path,
    target: Target,
    checkpoint: str | None,
) -> None:
    """Refine; a line for each result, then the best one's file and the tree beside it.

    Args:
        fields: of the first result, by path; none is unsaid. A `start_image` is a file or an id.
        loop: fields of the `RefineImage`.
        size: "WIDTHxHEIGHT", or none.
        folder: where `refinement-ID.json` and `refinement-ID.png` or `.mp4` go.
        target: the server.
        checkpoint: that makes the results.

    Raises:
        BadInput: the folder is not there, or a field cannot mean what it says.
        StudioError: the loop ended without a result, and why.
    """
    if not folder.is_dir():
        raise BadInput(f"The folder {folder} is not there.", param="output", hint="Make it first.")
    attachments = Attachments()
    named = fields.get("start_image")
    kind = "generate_video" if named is not None else "generate_image"
    ids = {"start_image": attachments.name(str(named), "start_image")} if named is not None else {}
    request = build_request(kind, {**fields, **ids}, size)
    if target.server is None:
        checkpoint = local_checkpoint(checkpoint, target)
    body = {**request.model_dump(mode="json", exclude_unset=True), "kind": kind}
    if checkpoint is not None and running_server(target) is not None:
        body["checkpoint"] = checkpoint

    async def run() -> None:
        async with reached(target, checkpoint) as client:
            await attachments.send(client)
            tree = await client.refinements.begin({"generate": body, **loop})
            tree = await _followed(client, tree)
            await _save(client, tree, folder)

    asyncio.run(run())


def line_of(tree: Refinement, node: RefinementNode) -> str:
    """A result in one line, as in `2  round 2  7.5  1 severe, 2 minor  best`."""
    said = [str(node.number), f"round {node.round + 1}"]
    if node.critique is not None:
        said.append(f"{node.critique.overall_score:.1f}")
        counts = [(severity, node.critique.count(severity)) for severity in ("severe", "moderate", "minor")]
        said.append(", ".join(f"{count} {severity}" for severity, count in counts if count) or "no issues")
    else:
        said.append(node.error.message if node.error else node.stage)
    if tree.best is not None and tree.best.node == node.number:
        said.append("best")
    return "  ".join(said)


async def _followed(client: StudioClient, tree: Refinement) -> Refinement:
    print(f"Refinement {tree.id}", file=sys.stderr)
    told: set[int] = set()
    while True:
        for node in tree.nodes:
            if node.stage in ("done", "failed", "skipped") and node.number not in told:
                told.add(node.number)
                print(line_of(tree, node), file=sys.stderr)
        if tree.state != "running":
            return tree
        await asyncio.sleep(LOOK_S)
        tree = await client.refinements.get(tree.id)


async def _save(client: StudioClient, tree: Refinement, folder: Path) -> None:
    path = folder / f"refinement-{tree.id}.json"
    await write_text(path, tree.model_dump_json(indent=1) + "\n")
    best = tree.nodes[tree.best.node].media if tree.best else None
    if best is not None:
        picture = path.with_suffix(suffix_of(best))
        await client.save_media(best, picture)
        print(picture)
    print(path)
    if tree.error is not None:
        raise tree.error.error()
    if best is None:
        raise EngineError("Nothing was judged.", hint="Resume it on the page, or by POST /v1/refinements/{id}/resume.")
