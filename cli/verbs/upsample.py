"""`orrery upsample`: a person's words as the structured caption that the generator was trained on."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.answering import Patient, open_endpoint, patiently, refuse_without_endpoint
from cli.attachments import Attachments
from cli.clip_facts import clip_facts
from cli.flags import EndpointOption, ForceOption, ModelOption, TargetFlags, model_flags, with_flags
from cli.output_files import check_file
from cli.printed import one_line, printable
from cli.request_flags import Said, best_kind, build_request, request_flags, told
from cli.target import Target, reached
from studio.captions.caption_files import write_text
from studio.errors import BadInput
from studio.prompting import (
    UPSAMPLING,
    Captioned,
    ImageUrl,
    ReasonerSampling,
    Shown,
    VideoUrl,
    attach_image,
    attach_video,
    is_captioned,
    shown_media,
    wish_of,
)
from studio.prompting import upsample as ask_for_caption
from studio.prompting.word_diff import UserWord
from studio.reasoner_answers import UpsampleAnswer
from studio.requests import KINDS, TransferVideo, nearest, shown
from studio.requests.transfer_video import MAX_FRAMES

CAPTIONED = {name: kind for name, kind in KINDS.items() if kind.is_captioned}

ATTEMPTS = 3

KEPT, LOST, SMALL = "green", "bold red", "dim"


@with_flags
def upsample(
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
            "source_video",
            "controls",
            "checkpoint",
        ),
    ],
    sampling: Annotated[
        Mapping[str, Any], model_flags(ReasonerSampling, {"max_tokens": "max-tokens"}, dict(UPSAMPLING))
    ],
    kind: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_KIND",
            help=f"{', '.join(CAPTIONED)}; default: a transfer if controls are given, a video if one of its options "
            f"is set, else an image.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            envvar="ORRERY_OUTPUT",
            metavar="FILE",
            help="Output file for the caption, as one line of JSON; default: stdout.",
        ),
    ] = None,
    adapter: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_ADAPTER", metavar="NAME", help="A LoRA adapter for the server's reasoner."),
    ] = None,
    diff: Annotated[
        bool,
        typer.Option("--diff", envvar="ORRERY_DIFF", help="Show which of your words were kept and which were lost."),
    ] = False,
    attempts: Annotated[
        int | None,
        typer.Option(envvar="ORRERY_ATTEMPTS", min=1, max=10, help="Maximum number of attempts [3]."),
    ] = None,
    force: ForceOption = False,
    endpoint: EndpointOption = None,
    model: ModelOption = None,
    target: TargetFlags,
) -> None:
    """Rewrite a prompt as a structured caption, the form that the generator was trained on.

    The server's reasoner does it, or the endpoint given. On a terminal the caption is printed with indents, otherwise
    as one line that `orrery generate` accepts as its prompt. --attempts and --max-tokens need --endpoint.
    """
    path = output.expanduser() if output else None
    if path is not None:
        check_file(path, force=force)
    words = " ".join(prompt)
    attachments = Attachments()
    request = _wanted(kind, {"prompt": words, **said}, attachments)
    if endpoint is not None:
        if adapter is not None:
            raise BadInput("--adapter needs the server's reasoner; --endpoint is given too.", param="adapter")
        answer = _by_endpoint(request, attachments, endpoint, model, attempts=attempts or ATTEMPTS, sampling=sampling)
    else:
        max_tokens = sampling.get("max_tokens")
        refuse_without_endpoint({"--model": model, "--attempts": attempts, "--max-tokens": max_tokens})
        answer = _by_server(request, attachments, adapter, target)
    if path is not None:
        asyncio.run(write_text(path, f"{answer.prompt}\n"))
        print(f"{path}  {len(answer.prompt):,} characters")
    else:
        print(json.dumps(json.loads(answer.prompt), indent=2) if sys.stdout.isatty() else answer.prompt)
    if diff:
        _print_diff(words, answer, to_stderr=path is None)


def _wanted(kind: str | None, said: Said, attachments: Attachments) -> Captioned:
    """What the caption is for: the request that flags describe. Raises BadInput."""
    kind = kind or best_kind(said, CAPTIONED.values())
    if kind not in CAPTIONED:
        raise BadInput(
            f"--kind is {shown(kind)}; only images, videos and transfers have structured captions.",
            param="kind",
            hint=nearest(kind, CAPTIONED),
        )
    if said["start_image"] and said["source_video"]:
        raise BadInput("--start-image and --source-video are both given; give only one of them.", param="source_video")
    request = build_request(kind, said, attachments)
    assert is_captioned(request)
    return request


def _by_endpoint(
    request: Captioned,
    attachments: Attachments,
    address: str,
    model: str | None,
    *,
    attempts: int,
    sampling: Mapping[str, Any],
) -> UpsampleAnswer:
    """Ask an endpoint.

    Raises:
        BadInput: what it is to be shown is no file here, or none that can be read.
        EngineError: no answer could be used.
        StudioError: what `Endpoint` raises.
    """
    media = [(medium, _file(medium, attachments)) for medium in shown_media(request)]
    wish = wish_of(
        _sized(request, attachments),
        [_part(*item) for item in media],
        sampling=UPSAMPLING.model_copy(update=sampling),
        attempts=attempts,
    )

    async def run() -> UpsampleAnswer:
        async with open_endpoint(address, model) as ask:
            return UpsampleAnswer.of(await ask_for_caption(Patient(ask), wish))

    return asyncio.run(run())


def _by_server(request: Captioned, attachments: Attachments, adapter: str | None, target: Target) -> UpsampleAnswer:
    """Ask the server that runs, else one that runs for the duration. Raises EngineError, and what the server says."""

    path = "/v1/upsample" + (f"?adapter={quote(adapter, safe='')}" if adapter else "")

    async def run() -> UpsampleAnswer:
        async with reached(target, request.checkpoint) as (client, checkpoint):
            await attachments.send(client)
            # What nobody set is left for the server, whose preset knows better defaults.
            said = told(request, checkpoint).model_dump(mode="json", exclude_unset=True)
            body = {**said, "kind": request.kind}
            return await patiently(lambda: client.ask_reasoner(path, body, UpsampleAnswer))

    return asyncio.run(run())


def _file(medium: Shown, attachments: Attachments) -> Path:
    path = attachments.file(medium.id)
    if path is None:
        raise BadInput(f"{medium.param} is {shown(medium.id)}; an endpoint accepts only files.", param=medium.param)
    return path


def _part(medium: Shown, path: Path) -> ImageUrl | VideoUrl:
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


def _print_diff(prompt: str, answer: UpsampleAnswer, *, to_stderr: bool) -> None:
    """Print a prompt with its lost words in brackets, then the caption's parts with the words that each keeps.

    `A robot [-quietly-] lifts a cup` without colours; with them kept words are green and lost ones red besides.

    Args:
        prompt: the person's words.
        answer: the caption, and where they went.
        to_stderr: leave stdout to the caption.
    """
    console = Console(stderr=to_stderr)
    looked_up = [word for word in answer.diff.words if not word.small]
    kept = len(looked_up) - len(answer.diff.lost)
    console.print(_marked(prompt, answer.diff.words))
    console.print(Text(f"{kept} of {len(looked_up)} words kept", style=SMALL))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for path, found in answer.diff.kept_by.items():
        table.add_row(Text(path, style=SMALL), Text(one_line(", ".join(dict.fromkeys(found))), overflow="fold"))
    for repair in answer.repaired:
        what = f"{repair.kind.replace('_', ' ')} {repair.detail}".rstrip()
        table.add_row(Text(repair.path or "answer", style=SMALL), Text(one_line(f"repaired: {what}"), overflow="fold"))
    if table.row_count:
        console.print(table)


def _marked(prompt: str, words: Sequence[UserWord]) -> Text:
    """The prompt with every word in the colour of what became of it."""
    text, end = Text(overflow="fold"), 0
    for word in words:
        text.append(printable(prompt[end : word.start]))
        spelled = printable(word.text)
        if word.small:
            text.append(spelled, SMALL)
        elif word.places:
            text.append(spelled, KEPT)
        else:
            text.append(f"[-{spelled}-]", LOST)
        end = word.end
    return text.append(printable(prompt[end:]))
