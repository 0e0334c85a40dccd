"""Settings: read once when a program starts, from its environment, and passed on."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from studio.errors import BadInput, CannotListen
from studio.presets import Precision
from studio.requests import explain
from studio.requests.refine_image import Role

DEFAULT_PORT = 7860

DEFAULT_CHECKPOINT = "pocket"
"""What ships with the studio."""

_ITS_MODEL = "Model of the endpoint [the first that it lists]"
_ITS_KEY = "API key of the endpoint, sent as a bearer token; prefer the environment variable"

STAND_IN = "speck"
"""What is served where nobody has said a checkpoint and the default one's files are not there: it needs none."""


def default_data_folder() -> Path:
    """`$XDG_DATA_HOME/orrery`, by default `~/.local/share/orrery`."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "orrery"


def chosen_data_folder(said: Path | None) -> Path:
    """The data folder that was named, else the default one; absolute.

    Raises:
        BadInput: it begins with the home folder of somebody unknown.
    """
    try:
        return (said or default_data_folder()).expanduser().absolute()
    except RuntimeError:
        raise BadInput(
            f"The data folder {said} starts with the home of an unknown user.",
            param="data",
            hint="Use an absolute path.",
        ) from None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class ServerSettings(BaseSettings):
    """What `orrery serve` is told. Every field is a flag, whose help is its description, and an `ORRERY_…` variable."""

    model_config = SettingsConfigDict(env_prefix="ORRERY_", env_ignore_empty=True, frozen=True, extra="ignore")

    host: str = Field(
        default="127.0.0.1", description="Address to listen on; any address other than loopback needs a token"
    )
    port: int = Field(default=DEFAULT_PORT, ge=0, le=65535, description="Port; 0 selects a free one and prints it")
    data: Path = Field(
        default_factory=default_data_folder,
        description="Folder for jobs, media, checkpoints and your presets [~/.local/share/orrery]",
    )
    datasets: Path | None = Field(
        default=None,
        description="Folder whose folders are data sets for tuning, beside those that are uploaded; it is only read",
    )
    checkpoint: str = Field(
        default=DEFAULT_CHECKPOINT,
        description="Default checkpoint: a preset's id or a folder; if not set, the default of the last run, at "
        "first this one, or speck if its files are missing",
    )
    token: SecretStr | None = Field(default=None, description="Access token; turns authentication on, also on loopback")
    allowed_hosts: str = Field(default="", description="Additional host names to accept, comma-separated")
    trusted_proxies: str = Field(
        default="",
        description="Addresses and networks of trusted reverse proxies, comma-separated; X-Forwarded-For and "
        "X-Forwarded-Proto are accepted only from them",
    )
    device: str = Field(
        default="auto",
        pattern=r"^(auto|cpu|cuda(:\d+)?)$",
        description="auto, cpu, cuda or cuda:N; auto uses a GPU if there is one",
    )
    gpus: int = Field(
        default=1,
        ge=1,
        le=8,
        description="Number of GPUs, starting at the device, that share the steps of a video, and two of them those of "
        "an image: 1, 2, 4 or 8; on a CPU, the number of processes",
    )
    policy_gpus: int = Field(default=1, ge=1, le=8, description="Number of these GPUs that share the steps of a policy")
    policy_arms: int = Field(
        default=1, ge=1, le=8, description="Number of arms that the policy may drive at the same time, in turns"
    )
    precision: Precision = Field(
        default="exact",
        description="exact; fp8: 8-bit matrix products in the generator except in the first and last steps; or "
        "fp8-attention: as fp8, and long sequences attend in 8 bits except in the same steps (needs a Hopper GPU and "
        "fa3-fwd). For checkpoints whose preset does not set it",
    )
    offload: bool = Field(
        default=False, description="Keep the weights in host memory and copy them to the GPU block by block"
    )
    shard_weights: bool = Field(
        default=False,
        description="Divide the weights of the model's layers among the GPUs instead of keeping all of them on each; "
        "needs gpus above 1",
    )
    allowed_media_folders: str = Field(
        default="", description="Folders whose files chats may use as file:// URLs, comma-separated"
    )
    allow_remote_media: bool = Field(default=False, description="Let chats use media at public http(s) URLs")
    upsampler_url: str | None = Field(
        default=None,
        description="OpenAI-compatible endpoint that upsamples prompts, ending in its version; if not set, the "
        "loaded reasoner does it",
    )
    upsampler_model: str | None = Field(default=None, description=_ITS_MODEL)
    upsampler_key: SecretStr | None = Field(default=None, description=_ITS_KEY)
    critic_url: str | None = Field(
        default=None, description="OpenAI-compatible endpoint that judges results in refinements"
    )
    critic_model: str | None = Field(default=None, description=_ITS_MODEL)
    critic_key: SecretStr | None = Field(default=None, description=_ITS_KEY)
    rewriter_url: str | None = Field(
        default=None, description="OpenAI-compatible endpoint that rewrites prompts in refinements"
    )
    rewriter_model: str | None = Field(default=None, description=_ITS_MODEL)
    rewriter_key: SecretStr | None = Field(default=None, description=_ITS_KEY)
    replicas: int = Field(
        default=1, ge=1, le=64, description="Number of parallel engines per checkpoint, each on its own GPUs"
    )
    ray: str | None = Field(
        default=None,
        min_length=1,
        description="Address of a Ray cluster whose hosts run the engines, HOST:PORT, or auto for the one that this "
        "host belongs to; needs the extra cluster [this host alone]",
    )
    memory_gb: float | None = Field(
        default=None, gt=0, description="Memory per device for all loaded checkpoints together [the free memory]"
    )
    guardrail_url: str | None = Field(
        default=None, description="URL of python -m guardrail, on this machine; if not set, there is no guardrail"
    )
    require_guardrail: bool = Field(default=False, description="Refuse jobs that the guardrail has not checked")
    rate_limit: int | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        description="Write requests per minute and caller; a read counts as a tenth; 0 is no limit [600 for callers "
        "on other machines]",
    )
    robot: Literal["none", "simulated", "scripted"] = Field(
        default="none",
        description="simulated: run a simulated arm beside the server, driven by the checkpoint's policy if it was "
        "trained for it; scripted: the same arm with the scripted policy",
    )
    quota_gb: float | None = Field(
        default=None,
        gt=0,
        le=1e9,
        allow_inf_nan=False,
        description="Maximum size of uploads and results together, in GB (10^9 bytes) [the free disk space]",
    )

    @property
    def quota_bytes(self) -> int | None:
        """The quota in bytes."""
        return None if self.quota_gb is None else round(self.quota_gb * 1e9)

    @property
    def media_folders(self) -> tuple[Path, ...]:
        """`allowed_media_folders` as absolute folders, symbolic links followed."""
        names = (name.strip() for name in self.allowed_media_folders.split(","))
        return tuple(Path(name).expanduser().resolve() for name in names if name)

    def endpoint(self, role: Role) -> tuple[str | None, str | None, str | None]:
        """The address of the endpoint that takes a role, the model that is asked there, and the key; none has none."""
        match role:
            case "upsampler":
                url, model, key = self.upsampler_url, self.upsampler_model, self.upsampler_key
            case "critic":
                url, model, key = self.critic_url, self.critic_model, self.critic_key
            case "rewriter":
                url, model, key = self.rewriter_url, self.rewriter_model, self.rewriter_key
        return url, model, key.get_secret_value() if key else None

    @field_validator("gpus", "policy_gpus")
    @classmethod
    def _power_of_two(cls, value: int) -> int:
        if value & (value - 1):
            raise ValueError("expected 1, 2, 4 or 8")
        return value

    @field_validator("data")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return chosen_data_folder(value)

    @field_validator("guardrail_url")
    @classmethod
    def _guardrail_is_near(cls, value: str | None) -> str | None:
        url = urlsplit(value or "")
        if value is not None and (url.scheme != "http" or not is_loopback(url.hostname or "")):
            raise ValueError(f"{value} is not on this machine; expected http://127.0.0.1:PORT")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _proxies_are_addresses(cls, value: str) -> str:
        names = [name.strip() for name in value.split(",") if name.strip()]
        for name in names:
            try:
                ipaddress.ip_network(name)
            except ValueError:
                raise ValueError(
                    f"{name} is not an address or network; expected for example 10.0.0.7 or 10.0.0.0/24"
                ) from None
        return ",".join(names)

    @field_validator("token")
    @classmethod
    def _token_says_something(cls, value: SecretStr | None) -> SecretStr | None:
        said = value.get_secret_value() if value else ""
        if said != said.strip() or not (said.isascii() and said.isprintable()):
            raise ValueError("the token must consist of printable ASCII characters without surrounding spaces")
        return value if said else None

    @model_validator(mode="after")
    def _shards_need_gpus(self) -> Self:
        if self.shard_weights and (self.gpus == 1 or self.offload):
            said = "with --offload" if self.offload else "on one GPU"
            raise BadInput(
                f"--shard-weights {said}: expected several GPUs that hold the weights.",
                param="shard_weights",
                hint="Start with --gpus 2, 4 or 8 and without --offload, or without --shard-weights.",
            )
        return self

    @model_validator(mode="after")
    def _public_needs_token(self) -> Self:
        if self.token is None and not is_loopback(self.host):
            raise CannotListen(
                f"{self.host} is reachable from other machines, but no token is set.",
                param="host",
                hint="Set a token with --token or ORRERY_TOKEN, or listen on 127.0.0.1.",
            )
        return self


def read_settings() -> ServerSettings:
    """The settings of this process's environment.

    Raises:
        BadInput: a variable cannot mean what it says.
        CannotListen: the address is not loopback and there is no token.
    """
    try:
        return ServerSettings()
    except ValidationError as error:
        raise _named(explain(error, ServerSettings)) from None


def _named(error: BadInput) -> BadInput:
    variable = f"ORRERY_{(error.param or '').upper()}"
    flag = f"--{(error.param or '').replace('_', '-')}"
    hint = f"{error.hint} It is set by {flag} or {variable}.".strip()
    return BadInput(error.message, param=error.param, hint=hint)
