"""`orrery refine`: a picture, or a clip from one, generated, judged and rewritten until it is good enough."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.attachments import Attachments
from cli.flags import TargetFlags, model_flags, with_flags
from cli.output_files import suffix_of
from cli.request_flags import Said, build_request, request_flags, told
from cli.target import reached
from studio.captions.caption_files import write_text
from studio.client import StudioClient
from studio.errors import BadInput, EngineError
from studio.refinements import Refinement, RefinementNode
from studio.requests.refine_image import RefineImage

POLL_S = 0.5
"""Between two looks at a loop whose rounds take seconds."""

LOOP = {
    "num_candidates": "candidates",
    "max_rewrites": "rewrites",
    "good_enough": "good-enough",
    "budget_s": "budget-s",
    "budget_tokens": "budget-tokens",
}
"""The flags of the loop, by the field of `RefineImage`."""


@with_flags
def refine(
    *,
    prompt: Annotated[list[str], typer.Argument(metavar="PROMPT...", help="The prompt; several words are joined.")],
    said: Annotated[
        Said,
        request_flags(
            "resolution",
            "aspect_ratio",
            "num_frames",
            "fps",
            "start_image",
            "sampling.num_inference_steps",
            "sampling.seed",
            "checkpoint",
        ),
    ],
    loop: Annotated[Mapping[str, Any], model_flags(RefineImage, LOOP)],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", envvar="ORRERY_OUTPUT", metavar="FOLDER", help="Folder for the best result and the tree."
        ),
    ] = Path(),
    target: TargetFlags,
) -> None:
    """Generate, let a critic judge, rewrite the prompts, and repeat; save the best result and the tree.

    With --start-image, the result is a video that starts with that image. Stopping the command leaves the loop running.
    """
    folder = output.expanduser()
    if not folder.is_dir():
        raise BadInput(f"The folder {folder} was not found.", param="output", hint="Create it first.")
    attachments = Attachments()
    kind = "generate_video" if said["start_image"] else "generate_image"
    request = build_request(kind, {"prompt": " ".join(prompt), **said}, attachments)

    async def run() -> None:
        async with reached(target, request.checkpoint) as (client, checkpoint):
            await attachments.send(client)
            first = told(request, checkpoint).model_dump(mode="json", exclude_unset=True)
            tree = await client.refinements.begin({"generate": {**first, "kind": kind}, **loop})
            await _save(client, await _followed(client, tree), folder)

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
    printed: set[int] = set()
    while True:
        for node in tree.nodes:
            if node.stage in ("done", "failed", "skipped") and node.number not in printed:
                printed.add(node.number)
                print(line_of(tree, node), file=sys.stderr)
        if tree.state != "running":
            return tree
        await asyncio.sleep(POLL_S)
        tree = await client.refinements.get(tree.id)


async def _save(client: StudioClient, tree: Refinement, folder: Path) -> None:
    """Save the best result and the tree beside it. Raises why the loop ended without a result."""
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
        raise EngineError(
            "No result was judged.", hint="Resume it on the page, or with POST /v1/refinements/{id}/resume."
        )
