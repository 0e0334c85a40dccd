"""Fetching from public addresses, and from no others."""

import asyncio
import ipaddress
import socket

import httpx
import pytest

from backend.reasoning import remote_media
from backend.reasoning.remote_media import MAX_BYTES, fetch_media, is_public, public_address
from studio.errors import BadInput, ServerUnreachable, StudioError, TooLarge

PUBLIC = "93.184.216.34"


def file(content: bytes) -> httpx.Response:
    return httpx.Response(200, stream=httpx.ByteStream(content))


def fetch(address: str, answer: httpx.Response | None = None, seen: list[httpx.Request] | None = None) -> bytes:
    def reply(request: httpx.Request) -> httpx.Response:
        if seen is not None:
            seen.append(request)
        return answer or file(b"picture")

    return asyncio.run(fetch_media(address, httpx.MockTransport(reply)))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:a9fe:a9fe",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:0:a00:1::f5ff:fffe",
    ],
)
def test_what_is_not_everybody_s_is_not_public(address: str):
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", [PUBLIC, "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8"])
def test_what_is_everybody_s_is(address: str):
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/a.png",
        "http://127.1/a.png",
        "http://2130706433/a.png",
        "http://0x7f000001/a.png",
        "http://[::1]:7860/v1/jobs",
        "http://[::ffff:127.0.0.1]/",
        "http://localhost/a.png",
        "https://169.254.169.254/latest/meta-data",
    ],
)
def test_a_private_address_is_refused_however_it_is_written(address: str):
    seen: list[httpx.Request] = []

    with pytest.raises(BadInput, match="not a public address"):
        fetch(address, seen=seen)

    assert not seen


def test_a_name_with_one_private_address_among_others_is_refused(monkeypatch: pytest.MonkeyPatch):
    async def both() -> None:
        async def lookup(*_: object, **__: object) -> list[tuple[object, ...]]:
            return [(2, 1, 6, "", (PUBLIC, 80)), (2, 1, 6, "", ("10.0.0.1", 80))]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup)
        with pytest.raises(BadInput, match="not a public address"):
            await public_address("two.example", 80)

    asyncio.run(both())


def test_the_connection_goes_to_the_address_that_was_checked_under_the_name_that_was_given(
    monkeypatch: pytest.MonkeyPatch,
):
    async def checked(host: str, port: int) -> ipaddress.IPv4Address:
        assert (host, port) == ("clips.example", 8443)
        return ipaddress.IPv4Address(PUBLIC)

    monkeypatch.setattr(remote_media, "public_address", checked)
    seen: list[httpx.Request] = []

    assert fetch("https://clips.example:8443/a.mp4?x=1", seen=seen) == b"picture"

    assert str(seen[0].url) == f"https://{PUBLIC}:8443/a.mp4?x=1"
    assert seen[0].headers["host"] == "clips.example:8443"
    assert seen[0].extensions["sni_hostname"] == "clips.example"


@pytest.mark.parametrize(
    ("address", "answer", "error", "why"),
    [
        (f"http://{PUBLIC}/", httpx.Response(404), BadInput, "404"),
        (f"http://{PUBLIC}/", httpx.Response(302, headers={"location": "http://127.0.0.1/"}), BadInput, "another host"),
        (f"http://{PUBLIC}/", httpx.Response(302, headers={"location": f"https://{PUBLIC}/"}), BadInput, "another"),
        (f"http://{PUBLIC}/", httpx.Response(302, headers={"location": "/again"}), BadInput, "more than 3 times"),
        (f"http://{PUBLIC}/", httpx.Response(302, headers={"location": "http://[/"}), BadInput, "another host"),
        (f"http://me:secret@{PUBLIC}/", None, BadInput, "not a file URL"),
        ("http://", None, BadInput, "not a file URL"),
        (f"http://{PUBLIC}:99999/", None, BadInput, "not a file URL"),
        ("http://nobody.invalid/", None, ServerUnreachable, "no host"),
    ],
)
def test_what_cannot_be_fetched_says_why(
    monkeypatch: pytest.MonkeyPatch, address: str, answer: httpx.Response | None, error: type[StudioError], why: str
):
    find = socket.getaddrinfo

    def found(host: str, *rest: object, **more: object) -> object:
        if host == "nobody.invalid":  # no name server is asked, which may take its time
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return find(host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", found)

    with pytest.raises(error, match=why):
        fetch(address, answer)


def test_a_file_that_is_too_large_is_given_up(monkeypatch: pytest.MonkeyPatch):
    assert MAX_BYTES == 64 * 2**20
    monkeypatch.setattr(remote_media, "MAX_BYTES", 10)

    with pytest.raises(TooLarge):
        fetch(f"http://{PUBLIC}/", file(b"x" * 11))


def test_a_host_that_takes_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(remote_media, "TIMEOUT_S", 0.05)

    async def never(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(ServerUnreachable, match="took more than"):
        asyncio.run(fetch_media(f"http://{PUBLIC}/", httpx.MockTransport(never)))
