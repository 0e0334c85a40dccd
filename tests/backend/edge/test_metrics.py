"""What is counted, and that strangers cannot make it grow."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from backend.metrics import Metrics, RequestMetrics


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


def test_methods_that_somebody_invents_are_counted_as_one():
    metrics = Metrics()
    app = Starlette()
    app.add_route("/", hello)
    with TestClient(RequestMetrics(app, metrics)) as web:
        web.get("/")
        for number in range(20):
            web.request(f"M{number}", "/")

    lines = [line for line in metrics.render().decode().splitlines() if line.startswith("orrery_http_requests_total")]
    assert sorted(lines) == [
        'orrery_http_requests_total{method="GET",status="200"} 1.0',
        'orrery_http_requests_total{method="other",status="405"} 20.0',
    ]
