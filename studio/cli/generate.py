"""`orrery generate`: a prompt in, a picture or a clip in a file."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from studio.cli.options import DataOption, ServerOption, TokenOption
from studio.cli.request_flags import build_request, flag

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager

    from studio.cli.output_files import OutputFiles
    from studio.client import StudioClient
    from studio.jobs import Job
    from studio.requests import Request

CANCEL_TIMEOUT_S = 5.0


def generate(
    prompt: Annotated[list[str], typer.Argument(metavar="PROMPT...", help="What to draw; several words are joined.")],
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            envvar="ORRERY_OUTPUT",
            metavar="FILE",
            help="A .png or .mp4 file, or - for a picture on stdout.",
        ),
    ],
    size: Annotated[
        str | None, typer.Option(envvar="ORRERY_SIZE", metavar="WIDTHxHEIGHT", help="Canvas, as in 1024x1024.")
    ] = None,
    steps: Annotated[str | None, flag("sampling.num_inference_steps")] = None,
    guidance: Annotated[str | None, flag("sampling.guidance_scale")] = None,
    seed: Annotated[str | None, flag("sampling.seed")] = None,
    flow_shift: Annotated[str | None, flag("sampling.flow_shift")] = None,
    schedule: Annotated[str | None, flag("sampling.schedule")] = None,
    guidance_interval: Annotated[tuple[float, float] | None, flag("sampling.guidance_interval")] = None,
    num_frames: Annotated[str | None, flag("num_frames")] = None,
    fps: Annotated[str | None, flag("fps")] = None,
    sound: Annotated[bool | None, flag("sound")] = None,
    start_image: Annotated[str | None, flag("start_image")] = None,
    source_video: Annotated[str | None, flag("source_video")] = None,
    condition_frames: Annotated[str | None, flag("condition_frames")] = None,
    condition_end: Annotated[str | None, flag("condition_end")] = None,
    save_latents: Annotated[bool | None, flag("save_latents")] = None,
    count: Annotated[str | None, flag("count")] = None,
    negative_prompt: Annotated[str | None, flag("negative_prompt")] = None,
    checkpoint: Annotated[str | None, flag("checkpoint")] = None,
    system_prompt: Annotated[bool | None, flag("use_system_prompt")] = None,
    resolution_sentence: Annotated[bool | None, flag("use_resolution_template")] = None,
    duration_sentence: Annotated[bool | None, flag("use_duration_template")] = None,
    force: Annotated[
        bool, typer.Option("--force", envvar="ORRERY_FORCE", help="Replace files that are there.")
    ] = False,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Make pictures or clips, on a running server or on one that is started for the duration.

    The output's name decides: a .png is a picture, an .mp4 a clip.
    """
    from studio.cli.attachments import placeholder
    from studio.cli.output_files import kind_of, plan_files
    from studio.cli.target import local_checkpoint, read_target, running_server, started
    from studio.client import StudioClient

    attached = {"start_image": start_image, "source_video": source_video}
    said = {
        "prompt": " ".join(prompt),
        "sampling.num_inference_steps": steps,
        "sampling.guidance_scale": guidance,
        "sampling.seed": seed,
        "sampling.flow_shift": flow_shift,
        "sampling.schedule": schedule,
        "sampling.guidance_interval": guidance_interval,
        "num_frames": num_frames,
        "fps": fps,
        "sound": sound,
        "condition_frames": condition_frames and condition_frames.split(","),
        "condition_end": condition_end,
        "save_latents": save_latents,
        **{name: placeholder(name, given) for name, given in attached.items() if given is not None},
        "count": count,
        "negative_prompt": negative_prompt,
        "checkpoint": checkpoint,
        "use_system_prompt": system_prompt,
        "use_resolution_template": resolution_sentence,
        "use_duration_template": duration_sentence,
    }
    request = build_request(kind_of(output), said, size)
    files = plan_files(output, request.count, force=force)
    target = read_target(server, data, token)
    if target.server is None:
        request = request.model_copy(update={"checkpoint": local_checkpoint(request.checkpoint, target)})
    url = running_server(target)
    try:
        if url is None:
            own = started(target, request.checkpoint)
            # A server that was started with a checkpoint needs no telling.
            asyncio.run(_generate(request.model_copy(update={"checkpoint": None}), attached, own, files))
        else:
            asyncio.run(_generate(request, attached, StudioClient(url, token=target.token), files))
    except KeyboardInterrupt:
        print("orrery: cancelled.", file=sys.stderr)
        raise


async def _generate(
    request: Request,
    attached: Mapping[str, str | None],
    server: AbstractAsyncContextManager[StudioClient],
    files: OutputFiles,
) -> None:
    from studio.cli.attachments import attach
    from studio.errors import Conflict

    async with server as client:
        request = await attach(client, request, attached)
        # A task of its own: Ctrl+C while the request is on its way must still learn which job to cancel.
        submitting = asyncio.create_task(client.submit(request))
        try:
            job = await _ended(client, await asyncio.shield(submitting))
        except asyncio.CancelledError:
            await _cancel(client, submitting)
            raise
        if job.error is not None:
            raise job.error.error()
        if job.state == "cancelled":
            raise Conflict(f"Job {job.id} was cancelled.", hint="orrery jobs retry runs it again.")
        await files.save(client, job)


async def _ended(client: StudioClient, job: Job) -> Job:
    """Watch a job to its end."""
    from studio.cli.progress import drawn

    with drawn(job) as draw:
        async for latest in client.events(job.id):
            job = latest
            draw(job)
    return job


async def _cancel(client: StudioClient, submitting: asyncio.Task[Job]) -> None:
    from studio.errors import Conflict, StudioError

    try:
        async with asyncio.timeout(CANCEL_TIMEOUT_S):
            await client.cancel((await submitting).id)
    except Conflict:
        return  # it had ended by itself
    except (StudioError, TimeoutError):
        print("orrery: the server could not be told; the job may go on.", file=sys.stderr)
