"""A Hugging Face hub with one repository, as far as fetching asks it; loopback only."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class _Hub(BaseHTTPRequestHandler):
    files: dict[str, bytes]
    gated: bool
    hold: threading.Event

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _answer(self, *, with_body: bool) -> None:
        path = self.path.partition("?")[0]
        if "/nvidia/" not in path:
            return self._send(b"{}", with_body, 404, {"X-Error-Code": "RepoNotFound"})
        if "/tree/" in path:
            sizes = {name: len(content) for name, content in self.files.items()}
            files = [{"type": "file", "path": name, "size": size, "oid": "0" * 40} for name, size in sizes.items()]
            return self._send(json.dumps(files).encode(), with_body)
        if path.startswith("/api/models/nvidia/"):
            siblings = [{"rfilename": name, "size": len(content)} for name, content in self.files.items()]
            return self._send(json.dumps({"id": path[12:], "sha": COMMIT, "siblings": siblings}).encode(), with_body)
        name = path.partition(f"/resolve/{COMMIT}/")[2]
        if self.gated:
            return self._send(b"{}", with_body, 403, {"X-Error-Code": "GatedRepo"})
        if name not in self.files:
            return self._send(b"{}", with_body, 404, {"X-Error-Code": "EntryNotFound"})
        content = self.files[name]
        etag = {"ETag": f'"{abs(hash(name)):040x}"', "X-Repo-Commit": COMMIT}
        if with_body and name.endswith(".safetensors"):
            self.hold.wait(30)
        asked = self.headers.get("Range", "")
        if with_body and asked.startswith("bytes="):
            start = int(asked[6:].partition("-")[0])
            span = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
            return self._send(content[start:], True, 206, etag | span)
        return self._send(content, with_body, 200, etag)

    def _send(self, body: bytes, with_body: bool, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(body)


@contextmanager
def fake_hub(files: dict[str, bytes], *, gated: bool = False) -> Iterator[tuple[str, threading.Event]]:
    """Its address, and what lets its weights through once set."""
    hold = threading.Event()
    handler = type("Hub", (_Hub,), {"files": files, "gated": gated, "hold": hold})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", hold
    finally:
        hold.set()
        server.shutdown()
        server.server_close()
