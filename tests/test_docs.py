"""The documentation knows every route, setting and error code."""

from pathlib import Path

import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute

import robot.faults  # noqa: F401 - its errors reach people too
from backend.errors import STATUS
from backend.routes import ROUTERS
from studio.errors import StudioError, every_error
from studio.settings import ServerSettings

API = (Path(__file__).parent.parent / "docs" / "api.md").read_text()
ROUTES = [route for router in ROUTERS for route in router.routes]


@pytest.mark.parametrize(
    "name",
    [
        f"{next(iter(route.methods))} {route.path}" if isinstance(route, APIRoute) else f"GET {route.path}"
        for route in ROUTES
        if isinstance(route, APIWebSocketRoute) or (isinstance(route, APIRoute) and route.include_in_schema)
    ],
)
def test_every_route_is_documented(name: str):
    assert f"`{name}`" in API


@pytest.mark.parametrize("kind", every_error()[1:], ids=lambda kind: kind.code)
def test_every_error_code_is_documented_with_its_status(kind: type[StudioError]):
    status = next(STATUS[parent] for parent in kind.__mro__ if parent in STATUS)

    assert f"| `{kind.code}` | {status} |" in API


@pytest.mark.parametrize("name", ServerSettings.model_fields)
def test_every_setting_is_documented_as_flag_and_variable(name: str):
    assert f"`--{name.replace('_', '-')}`" in API
    assert f"`ORRERY_{name.upper()}`" in API
