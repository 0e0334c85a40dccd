import os
from pathlib import Path

import pytest

from robot.settings import names, read_settings
from studio.errors import BadInput


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("ORRERY_"):
            monkeypatch.delenv(name)


def test_without_anything_said_it_is_the_simulated_arm():
    settings = read_settings([])

    assert settings.arm == "simulated"
    assert settings.policy_url == settings.bridge_url == ""
    assert settings.run.horizon == 16


def test_flags_and_variables_say_the_same_and_a_flag_wins(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ORRERY_ROBOT_REPLY_TIMEOUT_S", "2")
    monkeypatch.setenv("ORRERY_ROBOT_ARM", "franka")

    settings = read_settings(["--arm", "replay", "--exterior-1", "/dev/video2", "--record", "--recordings", "/x"])

    assert settings.arm == "replay"
    assert settings.reply_timeout_s == 2
    assert settings.exterior_1 == "/dev/video2"
    assert settings.record
    assert settings.recordings == Path("/x")


def test_the_servers_own_policy_is_asked_unless_another_is_named():
    assert read_settings(["--server", "http://box:7860/"]).policy_url == "ws://box:7860/v1/realtime/robot/openpi"
    assert read_settings(["--server", "https://box"]).bridge_url == "wss://box/v1/robots/bridge"
    assert read_settings(["--server", "http://box", "--policy", "ws://gpu:8000"]).policy_url == "ws://gpu:8000"


@pytest.mark.parametrize(
    ("arguments", "param"),
    [
        (["--horizon", "33"], "horizon"),
        (["--server", "box"], "server"),
        (["--policy", "http://box"], "policy"),
        (["--arm", "kuka"], "arm"),
        (["--speed", "0"], "speed"),
        (["--reply-timeout-s", "60"], "reply_timeout_s"),
    ],
)
def test_what_cannot_be_meant_is_said_with_its_flag(arguments: list[str], param: str):
    with pytest.raises(BadInput) as caught:
        read_settings(arguments)

    assert caught.value.param == param
    assert f"--{param.replace('_', '-')}" in caught.value.hint


def test_a_token_is_not_shown():
    assert "secret-token" not in repr(read_settings(["--token", "secret-token"]))


def test_comma_separated_names():
    assert names(" a, b,,") == {"a", "b"}
