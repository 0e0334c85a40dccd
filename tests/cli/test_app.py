from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from cli import main
from cli.printed import one_line
from studio.settings import ServerSettings

HEAVY = ("httpx", "huggingface_hub", "numpy", "msgpack", "pydantic_settings", "rich.progress")


def _options(command: Any) -> Iterator[Any]:
    for sub in getattr(command, "commands", {}).values():
        yield from _options(sub)
    yield from (option for option in command.params if option.param_type_name == "option")


def test_every_flag_is_also_a_variable():
    for option in _options(get_command(main)):
        if option.name not in ("help", "version"):
            flag = max(option.opts, key=len).removeprefix("--").replace("-", "_").upper()
            assert option.envvar == f"ORRERY_{flag}"
            assert option.help


def test_serve_has_a_flag_for_every_setting():
    serve: Any = get_command(main).commands["serve"]  # type: ignore[attr-defined]
    assert {option.name for option in serve.params} == set(ServerSettings.model_fields)


def test_help_loads_nothing_heavy():
    look = f"import sys, cli; print([name for name in {HEAVY!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, timeout=120, check=True)
    assert loaded.stdout == "[]\n"


def test_the_version_and_the_help_are_on_stdout(orrery):
    assert orrery("--version").stdout.startswith("orrery 0.")
    assert orrery().stdout == orrery("--help").stdout
    assert "generate" in orrery("-h").stdout


def test_an_unknown_command_names_the_nearest(refused):
    assert "No such command 'job'. Did you mean 'jobs'?" in refused("job")


def test_checkpoints_are_listed_without_a_server(orrery, offered, tmp_path):
    titles, *rows = orrery("checkpoints", "--data", tmp_path).stdout.splitlines()
    assert titles.split() == ["id", "installed", "size", "precision", "summary"]
    assert [row.split()[:2] for row in rows] == [[name, "no"] for name in offered]
    listed = json.loads(orrery("checkpoints", "--data", tmp_path, "--json").stdout)
    assert {info["id"] for info in listed["checkpoints"]} == set(offered)
    assert not (tmp_path / "orrery.db").exists()


def test_a_broken_preset_of_the_user_is_one_line(refused, tmp_path):
    (tmp_path / "presets").mkdir()
    (tmp_path / "presets" / "mine.toml").write_text("id =")
    assert "The preset mine.toml is not TOML" in refused("checkpoints", "--data", tmp_path)


def test_one_line_has_no_breaks_and_nothing_that_a_terminal_obeys():
    assert one_line("a\nb\x1b[31m\tc\u2028d\x9b") == "a b [31m c d "
