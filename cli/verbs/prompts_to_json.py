"""`orrery prompts-to-json`: inference prompts in the form that training reads."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from cli.printed import print_table
from studio.captions.training_data import RewrittenPrompt
from studio.captions.training_data import prompts_to_json as rewrite

ALL_SKIPPED = 1
"""Exit status when no file has its caption."""


def prompts_to_json(
    val_dir: Annotated[
        Path,
        typer.Option(
            envvar="ORRERY_VAL_DIR",
            metavar="FOLDER",
            help="The split: captions/, and inference_prompt/, inference_prompt_i2v/ or inference_prompt_v2v/.",
        ),
    ],
    captions_dir: Annotated[
        Path | None,
        typer.Option(
            envvar="ORRERY_CAPTIONS_DIR", metavar="FOLDER", help="Folder of the captions, if not in the split."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", envvar="ORRERY_DRY_RUN", help="Print what would change, and write nothing.")
    ] = False,
) -> None:
    """Put each video's structured caption into its prompt files, as one line of JSON, the format used in training.

    All other fields are kept, and running it again changes nothing. The exit status is 1 if no file has a caption.
    """
    folder = captions_dir.expanduser() if captions_dir else None
    done = asyncio.run(rewrite(val_dir.expanduser(), captions_dir=folder, dry_run=dry_run))
    print_table(("file", "state", "what"), [_row(prompt, dry_run) for prompt in done])
    if all(prompt.skipped for prompt in done):
        raise typer.Exit(ALL_SKIPPED)


def _row(prompt: RewrittenPrompt, dry_run: bool) -> tuple[str, str, str]:
    if prompt.skipped:
        return prompt.path, "skipped", prompt.skipped
    changed = "would change" if dry_run else "rewritten"
    return prompt.path, changed if prompt.changed else "unchanged", f"{prompt.num_characters:,} characters"
