"""Each attack that a studio in a network meets, tried on a running server: refused in words, and nothing is left."""

import http.client
import io
import json
import socket
import struct
import zipfile
import zlib
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from running import RunningServer, wait_for
from sent_files import clip_bytes, picture_bytes

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><script>fetch('/v1/library')</script>"
SECRET = "s3cret-t0ken"


def picture_bomb(side: int) -> bytes:
    """A PNG of some kilobytes that says it has `side` x `side` pixels, and has the first rows of them."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 10**7))
        + chunk(b"IEND", b"")
    )


def zip_bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("orrery.db", b"\0" * (200 * 2**20))
        archive.writestr("../../../tmp/escaped.txt", b"out")
    return buffer.getvalue()


UPLOADS = {
    "svg": SVG,
    "html": HTML,
    "svg that says it is a PNG": b"\x89PNG\r\n\x1a\n" + SVG,
    "zip": zip_bomb(),
    "a picture of 10^10 pixels": picture_bomb(100_000),
    "half a picture": picture_bytes()[:200],
    "half a clip": clip_bytes()[:300],
    "a list of files for ffmpeg": b"ffconcat version 1.0\nfile '/etc/passwd'\n",
    "a playlist": b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
    "nothing": b"",
}


@pytest.fixture(scope="module", autouse=True)
def settled(server: RunningServer) -> None:
    """Nothing that an earlier file has asked for comes into the library while it is counted here."""
    server.settle()


def refused(answer: Any, *statuses: int) -> dict[str, Any]:
    assert answer.status_code in statuses, answer.text
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "type", "param", "hint"}
    assert "Traceback" not in answer.text
    return error


@pytest.mark.parametrize("name", UPLOADS)
@pytest.mark.parametrize("mime", ["image/png", "video/mp4"])
def test_an_upload_that_lies_is_refused_wherever_it_is_sent(server: RunningServer, name: str, mime: str):
    before = server.get("/v1/library", params={"limit": 1}).json()["total"]
    sent = ("../../etc/x.png", UPLOADS[name], mime)

    refused(server.post("/v1/media", files={"file": sent}), 413, 422)
    error = refused(server.post("/v1/videos", data={"prompt": "x"}, files={"input_reference": sent}), 413, 422)
    assert error["param"] in ("input_reference", None)
    assert server.get("/v1/library", params={"limit": 1}).json()["total"] == before


def test_the_name_of_an_upload_leads_nowhere_and_its_type_is_what_it_is(server: RunningServer):
    for name in ("../../../../tmp/escaped.png", "/etc/passwd", "a\0b.png", "x" * 5000, '"><script>alert(1)</script>'):
        answer = server.post("/v1/media", files={"file": (name, picture_bytes(), "text/html")})
        if len(name) > 1000:
            assert refused(answer, 422)["message"] == "The body cannot be read."
            continue
        assert answer.status_code == 201, answer.text
        served = server.get(f"/v1/media/{answer.json()['id']}")
        assert served.headers["content-type"] == "image/png"
        assert served.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/v1/media/..%2f..%2forrery.db",
        "/v1/media/../../orrery.db",
        "/v1/media/%2e%2e/orrery.db",
        "/v1/media/u0123456789abcdef%00",
        "/v1/media/..\\orrery.db/thumbnail",
        "/v1/videos/../../orrery.db/content",
        "/v1/videos/%2fetc%2fpasswd/content",
        "/v1/library/..%2f..%2fserver.json",
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/file=../../orrery.db",
        "/v1/robots/..%2f..%2f/recordings.tar",
    ],
)
def test_a_path_leads_to_no_file(server: RunningServer, path: str):
    # A client of httpx tidies paths up; this one sends them as they are.
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
    assert 400 <= answer.status < 500, body[:200]
    assert b"root:" not in body
    assert b"SQLite format" not in body


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:22/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]:80/x.png",
        "http://0x7f000001/x.png",
        "http://localhost@example.com/x.png",
        "gopher://127.0.0.1/x",
        "file:///etc/passwd",
        "file://localhost/proc/self/environ",
        "ftp://example.com/x.png",
        "data:text/html;base64,PHNjcmlwdD4=",
        "media:../../orrery.db",
        "/proc/self/environ",
        "\\\\server\\share\\x.png",
    ],
)
def test_an_address_is_fetched_from_nowhere_private(server: RunningServer, address: str):
    for answer in (
        server.post("/v1/videos", json={"prompt": "x", "input_reference": {"image_url": address}}),
        server.post("/v1/videos", json={"prompt": "x", "extra_params": {"depth": {"control_path": address}}}),
        server.post(
            "/v1/actions/generations",
            json={"input": {"task": "x", "observation": {"image": address}}, "parameters": {"domain_name": "umi"}},
        ),
    ):
        assert "root:" not in answer.text
        refused(answer, 404, 422)


@pytest.mark.parametrize("path", ["action_path", "control_path"])
def test_a_file_of_the_server_is_not_read(server: RunningServer, path: str):
    said = {"action_path": {"action_path": "/etc/passwd", "action_mode": "forward_dynamics", "domain_name": "av"}}
    extra = said.get(path, {"edge": {"control_path": "/etc/hostname"}})
    files = {"input_reference": ("x.png", picture_bytes())} if path == "action_path" else None

    refused(server.post("/v1/videos", data={"prompt": "x", "extra_params": json.dumps(extra)}, files=files), 422)


PROMPTS = [
    "${constructor.constructor('return process')()}",
    "{{7*7}} {% raw %} {0.__class__} %s %n",
    '<img src=x onerror=alert(1)><script>alert("x")</script></textarea>',
    "'; DROP TABLE jobs; --",
    'a" OR prompt:* NEAR(b) AND (',
    "\u202eback\u200b to front\ufeff \U0001f916 \u0000 a\u0301",
    "\r\nSet-Cookie: a=b\r\n\r\n<html>",
    "../../../etc/passwd",
]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_words_are_words(server: RunningServer, prompt: str):
    job = server.submit(prompt=prompt, sampling={"num_inference_steps": 1})

    assert job["request"]["prompt"] == prompt
    assert server.wait_job(job["id"])["state"] == "succeeded"
    assert server.get("/v1/library", params={"q": prompt}).status_code == 200
    shown = server.post("/v1/videos", json={"prompt": prompt, "num_frames": 5, "num_inference_steps": 1})
    assert shown.json()["prompt"] == prompt
    assert "set-cookie" not in shown.headers
    server.delete(f"/v1/jobs/{shown.json()['id']}")


@pytest.mark.parametrize(
    "body",
    [
        b'{"prompt": ' + b"[" * 50_000,
        b'{"prompt": "x", "seed": ' + b"9" * 5_000 + b"}",
        b'{"prompt": "x", "extra_params": "' + b"{" * 5_000 + b'"}',
        b'{"prompt": "x", "action": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"prompt": "\\ud800"}',
        b'{"prompt": "x", "__proto__": {"admin": true}}',
        b'{"prompt": "x", "num_frames": 1e400}',
        b'{"prompt": "x", "guidance_scale": NaN}',
        b'{"prompt": "x", "size": "99999999999x99999999999"}',
        b'{"prompt": "x", "num_frames": 99999999999999999999}',
        b'{"prompt": {"a": "b"}, "edge": {"control_path": {}}}',
        b"\xff\xfe\x00",
    ],
)
@pytest.mark.parametrize("path", ["/v1/videos", "/v1/videos/sync", "/v1/actions/generations", "/v1/images/generations"])
def test_nonsense_is_refused_in_words(server: RunningServer, path: str, body: bytes):
    refused(server.post(path, content=body, headers={"content-type": "application/json"}), 422)


@pytest.mark.parametrize(
    "form",
    [
        {"extra_params": "[1]"},
        {"extra_params[a": "x"},
        {"extra_params[edge][control_path][x][y][z][w][v]": "x"},
        {"num_frames": "seventeen"},
        {"prompt[a]": "x"},
        {"extra_params[action][][]": "x", "extra_params[action_mode]": "forward_dynamics"},
    ],
)
def test_nonsense_in_a_form_is_refused_in_words(server: RunningServer, form: dict[str, str]):
    refused(server.post("/v1/videos", data={"prompt": "x", **form}), 422)


def test_a_form_of_very_many_fields_is_refused(server: RunningServer):
    answer = server.post("/v1/videos", data={f"extra_params[a{index}]": "x" for index in range(30_000)})

    assert answer.status_code == 422


@pytest.mark.parametrize("headers", [{"origin": "https://evil.example"}, {"origin": "null"}, {"host": "evil.example"}])
def test_a_foreign_page_changes_nothing(server: RunningServer, headers: dict[str, str]):
    for answer in (
        server.post("/v1/videos", json={"prompt": "x"}, headers=headers),
        server.get("/v1/library", headers=headers),
        server.delete("/v1/queue", headers=headers),
    ):
        assert refused(answer, 403)["code"] == "foreign_origin"
    if "origin" in headers:
        with (
            pytest.raises(InvalidStatus),
            connect(f"{server.url.replace('http', 'ws', 1)}/v1/events", origin=headers["origin"]),
        ):  # type: ignore[arg-type]
            pass


def test_a_caller_that_disappears_in_its_upload_leaves_nothing(server: RunningServer):
    address = urlsplit(server.url)
    incoming = server.data / "media" / "incoming"
    known = len(server.events())
    for path in ("/v1/media", "/v1/videos"):
        with socket.create_connection((address.hostname, address.port), timeout=60) as caller:
            head = f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 1000000\r\n"
            caller.sendall(head.encode() + b"Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n")
    left = {"event": "left", "path": "/v1/videos"}
    wait_for(lambda: any(left.items() <= event.items() for event in server.events()[known:]), 60)
    wait_for(lambda: not list(incoming.glob("*.part")), 60)  # of the other one nothing is told
    assert server.tracebacks() == []


def test_a_file_that_was_deleted_on_disk_is_missed_in_words(server: RunningServer):
    job = server.submit(kind="generate_video", num_frames=5, prompt="gone", sampling={"num_inference_steps": 1})
    made = server.wait_job(job["id"])["results"][0]["id"]
    for path in (server.data / "media").rglob(f"{made}*"):
        path.unlink()

    for path in (f"/v1/media/{made}", f"/v1/media/{made}/thumbnail", f"/v1/videos/{job['id']}/content"):
        assert refused(server.get(path), 404)["code"] == "media_not_found"
    assert server.get(f"/v1/videos/{job['id']}").json()["status"] == "completed"
    assert refused(server.post("/v1/videos", json={"prompt": "x", "input_reference": f"media:{made}"}), 404)


def test_an_archive_that_bursts_or_climbs_is_refused(server: RunningServer):
    answer = server.post("/v1/library/import", files={"file": ("library.zip", zip_bomb())})

    refused(answer, 413, 422)


def test_secrets_are_in_no_log(server: RunningServer):
    headers = {"authorization": f"Bearer {SECRET}", "cookie": f"orrery_token={SECRET}", "idempotency-key": SECRET}
    server.post("/v1/videos", json={"prompt": "", "extra_params": {"x": SECRET}}, headers=headers)
    server.post("/login", data={"token": SECRET})
    server.get(f"/v1/media/{SECRET}", headers=headers)

    told = [line for line in server.log if SECRET in line]
    assert all("/v1/media/" in line for line in told), told  # a path is what somebody asked for, and no secret
