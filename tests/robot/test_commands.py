from typing import Any

import pytest

from robot.commands import MarkEpisode, Start, Stop, parse_command
from studio.errors import BadInput


def test_commands_are_parsed_by_their_name():
    start = parse_command({"command": "start", "run": {"prompt": "pick", "mode": "approve", "horizon": 8}})
    assert isinstance(start, Start)
    assert start.run.horizon == 8
    assert parse_command({"command": "stop"}) == Stop()
    assert parse_command({"command": "mark", "episode": 3, "success": None}) == MarkEpisode(episode=3, success=None)


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"command": "explode"},
        {"command": 3},
        {"command": "start"},
        {"command": "start", "run": {"horizon": 0}},
        {"command": "start", "run": {"prompt": "x" * 5000}},
        {"command": "start", "run": {"speed": float("nan")}},
        {"command": "stop", "now": True},
        {"command": "ready"},
        {"command": "recovered"},
        {"command": "mark", "episode": -1, "success": True},
        {"command": "send", "ticket": "../../elsewhere"},
        {"command": "send", "ticket": "right", "episode": 1, "view": "behind"},
    ],
)
def test_what_is_no_command_is_refused_in_words(message: dict[str, Any]):
    with pytest.raises(BadInput):
        parse_command(message)


def test_a_seed_below_nothing_is_refused_by_its_name():
    with pytest.raises(BadInput, match=r"^seed is -1: ") as refused:
        parse_command({"command": "reset_scene", "seed": -1})

    assert refused.value.param == "seed"
