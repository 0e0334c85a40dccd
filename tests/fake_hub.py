"""A Hugging Face hub with one repository and its branches, as far as fetching asks it; loopback only."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Files = dict[str, bytes]


class _Hub(BaseHTTPRequestHandler):
    branches: Mapping[str, Files]
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
        revision = _revision_in(path)
        found = {commit: name for name in self.branches for commit in (name, _commit(name))}.get(revision)
        if found is None:
            return self._send(b"{}", with_body, 404, {"X-Error-Code": "RevisionNotFound"})
        held, commit = self.branches[found], _commit(found)
        if "/tree/" in path:
            sizes = {name: len(content) for name, content in held.items()}
            files = [{"type": "file", "path": name, "size": size, "oid": "0" * 40} for name, size in sizes.items()]
            return self._send(json.dumps(files).encode(), with_body)
        if path.startswith("/api/models/nvidia/"):
            siblings = [{"rfilename": name, "size": len(content)} for name, content in held.items()]
            return self._send(json.dumps({"id": path[12:], "sha": commit, "siblings": siblings}).encode(), with_body)
        name = path.partition(f"/resolve/{revision}/")[2]
        if self.gated:
            return self._send(b"{}", with_body, 403, {"X-Error-Code": "GatedRepo"})
        if name not in held:
            return self._send(b"{}", with_body, 404, {"X-Error-Code": "EntryNotFound"})
        content = held[name]
        digest = hashlib.sha1(name.encode() + content).hexdigest()
        etag = {"ETag": f'"{digest}"', "X-Repo-Commit": commit}
        if with_body and name.endswith(".safetensors"):
            self.hold.wait(120)
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


def _commit(branch: str) -> str:
    """The branch's newest commit."""
    return hashlib.sha1(branch.encode()).hexdigest()


def _revision_in(path: str) -> str:
    """What a path names behind `revision`, `tree` or `resolve`; main where it names none."""
    parts = path.split("/")
    named = (parts[index + 1] for index, part in enumerate(parts[:-1]) if part in ("revision", "tree", "resolve"))
    return next(named, "main")


@contextmanager
def fake_hub(
    files: Files, *, gated: bool = False, branches: Mapping[str, Files] | None = None
) -> Iterator[tuple[str, threading.Event]]:
    """Its address, and what lets its weights through once set; `branches` are those beside main."""
    hold = threading.Event()
    handler = type("Hub", (_Hub,), {"branches": {"main": files, **(branches or {})}, "gated": gated, "hold": hold})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", hold
    finally:
        hold.set()
        server.shutdown()
        server.server_close()
