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

_ITS_MODEL = "Its model [the first that it lists]"
_ITS_KEY = "Its key, sent as a bearer; better set as a variable"

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
    """What `orrery serve` is told. Every field is a flag, whose help is its description, and an `ORRERY_…` variable."""

    model_config = SettingsConfigDict(env_prefix="ORRERY_", env_ignore_empty=True, frozen=True, extra="ignore")

    host: str = Field(default="127.0.0.1", description="Address to listen on; any but loopback needs a token")
    port: int = Field(default=DEFAULT_PORT, ge=0, le=65535, description="Port; 0 picks a free one and prints it")
    data: Path = Field(
        default_factory=default_data_folder,
        description="The folder of jobs, media, checkpoints and your own presets [~/.local/share/orrery]",
    )
    checkpoint: str = Field(
        default=DEFAULT_CHECKPOINT,
        description="A preset's id or a folder; unless it is said, the one that was active last, at first this one, or "
        "speck without its files",
    )
    token: SecretStr | None = Field(default=None, description="Turns authentication on, loopback included")
    allowed_hosts: str = Field(default="", description="Further Host names to answer to, comma-separated")
    trusted_proxies: str = Field(
        default="",
        description="Addresses and networks of reverse proxies, comma-separated: what their X-Forwarded-For and "
        "X-Forwarded-Proto say of a caller counts, and nobody else's",
    )
    device: str = Field(
        default="auto",
        pattern=r"^(auto|cpu|cuda(:\d+)?)$",
        description="auto, cpu, cuda or cuda:N; auto takes the GPU where there is one",
    )
    gpus: int = Field(
        default=1,
        ge=1,
        le=8,
        description="GPUs, from the device on, that share a video's steps: 1, 2, 4 or 8; on a CPU so many processes",
    )
    policy_gpus: int = Field(default=1, ge=1, le=8, description="How many of them share a policy's steps")
    precision: Precision = Field(
        default="exact",
        description="exact, or fp8: the generator multiplies in 8 bits but for the first and last steps; of "
        "checkpoints whose preset says none",
    )
    offload: bool = Field(
        default=False, description="Keep the weights in the host's memory and bring them to the GPU block by block"
    )
    allowed_media_folders: str = Field(
        default="", description="Folders whose files a chat may show as file://, comma-separated"
    )
    allow_remote_media: bool = Field(default=False, description="Let chats show what lies at public http(s) addresses")
    upsampler_url: str | None = Field(
        default=None,
        description="OpenAI-compatible endpoint that upsamples prompts, up to its version; without one the resident "
        "reasoner does",
    )
    upsampler_model: str | None = Field(default=None, description=_ITS_MODEL)
    upsampler_key: SecretStr | None = Field(default=None, description=_ITS_KEY)
    critic_url: str | None = Field(default=None, description="Likewise, who judges results in refinements")
    critic_model: str | None = Field(default=None, description=_ITS_MODEL)
    critic_key: SecretStr | None = Field(default=None, description=_ITS_KEY)
    rewriter_url: str | None = Field(default=None, description="Likewise, who rewrites prompts in refinements")
    rewriter_model: str | None = Field(default=None, description=_ITS_MODEL)
    rewriter_key: SecretStr | None = Field(default=None, description=_ITS_KEY)
    replicas: int = Field(
        default=1, ge=1, le=64, description="Engines of each checkpoint, side by side, each on GPUs of its own"
    )
    memory_gb: float | None = Field(
        default=None, gt=0, description="What all loaded checkpoints may take together of a device [what is free]"
    )
    guardrail_url: str | None = Field(
        default=None, description="Where python -m guardrail answers, on this machine; without it there is no guardrail"
    )
    require_guardrail: bool = Field(default=False, description="Run nothing that the guardrail has not read")
    rate_limit: int | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        description="Changes a minute by one caller, of which a read counts a tenth; 0 is no limit [600 for callers on "
        "other machines]",
    )
    robot: Literal["none", "simulated", "scripted"] = Field(
        default="none",
        description="simulated: an arm in a simulated world beside the server, driven by its checkpoint's policy if "
        "that was trained for it; scripted: the same arm with the scripted policy",
    )
    quota_gb: float | None = Field(
        default=None,
        gt=0,
        le=1e9,
        allow_inf_nan=False,
        description="GB (10^9 bytes) that uploads and results may take together [what the disk has]",
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
