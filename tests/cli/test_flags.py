"""Flags that are drawn from a model: its bounds, its words, and nothing where nothing was said."""

from typing import Annotated, Any

import pytest
import typer
from pydantic import BaseModel, Field, SecretStr
from typer.testing import CliRunner

from cli.flags import model_flags, with_flags


class Oven(BaseModel):
    heat_c: int = Field(default=180, ge=50, le=250, description="How hot")
    fan: bool = Field(default=False, description="Whether it blows")
    code: SecretStr | None = Field(default=None, description="Of its lock")


@pytest.fixture
def bake():
    heard: list[dict[str, Any]] = []
    app = typer.Typer(rich_markup_mode=None, add_completion=False)

    @app.command()
    @with_flags
    def bake(oven: Annotated[dict[str, Any], model_flags(Oven, {"heat_c": "heat", "fan": "fan", "code": "code"})]):
        heard.append(oven)

    return lambda *words: (CliRunner().invoke(app, words), heard)


def test_what_is_said_comes_by_field_and_what_is_not_stays_unsaid(bake, monkeypatch):
    bake()
    bake("--heat", "200", "--no-fan")
    monkeypatch.setenv("ORRERY_CODE", "1234")
    _, heard = bake()

    assert heard == [{}, {"heat_c": 200, "fan": False}, {"code": "1234"}]


def test_a_number_out_of_bounds_is_refused_and_the_help_tells_the_default(bake):
    refused, heard = bake("--heat", "300")
    helped, _ = bake("--help")

    assert refused.exit_code == 2
    assert heard == []
    assert "How hot [180]." in helped.output
    assert "50<=x<=250" in helped.output
    assert "Whether it blows." in helped.output
