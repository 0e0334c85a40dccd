"""What a generator is looked at by: held-out prompts of a data set with their true clips, else its first clips."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from studio.captions.training_data import LISTING, LISTING_FOLDERS, PROMPT_FOLDERS
from studio.datasets import file_inside
from studio.requests import Frozen

MAX_SHOWN = 2
"""Clips, each of which is made from words, from its first frame and from its first frames: 000 shows two."""


class HeldOut(Frozen):
    """A clip to be made again.

    Attributes:
        name: for people.
        prompt: as it was, or would be, trained on.
        clip: the true one.
        learnt: it is among what was trained on.
    """

    name: str
    prompt: str
    clip: Path
    learnt: bool = False


def held_out(folder: Path) -> tuple[HeldOut, ...]:
    """At most `MAX_SHOWN` of `val/inference_prompt*/EPISODE.json` that have `val/videos/EPISODE.mp4`; else the first
    clips of the list that is trained on.
    """
    found = _validation(folder / "val") or _trained(folder)
    return tuple(found[:MAX_SHOWN])


def _validation(val: Path) -> list[HeldOut]:
    prompts = {path.stem: path for name in reversed(PROMPT_FOLDERS) for path in sorted((val / name).glob("*.json"))}
    found: list[HeldOut] = []
    for name, path in sorted(prompts.items()):
        clip = val / "videos" / f"{name}.mp4"
        prompt = _object(path.read_text("utf-8")).get("prompt")
        if isinstance(prompt, str) and clip.is_file():
            found.append(HeldOut(name=name, prompt=prompt, clip=clip))
    return found


def _trained(folder: Path) -> list[HeldOut]:
    listing = next((folder / name / LISTING for name in LISTING_FOLDERS if (folder / name / LISTING).is_file()), None)
    found: list[HeldOut] = []
    if listing is None:
        return found
    with listing.open(encoding="utf-8") as lines:
        for line in lines:
            row = _object(line)
            windows: list[object] = row.get("t2w_windows") or [{}]
            window = cast(dict[str, Any], windows[0])
            caption = window.get("caption_json")
            prompt = json.dumps(caption) if caption else window.get("caption")
            clip = file_inside(folder, listing.parent, str(row.get("vision_path")))
            if isinstance(prompt, str) and clip is not None:
                found.append(HeldOut(name=str(row.get("uuid", clip.stem)), prompt=prompt, clip=clip, learnt=True))
            if len(found) == MAX_SHOWN:
                break
    return found


def _object(text: str) -> dict[str, Any]:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
