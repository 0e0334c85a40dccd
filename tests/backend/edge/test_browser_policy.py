"""No answer may be framed by a foreign page, or bring anything from one."""

import socket
from urllib.parse import urlsplit

import pytest

from running import RunningServer


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/robot", 200),
        ("GET", "/docs", 200),
        ("GET", "/login", 200),
        ("GET", "/healthz", 200),
        ("GET", "/v1/jobs", 200),
        ("GET", "/nothing", 404),
        ("POST", "/v1/jobs", 422),
        ("DELETE", "/v1/jobs", 405),
    ],
)
def test_every_answer_says_what_a_browser_may_do_with_it(server: RunningServer, method: str, path: str, status: int):
    answer = server.get(path) if method == "GET" else getattr(server, method.lower())(path)

    assert answer.status_code == status
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["frame-ancestors"] == "'self'"
    assert policy["default-src"] == "'self'"
    assert not any("*" in sources or "http" in sources for sources in policy.values())
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"


def test_so_does_the_refusal_of_what_is_no_http(server: RunningServer):
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port or 0), timeout=10) as client:
        client.sendall(b"nonsense\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(4096), b""))

    assert answer.startswith(b"HTTP/1.1 400")
    assert b"frame-ancestors 'self'" in answer
