"""A prompt upsampled by a server or an endpoint, and the caption that came of it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.answering import Patient, open_endpoint, patiently
from cli.attachments import Attachments
from cli.clip_facts import clip_facts
from cli.flag_values import parse_controls
from cli.request_flags import build_request
from cli.request_kind import best_kind
from cli.target import Target, local_checkpoint, reached, running_server
from studio.captions.caption_files import write_text
from studio.errors import BadInput
from studio.prompting import (
    UPSAMPLING,
    Captioned,
    ImagePart,
    Shown,
    VideoPart,
    attach_image,
    attach_video,
    is_captioned,
    shown_media,
    upsample,
    wish_of,
)
from studio.reasoner_answers import UpsampleAnswer
from studio.requests import KINDS, TransferVideo, nearest, shown
from studio.requests.transfer_video import MAX_FRAMES

ATTEMPTS = 3


@dataclass(frozen=True)
class Wanted:
    """What the caption is for.

    Attributes:
        request: what would be generated; media by the ids that a server will give them.
        attachments: those files.
    """

    request: Captioned
    attachments: Attachments


def read_wanted(kind: str | None, said: Mapping[str, Any], size: str | None) -> Wanted:
    """What flags describe.

    Args:
        kind: of the request, or None to tell it from the rest.
        said: flags by field; None is unsaid.
        size: "WIDTHxHEIGHT", or None.

    Raises:
        BadInput: a flag cannot mean what it says.
    """
    given = {name: value for name, value in said.items() if value is not None}
    captioned = {name: row for name, row in KINDS.items() if row.is_captioned}
    if kind is None:
        kind = best_kind(given.keys(), captioned.values())
    if kind not in captioned:
        hint = nearest(kind, captioned)
        raise BadInput(
            f"--kind is {shown(kind)}; pictures, clips and transfers have structured captions.", param="kind", hint=hint
        )
    attachments = Attachments()
    media = {name: given[name] for name in ("start_image", "source_video") if name in given}
    if len(media) > 1:
        raise BadInput("--start-image and --source-video are both given; a clip starts from one.", param="source_video")
    values: dict[str, Any] = {name: attachments.name(said_name, name) for name, said_name in media.items()}
    if "controls" in given:
        values["controls"] = parse_controls(given["controls"], attachments)
    request = build_request(kind, {**given, **values}, size)
    assert is_captioned(request)
    return Wanted(request, attachments)


def by_endpoint(
    wanted: Wanted, address: str, model: str | None, *, attempts: int | None, max_tokens: int | None
) -> UpsampleAnswer:
    """Ask an endpoint.

    Raises:
        BadInput: what it is to be shown is no file here, or none that can be read.
        EngineError: no answer could be used.
        StudioError: what `Endpoint` raises.
    """
    media = [(medium, _file(medium, wanted.attachments)) for medium in shown_media(wanted.request)]
    said = {"max_tokens": max_tokens} if max_tokens else {}
    wish = wish_of(
        _sized(wanted.request, wanted.attachments),
        [_part(*item) for item in media],
        sampling=UPSAMPLING.model_copy(update=said),
        attempts=attempts or ATTEMPTS,
    )

    async def run() -> UpsampleAnswer:
        async with open_endpoint(address, model) as ask:
            return UpsampleAnswer.of(await upsample(Patient(ask), wish))

    return asyncio.run(run())


def by_server(wanted: Wanted, target: Target, checkpoint: str | None) -> UpsampleAnswer:
    """Ask the server that runs, else one that runs for the duration.

    Raises:
        EngineError: no answer could be used.
        StudioError: the server's own refusal.
    """
    if target.server is None:
        checkpoint = local_checkpoint(checkpoint, target)
    runs_already = running_server(target) is not None
    # What nobody set is left for the server, whose preset knows better defaults.
    body = {**wanted.request.model_dump(mode="json", exclude_unset=True), "kind": wanted.request.kind}
    if runs_already and checkpoint is not None:
        body["checkpoint"] = checkpoint

    async def run() -> UpsampleAnswer:
        async with reached(target, checkpoint) as client:
            await wanted.attachments.send(client)
            return await patiently(lambda: client.ask_reasoner("/v1/upsample", body, UpsampleAnswer))

    return asyncio.run(run())


def show_caption(answer: UpsampleAnswer, path: Path | None) -> None:
    """Write the caption, as the one line that the generator reads; indented where a person reads it."""
    if path is not None:
        asyncio.run(write_text(path, f"{answer.prompt}\n"))
        print(f"{path}  {len(answer.prompt):,} characters")
    elif sys.stdout.isatty():
        print(json.dumps(json.loads(answer.prompt), indent=2))
    else:
        print(answer.prompt)


def _file(medium: Shown, attachments: Attachments) -> Path:
    path = attachments.file(medium.id)
    if path is None:
        raise BadInput(
            f"{medium.param} is {shown(medium.id)}; an endpoint can be shown files only.", param=medium.param
        )
    return path


def _part(medium: Shown, path: Path) -> ImagePart | VideoPart:
    return attach_image(path) if medium.param == "start_image" else attach_video(path)


def _sized(request: Captioned, attachments: Attachments) -> Captioned:
    """The request with its length said: a transfer without one is as long as its first control. Raises BadInput."""
    if not isinstance(request, TransferVideo) or request.num_frames is not None:
        return request
    name = request.controls[0].video or request.source_video
    path = attachments.file(name) if name else None
    assert path is not None, "all that it follows was found to be files, and a computed control has a source"
    num_frames = round(clip_facts(path).duration_s * request.fps)
    return request.model_copy(update={"num_frames": min(max(num_frames, 1), MAX_FRAMES)})
