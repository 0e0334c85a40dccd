"""`orrery caption`: clips in, structured captions and prose out, a folder each."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.answering import answering, refuse_without_endpoint
from cli.clip_facts import probe_clip
from cli.flags import EndpointOption, ModelOption, TargetFlags, model_flags, with_flags
from cli.job_run import counted
from cli.printed import SOME_FAILED, print_table
from cli.request_flags import Said, request_flags
from studio.captions.caption_files import read_work
from studio.errors import BadInput
from studio.prompting import Captioner, CaptionOutcome, CaptionRun, ReasonerSampling, read_caption_texts
from studio.prompting.captioning import CAPTIONING

MANIFEST = ".jsonl"


@with_flags
def caption(
    *,
    clips: Annotated[
        Path,
        typer.Argument(
            metavar="VIDEO|FOLDER|MANIFEST",
            help="A video, a folder of videos, or a .jsonl file whose lines have a vision_path.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", envvar="ORRERY_OUTPUT", metavar="FOLDER", help="Output folder, with one folder per video."
        ),
    ],
    sampling: Annotated[
        Mapping[str, Any], model_flags(ReasonerSampling, {"max_tokens": "max-tokens"}, dict(CAPTIONING))
    ],
    said: Annotated[Said, request_flags("checkpoint", "adapter")],
    jobs: Annotated[
        int, typer.Option(envvar="ORRERY_JOBS", min=1, max=256, help="Number of videos to caption at the same time.")
    ] = 16,
    template: Annotated[
        Path | None,
        typer.Option(
            envvar="ORRERY_TEMPLATE",
            metavar="FILE",
            help="Custom prompts: a TOML file with analysis, narrative and retry.",
        ),
    ] = None,
    attempts: Annotated[
        int, typer.Option(envvar="ORRERY_ATTEMPTS", min=1, max=10, help="Maximum number of attempts per phase.")
    ] = 3,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="ORRERY_DEBUG", help="Also save the raw answers beside the captions.")
    ] = False,
    endpoint: EndpointOption = None,
    model: ModelOption = None,
    by_path: Annotated[
        bool,
        typer.Option(
            "--by-path",
            envvar="ORRERY_BY_PATH",
            help="The endpoint reads videos by their paths (vLLM: --allowed-local-media-path); default: videos are "
            "uploaded.",
        ),
    ] = False,
    target: TargetFlags,
) -> None:
    """Caption videos: first their content as data, then as prose.

    Every video gets caption.json, caption.txt and sample_args.json. Finished videos are skipped on the next run. The
    exit status is 1 if a video failed.
    """
    clips, output = clips.expanduser(), output.expanduser()
    manifest = clips.suffix.lower() == MANIFEST and not clips.is_dir()
    items = read_work(manifest=clips) if manifest else read_work(video=clips)
    texts = read_caption_texts(template.expanduser()) if template else None
    if output.exists() and not output.is_dir():
        raise BadInput(f"{output} is a file; expected a folder.", param="output")
    if endpoint is None:
        refuse_without_endpoint({"--model": model, "--by-path": by_path})

    async def run() -> CaptionRun:
        async with answering(
            target,
            endpoint,
            model,
            by_path=by_path,
            checkpoint=said["checkpoint"],
            adapter=said["adapter"],
        ) as reasoner:
            captioner = Captioner(
                reasoner.ask,
                probe=probe_clip,
                attach=reasoner.attach,
                texts=texts,
                sampling=CAPTIONING.model_copy(update=sampling),
                attempts=attempts,
                keep_answers=debug,
            )
            with counted(len(items), "clips") as count:
                return await captioner.run(items, output, at_once=jobs, on_outcome=lambda _: count())

    try:
        outcomes = asyncio.run(run()).outcomes
    except KeyboardInterrupt:
        print("orrery: cancelled; run the same command to continue.", file=sys.stderr)
        raise
    raise typer.Exit(_report(outcomes, output))


def _report(outcomes: Sequence[CaptionOutcome], output: Path) -> int:
    """Print what failed, then how many ended how. The exit status."""
    failed = [(outcome.name, outcome.reason) for outcome in outcomes if outcome.state == "failed"]
    if failed:
        print_table(("failed", "why"), failed)
    counts = Counter(outcome.state for outcome in outcomes)
    print(f"{output}  {counts['written']} written, {counts['skipped']} skipped, {counts['failed']} failed")
    return SOME_FAILED if counts["failed"] else 0
