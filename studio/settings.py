"""Settings: read once when a program starts, from its environment, and passed on."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path
from typing import Annotated, Literal, Self
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
            f"The data folder {said} begins with nobody's home.", param="data", hint="Name it in full."
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
    """What `orrery serve` is told; every field is also an `ORRERY_…` variable.

    Attributes:
        host, port: the address to listen on; port 0 picks a free one.
        data: the folder of jobs, media, checkpoints and a user's own presets.
        checkpoint: a preset's id or a folder; unless it is said, the one that was active last.
        token: turns authentication on, everywhere.
        allowed_hosts: further Host names that the server answers to, comma-separated.
        trusted_proxies: addresses and networks of reverse proxies, comma-separated; what their `X-Forwarded-For` and
            `X-Forwarded-Proto` say of a caller counts, and nobody else's.
        device: where the engine computes; `auto` takes the GPU when there is one.
        gpus: how many GPUs, from `device` on, share the steps of clips; on a CPU as many processes.
        policy_gpus: how many of them share a policy's steps; never more than `gpus`.
        precision: of checkpoints whose preset says none; `fp8` multiplies the generator's matrices in 8 bits, but
            for the first and last steps.
        offload: keep the weights on the host and bring them to the GPU block by block.
        allowed_media_folders: folders whose files a conversation may show as `file://`, comma-separated.
        allow_remote_media: whether a conversation may show what lies at a public http(s) address.
        upsampler_url: an OpenAI-compatible endpoint up to and including its version that upsamples prompts; without
            one the resident reasoner does.
        upsampler_model: its name there; none takes the first that the endpoint lists.
        upsampler_key: sent to that endpoint as a bearer.
        critic_url, critic_model, critic_key: likewise, who judges results in a refinement.
        rewriter_url, rewriter_model, rewriter_key: likewise, who rewrites their prompts.
        replicas: engines of each checkpoint; jobs of it run side by side, each on `gpus` of its own if there are any.
        memory_gb: bound on what all loaded checkpoints may take together of a device; none is what it has free.
        quota_gb: what uploads and results may take together, 10^9 bytes; none takes what the disk has.
        guardrail_url: where the guardrail program answers, on loopback; none is no guardrail.
        require_guardrail: nothing runs that it has not read.
        rate_limit: calls that change something which one caller may make in a minute, reads count a tenth; none is 600
            for callers on other machines and no limit on this one, 0 no limit.
        robot: `simulated` starts a simulated arm beside the server, which its checkpoint's policy drives if that was
            trained for it, and else a scripted one; `scripted` has the arm and the scripted policy in any case.
    """

    model_config = SettingsConfigDict(env_prefix="ORRERY_", env_ignore_empty=True, frozen=True, extra="ignore")

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = DEFAULT_PORT
    data: Path = Field(default_factory=default_data_folder)
    checkpoint: str = DEFAULT_CHECKPOINT
    token: SecretStr | None = None
    allowed_hosts: str = ""
    trusted_proxies: str = ""
    device: Annotated[str, Field(pattern=r"^(auto|cpu|cuda(:\d+)?)$")] = "auto"
    gpus: Annotated[int, Field(ge=1, le=8)] = 1
    policy_gpus: Annotated[int, Field(ge=1, le=8)] = 1
    precision: Precision = "exact"
    offload: bool = False
    allowed_media_folders: str = ""
    allow_remote_media: bool = False
    upsampler_url: str | None = None
    upsampler_model: str | None = None
    upsampler_key: SecretStr | None = None
    critic_url: str | None = None
    critic_model: str | None = None
    critic_key: SecretStr | None = None
    rewriter_url: str | None = None
    rewriter_model: str | None = None
    rewriter_key: SecretStr | None = None
    replicas: Annotated[int, Field(ge=1, le=64)] = 1
    memory_gb: Annotated[float, Field(gt=0)] | None = None
    guardrail_url: str | None = None
    require_guardrail: bool = False
    rate_limit: Annotated[int | None, Field(ge=0, le=1_000_000)] = None
    robot: Literal["none", "simulated", "scripted"] = "none"
    quota_gb: Annotated[float | None, Field(gt=0, le=1e9, allow_inf_nan=False)] = None

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
            raise ValueError("heads and branches are shared by 1, 2, 4 or 8")
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
            raise ValueError(f"{value} is not on this machine; prompts are sent to http://127.0.0.1:PORT alone")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _proxies_are_addresses(cls, value: str) -> str:
        names = [name.strip() for name in value.split(",") if name.strip()]
        for name in names:
            try:
                ipaddress.ip_network(name)
            except ValueError:
                raise ValueError(f"{name} is no address or network, as 10.0.0.7 and 10.0.0.0/24 are") from None
        return ",".join(names)

    @field_validator("token")
    @classmethod
    def _token_says_something(cls, value: SecretStr | None) -> SecretStr | None:
        said = value.get_secret_value() if value else ""
        if said != said.strip() or not (said.isascii() and said.isprintable()):
            raise ValueError("a token is made of ASCII characters that can be seen, with no space around them")
        return value if said else None

    @model_validator(mode="after")
    def _public_needs_token(self) -> Self:
        if self.token is None and not is_loopback(self.host):
            raise CannotListen(
                f"{self.host} can be reached from other machines, and no token is set.",
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
