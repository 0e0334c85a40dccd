"""One run over clips: a bar while it lasts, a table of what became of them at its end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cli.answering import answering, refuse_without_endpoint
from cli.batch import SOME_FAILED
from cli.clip_facts import probe_clip
from cli.progress import counted
from cli.tables import print_table
from cli.target import Target, local_checkpoint
from studio.captions.work import read_work
from studio.errors import BadInput
from studio.prompting import Captioner, CaptionOutcome, CaptionRun, read_caption_texts
from studio.prompting.captioning import CAPTIONING

MANIFEST = ".jsonl"


def run_captions(
    clips: Path,
    output: Path,
    target: Target,
    *,
    endpoint: str | None,
    model: str | None,
    by_path: bool,
    checkpoint: str | None,
    template: Path | None,
    jobs: int,
    attempts: int,
    max_tokens: int | None,
    debug: bool,
) -> int:
    """Caption clips that have no caption yet.

    Args:
        clips: a clip, a folder of clips, or a manifest.
        output: the folder of captions.
        target: the server, where no endpoint is named.
        endpoint, model, by_path, checkpoint: see `cli.answering`.
        template: other prompts, or None.
        jobs: clips at a time.
        attempts: answers that are asked for in each phase, at most.
        max_tokens: of one answer; None takes the captioner's own.
        debug: whether answers are kept as they came.

    Returns:
        The exit status.

    Raises:
        StudioError: nothing can be begun, or nobody answers any more; what is written stays.
    """
    manifest = clips.suffix.lower() == MANIFEST and not clips.is_dir()
    items = read_work(manifest=clips) if manifest else read_work(video=clips)
    texts = read_caption_texts(template) if template else None
    if output.exists() and not output.is_dir():
        raise BadInput(f"{output} is a file; captions go into a folder.", param="output")
    if endpoint is None:
        refuse_without_endpoint({"--model": model, "--by-path": by_path})
        checkpoint = local_checkpoint(checkpoint, target) if target.server is None else checkpoint

    async def run() -> CaptionRun:
        async with answering(
            target, endpoint=endpoint, model=model, by_path=by_path, checkpoint=checkpoint
        ) as reasoner:
            captioner = Captioner(
                reasoner.ask,
                probe=probe_clip,
                attach=reasoner.attach,
                texts=texts,
                sampling=CAPTIONING.model_copy(update={"max_tokens": max_tokens}) if max_tokens else CAPTIONING,
                attempts=attempts,
                keep_answers=debug,
            )
            with counted(len(items), "clips") as count:

                def ended(outcome: CaptionOutcome) -> None:
                    count()

                return await captioner.run(items, output, at_once=jobs, on_outcome=ended)

    return _tell(asyncio.run(run()).outcomes, output)


def _tell(outcomes: Sequence[CaptionOutcome], output: Path) -> int:
    """A table of what failed, then how many ended how."""
    failed = [(outcome.name, outcome.reason) for outcome in outcomes if outcome.state == "failed"]
    if failed:
        print_table(("failed", "why"), failed)
    counts = Counter(outcome.state for outcome in outcomes)
    print(f"{output}  {counts['written']} written, {counts['skipped']} skipped, {counts['failed']} failed")
    return SOME_FAILED if counts["failed"] else 0
