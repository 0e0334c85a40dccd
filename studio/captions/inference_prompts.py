"""Inference prompts rewritten to the captions that training reads (`prompts-to-json`; SFT data format)."""

from __future__ import annotations

import json
from pathlib import Path

from studio.captions.caption_files import CAPTION, NotJson, read_object, write_text
from studio.errors import BadInput
from studio.requests import Frozen

PROMPT_FOLDERS = ("inference_prompt", "inference_prompt_i2v", "inference_prompt_v2v")


class RewrittenPrompt(Frozen):
    """One prompt file.

    Attributes:
        path: of the file.
        num_characters: of its new prompt.
        changed: whether that is another prompt than before.
        skipped: why the file was left alone; empty when it was not.
    """

    path: str
    num_characters: int = 0
    changed: bool = False
    skipped: str = ""


async def prompts_to_json(
    val_dir: Path, *, captions_dir: Path | None = None, dry_run: bool = False
) -> tuple[RewrittenPrompt, ...]:
    """Put a clip's structured caption, as one line of JSON, into `prompt` of each of its prompt files.

    `<val>/inference_prompt{,_i2v,_v2v}/<episode>.json` takes `<val>/captions/<episode>/caption.json`; every other field
    stays. Doing it again changes nothing.

    Args:
        val_dir: the validation split.
        captions_dir: where the captions lie, instead of `<val>/captions`.
        dry_run: say what would be done, and write nothing.

    Raises:
        BadInput: there are no prompt files.
        StorageError: a file cannot be written; DiskFull, when that is why.
    """
    captions = captions_dir if captions_dir is not None else val_dir / "captions"
    files = [path for name in PROMPT_FOLDERS for path in sorted((val_dir / name).glob("*.json"))]
    if not files:
        raise BadInput(
            f"{val_dir} has no prompt files.",
            param="val_dir",
            hint=f"They lie in {', '.join(PROMPT_FOLDERS)}, one an episode.",
        )
    return tuple([await _rewrite(path, captions / path.stem / CAPTION, dry_run=dry_run) for path in files])


async def _rewrite(path: Path, caption_path: Path, *, dry_run: bool) -> RewrittenPrompt:
    try:
        if not caption_path.is_file():
            raise NotJson(f"there is no {caption_path}")
        # As training serialises it, and therefore byte for byte what the generator was trained to read.
        prompt = json.dumps(read_object(caption_path))
        record = read_object(path)
    except NotJson as error:
        return RewrittenPrompt(path=str(path), skipped=str(error))
    changed = record.get("prompt") != prompt
    if changed and not dry_run:
        await write_text(path, json.dumps({**record, "prompt": prompt}, indent=4) + "\n")
    return RewrittenPrompt(path=str(path), num_characters=len(prompt), changed=changed)
