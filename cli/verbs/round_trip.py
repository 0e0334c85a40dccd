"""`orrery round-trip`: from actions to a video and back, and by how much each joint is off at each step."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from cli.flags import TargetFlags, with_flags
from cli.job_run import JobBars, followed
from cli.target import reached
from studio.evaluation.round_trips import RoundTrip


@with_flags
def round_trip(
    *,
    job: Annotated[str, typer.Argument(metavar="JOB", help="Id of a predict_video job that has succeeded.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", envvar="ORRERY_OUTPUT", metavar="FILE", help="Also write everything as JSON."),
    ] = None,
    target: TargetFlags,
) -> None:
    """Estimate the actions in the video of a forward-dynamics job, and compare them with those that it was given."""

    async def run() -> None:
        async with reached(target) as (client, _):
            estimation = await client.begin_round_trip(job)
            with JobBars() as bars, bars.job() as draw:
                await followed(client, estimation, draw)
            found = await client.round_trip(job, estimation.id)
        if output is not None:
            output.write_text(json.dumps(found.model_dump(mode="json"), indent=1) + "\n")
        print(table(found))

    asyncio.run(run())


def table(found: RoundTrip) -> str:
    """The error of each value at each step, and below it the root of its mean square."""
    heads = ["step", *found.columns]
    rows = [[str(step), *(f"{error:+.4f}" for error in errors)] for step, errors in enumerate(found.errors, 1)]
    rows.append(["rms", *(f"{mse**0.5:.4f}" for mse in found.column_mse)])
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(len(heads))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [heads, *rows]]
    return "\n".join([*lines, f"mean squared error {found.mse:.3g}"])
