"""Settings of the robot program: read once when it starts, from its flags and its environment, and passed on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from robot.arms.franka import Following, Realtime
from robot.commands import (
    DivergenceLimit,
    DivergenceTicks,
    EpisodeIndex,
    Horizon,
    IdleFrames,
    Mode,
    Prompt,
    Run,
    Speed,
)
from robot.gripper import Closing
from robot.policy.contract import Declared
from robot.policy.dialects import DialectName
from studio.errors import BadInput
from studio.requests import explain
from studio.settings import default_data_folder

ArmKind = Literal["simulated", "franka", "replay"]
BRIDGE_PATH = "/v1/robots/bridge"


class RobotSettings(BaseSettings):
    """Settings of `python -m robot`; each field is an option and an `ORRERY_ROBOT_…` variable.

    Attributes:
        arm: the arm to control.
        name: name of the robot on the page.
        server: URL of Orrery, for example http://host:7860; if not set, the robot runs alone.
        token: Orrery's access token.
        policy: WebSocket URL of the policy; by default the server's own.
        policy_token, dialect, declare, reply_timeout_s: see robot.policy.PolicyAddress.
        closing: how the policy's gripper value is interpreted.
        host, following, realtime: settings of a Franka.
        gripper: `hand` for Franka's own, or the serial port of a Robotiq 2F-85, for example /dev/ttyUSB0.
        wrist, exterior_1, exterior_2: cameras of a real arm: /dev/video0, a number, or a stream URL.
        upside_down: cameras that are mounted upside down, comma-separated.
        recordings: folder of the data set for recorded runs.
        episode: the recorded episode that the replay arm plays.
        seed: seed of the simulated scene.
        prompt: instruction to run without a page when the self-test has passed.
        mode, horizon, speed, record, idle_frames, foresee, divergence_limit, divergence_ticks: of that run; see
            robot.commands.Run.
        seconds: length of the run; if not set, until it is interrupted.
        confirmed: self-test checks that a person has confirmed, comma-separated.
    """

    model_config = SettingsConfigDict(
        env_prefix="ORRERY_ROBOT_",
        env_ignore_empty=True,
        frozen=True,
        extra="ignore",
        cli_prog_name="python -m robot",
        cli_kebab_case=True,
        cli_implicit_flags=True,
        cli_hide_none_type=True,
    )

    arm: ArmKind = "simulated"
    name: Annotated[str, Field(pattern=r"^[\w .-]{1,40}$")] = "arm"
    server: str = ""
    token: SecretStr = SecretStr("")
    policy: str = ""
    policy_token: SecretStr = SecretStr("")
    dialect: DialectName = "auto"
    declare: Declared = "undeclared"
    reply_timeout_s: Annotated[float, Field(gt=0, le=5)] = 5.0
    closing: Closing = "binary"
    host: str = ""
    following: Following = "tracker"
    realtime: Realtime = "enforce"
    gripper: str = "hand"
    wrist: str = ""
    exterior_1: str = ""
    exterior_2: str = ""
    upside_down: str = ""
    recordings: Path = Field(default_factory=lambda: default_data_folder() / "recordings")
    episode: EpisodeIndex = 0
    seed: Annotated[int, Field(ge=0)] = 0
    prompt: Prompt = ""
    mode: Mode = "live"
    horizon: Horizon = 16
    speed: Speed = 0.3
    record: bool = False
    idle_frames: IdleFrames | None = None
    foresee: bool = False
    divergence_limit: DivergenceLimit | None = None
    divergence_ticks: DivergenceTicks = 5
    seconds: Annotated[float, Field(gt=0)] | None = None
    confirmed: str = ""

    @field_validator("server")
    @classmethod
    def _server_is_an_address(cls, value: str) -> str:
        if value and not re.match(r"https?://[^/]+/?$", value):
            raise ValueError("expected a URL such as http://127.0.0.1:7860")
        return value.rstrip("/")

    @field_validator("policy")
    @classmethod
    def _policy_is_a_websocket(cls, value: str) -> str:
        if value and not re.match(r"wss?://[^/]+", value):
            raise ValueError("expected a WebSocket URL such as ws://127.0.0.1:8000")
        return value

    @property
    def policy_url(self) -> str:
        """Where actions come from; empty where nobody said."""
        return self.policy or (_websocket(self.server) + "/v1/realtime/robot/openpi" if self.server else "")

    @property
    def bridge_url(self) -> str:
        """Where people sit; empty when it runs alone."""
        return _websocket(self.server) + BRIDGE_PATH if self.server else ""

    @property
    def run(self) -> Run:
        """What is run alone."""
        return Run(
            prompt=self.prompt,
            mode=self.mode,
            horizon=self.horizon,
            speed=self.speed,
            record=self.record,
            episode=self.episode if self.mode == "replay" else None,
            idle_frames=self.idle_frames,
            foresee=self.foresee,
            divergence_limit=self.divergence_limit,
            divergence_ticks=self.divergence_ticks,
        )


def read_settings(arguments: Sequence[str]) -> RobotSettings:
    """The settings of this process.

    Raises:
        BadInput: a flag or variable cannot mean what it says.
        SystemExit: help was asked for, or a flag is not known.
    """
    try:
        return RobotSettings(_cli_parse_args=list(arguments))  # pyright: ignore[reportCallIssue]
    except ValidationError as error:
        bad = explain(error, RobotSettings)
        param = (bad.param or "").replace("_", "-")
        hint = f"{bad.hint} It is set by --{param} or ORRERY_ROBOT_{(bad.param or '').upper()}.".strip()
        raise BadInput(bad.message, param=bad.param, hint=hint) from None


def names(text: str) -> frozenset[str]:
    """The parts of a comma-separated setting."""
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def _websocket(address: str) -> str:
    return re.sub(r"^http", "ws", address)
