"""`orrery generate`: a prompt in, a picture, a clip or actions in a file; or spec files in, a folder of samples."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer

from cli.attachments import Attachments
from cli.batch import run_batch
from cli.flags import TargetFlags, with_flags
from cli.job_run import JobBars, run_job
from cli.output_files import plan_files
from cli.request_flags import FLAGS, Said, build_request, kind_of, request_flags, told
from cli.target import Target, reached
from studio.errors import BadInput
from studio.requests import KINDS

IN_A_BATCH = ("checkpoint",)
"""Fields whose flags go with spec files too; others are said with --set, in the specs' own names."""


@with_flags
def generate(
    *,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            envvar="ORRERY_OUTPUT",
            metavar="FILE",
            help="Output file: .png, .mp4, .json or .npy, or - for an image on stdout. With spec files: a folder.",
        ),
    ],
    said: Annotated[Said, request_flags()],
    prompt: Annotated[
        list[str] | None, typer.Argument(metavar="PROMPT...", help="The prompt; several words are joined.")
    ] = None,
    input_files: Annotated[
        list[str] | None,
        typer.Option(
            "-i",
            "--input",
            envvar="ORRERY_INPUT",
            metavar="SPEC",
            help="Spec files of NVIDIA's framework (.json, .jsonl, .yaml; globs too) instead of a prompt.",
        ),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set", envvar="ORRERY_SET", metavar="FIELD=VALUE", help="Set a field for all samples of the spec files."
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(envvar="ORRERY_JOBS", min=1, max=64, help="Number of samples to run at the same time.")
    ] = 4,
    kind: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_KIND",
            help=f"{', '.join(KINDS)}; default: from the output's name and the flags.",
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", envvar="ORRERY_FORCE", help="Replace existing results that were made with other settings."
        ),
    ] = False,
    fit: Annotated[
        bool,
        typer.Option(
            "--fit",
            envvar="ORRERY_FIT",
            help="Adapt samples of spec files to what the checkpoint supports, and report the changes.",
        ),
    ] = False,
    target: TargetFlags,
) -> None:
    """Generate images, videos or actions, on a running server or on one started for this command.

    The output's name and the options decide what: .png is an image, .mp4 a video, .json or .npy actions.
    """
    try:
        if input_files:
            _check_batch_flags({**said, "kind": kind})
            # As the framework's own command takes them: -i a.json b.json
            patterns = [*input_files, *(prompt or ())]
            checkpoint = said["checkpoint"]
            raise typer.Exit(
                run_batch(patterns, overrides or [], output, target, checkpoint, jobs=jobs, force=force, fit=fit)
            )
        if prompt is None:
            raise BadInput(
                "Missing argument 'PROMPT...'.", param="prompt", hint="Write a prompt, or give spec files with -i."
            )
        if fit:
            raise BadInput("--fit needs spec files (-i).", param="fit", hint="Remove it.")
        if overrides:
            raise BadInput("--set needs spec files (-i).", param="set", hint="Use the field's own option.")
        _run({"prompt": " ".join(prompt), **said}, output, target, kind, force=force)
    except KeyboardInterrupt:
        print("orrery: cancelled.", file=sys.stderr)
        raise


def _run(said: Said, output: str, target: Target, kind: str | None, *, force: bool) -> None:
    """Make what flags describe, and save it."""
    attachments = Attachments()
    request = build_request(kind_of(kind, output, said), said, attachments)
    files = plan_files(output, request, force=force)

    async def run() -> None:
        async with reached(target, request.checkpoint) as (client, checkpoint):
            await attachments.send(client)
            with JobBars() as bars, bars.job() as draw:
                job = await run_job(client, told(request, checkpoint), draw)
            await files.save(client, job)

    asyncio.run(run())


def _check_batch_flags(said: Said) -> None:
    """Raises BadInput for a flag of a single request."""
    for path, value in said.items():
        if value is not None and path not in IN_A_BATCH:
            word = FLAGS.get(path, f"--{path}").split("/")[0]
            raise BadInput(
                f"{word} cannot be combined with spec files.",
                param=path,
                hint="Use --set with the spec file's field name: --set num_steps=20.",
            )
