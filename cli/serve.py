"""`orrery serve`: become the server."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from cli.options import DataOption

SERVER_COMMAND = (sys.executable, "-P", "-m", "backend")
"""-P: a folder named `backend` where the user happens to stand is not ours."""


def serve(
    host: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_HOST", help="Address to listen on [127.0.0.1]; any but loopback needs a token."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(envvar="ORRERY_PORT", help="Port [7860]; 0 picks a free one and prints it.")
    ] = None,
    data: DataOption = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_CHECKPOINT",
            help="A preset's id or a folder [the last active; at first pocket, or speck without its files].",
        ),
    ] = None,
    token: Annotated[
        str | None, typer.Option(envvar="ORRERY_TOKEN", help="Turns authentication on, loopback included.")
    ] = None,
    allowed_hosts: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_ALLOWED_HOSTS", help="Further Host names to answer to, comma-separated."),
    ] = None,
    trusted_proxies: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_TRUSTED_PROXIES", help="Addresses of reverse proxies whose X-Forwarded-For counts [none]."
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option(envvar="ORRERY_DEVICE", help="auto, cpu, cuda or cuda:N [auto].")
    ] = None,
    gpus: Annotated[
        int | None, typer.Option(envvar="ORRERY_GPUS", help="GPUs that share a clip's steps: 1, 2, 4 or 8 [1].")
    ] = None,
    policy_gpus: Annotated[
        int | None, typer.Option(envvar="ORRERY_POLICY_GPUS", help="How many of them share a policy's steps [1].")
    ] = None,
    precision: Annotated[
        str | None, typer.Option(envvar="ORRERY_PRECISION", help="exact, or fp8: faster, and a little off [exact].")
    ] = None,
    offload: Annotated[
        bool | None, typer.Option(envvar="ORRERY_OFFLOAD", help="Keep the weights in the host's memory.")
    ] = None,
    allowed_media_folders: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_ALLOWED_MEDIA_FOLDERS", help="Folders that chats may show, comma-separated."),
    ] = None,
    allow_remote_media: Annotated[
        bool | None,
        typer.Option(envvar="ORRERY_ALLOW_REMOTE_MEDIA", help="Let chats show what lies at public addresses."),
    ] = None,
    upsampler_url: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_UPSAMPLER_URL", help="OpenAI-compatible endpoint that upsamples prompts."),
    ] = None,
    upsampler_model: Annotated[
        str | None, typer.Option(envvar="ORRERY_UPSAMPLER_MODEL", help="Its model [the first that it lists].")
    ] = None,
    upsampler_key: Annotated[
        str | None, typer.Option(envvar="ORRERY_UPSAMPLER_KEY", help="Its key; better set as a variable.")
    ] = None,
    critic_url: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_CRITIC_URL", help="OpenAI-compatible endpoint that judges results in refinements."),
    ] = None,
    critic_model: Annotated[
        str | None, typer.Option(envvar="ORRERY_CRITIC_MODEL", help="Its model [the first that it lists].")
    ] = None,
    critic_key: Annotated[
        str | None, typer.Option(envvar="ORRERY_CRITIC_KEY", help="Its key; better set as a variable.")
    ] = None,
    rewriter_url: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_REWRITER_URL", help="OpenAI-compatible endpoint that rewrites prompts in refinements."
        ),
    ] = None,
    rewriter_model: Annotated[
        str | None, typer.Option(envvar="ORRERY_REWRITER_MODEL", help="Its model [the first that it lists].")
    ] = None,
    rewriter_key: Annotated[
        str | None, typer.Option(envvar="ORRERY_REWRITER_KEY", help="Its key; better set as a variable.")
    ] = None,
    replicas: Annotated[
        int | None, typer.Option(envvar="ORRERY_REPLICAS", help="Engines of each checkpoint, side by side [1].")
    ] = None,
    memory_gb: Annotated[
        float | None,
        typer.Option(envvar="ORRERY_MEMORY_GB", help="What loaded checkpoints may take together [what is free]."),
    ] = None,
    quota_gb: Annotated[
        float | None,
        typer.Option(envvar="ORRERY_QUOTA_GB", help="GB that uploads and results may take [what the disk has]."),
    ] = None,
    guardrail_url: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_GUARDRAIL_URL", help="Where python -m guardrail answers, on this machine."),
    ] = None,
    require_guardrail: Annotated[
        bool | None,
        typer.Option(envvar="ORRERY_REQUIRE_GUARDRAIL", help="Run nothing that the guardrail has not read."),
    ] = None,
    rate_limit: Annotated[
        int | None,
        typer.Option(envvar="ORRERY_RATE_LIMIT", help="Changes a minute by one caller; 0 is no limit [600 from afar]."),
    ] = None,
    robot: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_ROBOT", help="simulated or scripted: an arm in a simulated world beside the server [none]."
        ),
    ] = None,
) -> None:
    """Start the server and the page."""
    said = {
        "host": host,
        "port": port,
        "data": data,
        "checkpoint": checkpoint,
        "token": token,
        "allowed_hosts": allowed_hosts,
        "trusted_proxies": trusted_proxies,
        "device": device,
        "gpus": gpus,
        "policy_gpus": policy_gpus,
        "precision": precision,
        "offload": offload,
        "allowed_media_folders": allowed_media_folders,
        "allow_remote_media": allow_remote_media,
        "upsampler_url": upsampler_url,
        "upsampler_model": upsampler_model,
        "upsampler_key": upsampler_key,
        "critic_url": critic_url,
        "critic_model": critic_model,
        "critic_key": critic_key,
        "rewriter_url": rewriter_url,
        "rewriter_model": rewriter_model,
        "rewriter_key": rewriter_key,
        "replicas": replicas,
        "memory_gb": memory_gb,
        "quota_gb": quota_gb,
        "guardrail_url": guardrail_url,
        "require_guardrail": require_guardrail,
        "rate_limit": rate_limit,
        "robot": robot,
    }
    os.execve(SERVER_COMMAND[0], SERVER_COMMAND, server_environment(os.environ, said))


def server_environment(environment: Mapping[str, str], said: Mapping[str, str | float | Path | None]) -> dict[str, str]:
    """An environment for the server: what was said as ORRERY_ variables over what is there.

    `{"port": 0}` becomes `ORRERY_PORT=0`.
    """
    flags = {f"ORRERY_{name.upper()}": str(value) for name, value in said.items() if value is not None}
    return {**environment, **flags}
