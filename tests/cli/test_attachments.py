from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from cli.attachments import fetch
from studio.errors import BadInput
from studio.specs import Entry


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder; what is asked is counted and not logged."""

    asked: list[str]

    def log_message(self, *_):
        self.asked.append(self.path)


@pytest.fixture
def web(tmp_path, monkeypatch):
    """A web of one folder: its address, and what was asked of it."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "a.mp4").write_bytes(b"a clip")
    handler = type("Counting", (Quiet,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=tmp_path / "web"))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", handler.asked
    server.shutdown()
    thread.join(60)
    server.server_close()


def test_a_file_of_the_web_is_fetched_once(web, tmp_path):
    address, asked = web
    entry = Entry(tmp_path / "a.json", "a", {})
    first = fetch({f"{address}/a.mp4?x=1": entry}, tmp_path / "in")
    assert first == fetch({f"{address}/a.mp4?x=1": entry}, tmp_path / "in")
    (path,) = first.values()
    assert (path.suffix, path.read_bytes()) == (".mp4", b"a clip")
    assert asked == ["/a.mp4?x=1"]


def test_what_cannot_be_had_names_the_sample(web, tmp_path):
    entry = Entry(tmp_path / "a.json", "a", {})
    for address, why in ((f"{web[0]}/gone.mp4", "answered 404"), ("http://127.0.0.1:1/a.mp4", "cannot be fetched")):
        with pytest.raises(BadInput, match=f"a.json, sample a: {address} {why}"):
            fetch({address: entry}, tmp_path / "in")
    assert list((tmp_path / "in").iterdir()) == []


def test_nothing_is_made_when_nothing_is_needed(tmp_path):
    assert fetch({}, tmp_path / "in") == {}
    assert not (tmp_path / "in").exists()
