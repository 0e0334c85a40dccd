"""A scripted OpenAI-compatible server, for tests that need somebody who answers, and an answer that holds."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from studio.captions import Controls

CLIP = Controls.of_video("480", "16:9", 189, 24)
ANSWER: dict[str, Any] = {
    "scene_imagination": "A bench in daylight.",
    "temporal_caption": "0:00-0:03 the robot arm reaches. 0:03-0:07 it lifts the cup.",
    "audio_description": "A motor hums.",
    "subjects": [{"description": "a silver robot arm", "action": "lifting the red cup"}],
    "background_setting": "a workshop",
    "lighting": {"conditions": "daylight"},
    "aesthetics": {"composition": "centred"},
    "cinematography": {"framing": "medium shot"},
    "style_medium": "live footage",
    "artistic_style": "documentary",
    "context": "a demonstration",
    "actions": [{"time": "0:00-0:03", "description": "the arm reaches"}],
    "text_and_signage_elements": [],
    "segments": [{"segment_index": 0, "time_range": "0:00-0:07", "description": "reach and lift"}],
    "transitions": [],
    **CLIP.media,
}

Answer = str | tuple[int, bytes] | Callable[[dict[str, Any]], str]


class ScriptedEndpoint:
    """Answers chat completions from a list, the last of which it repeats; keeps every body and header."""

    def __init__(self) -> None:
        self.address = ""
        self.answers: list[Answer] = ["hello"]
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.reasoning: str | None = None
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()

    def reply(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, bytes]:
        with self.lock:
            self.bodies.append(body)
            self.headers.append(headers)
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, tuple):
            return answer
        text = answer if isinstance(answer, str) else answer(body)
        message = {"role": "assistant", "content": text, "reasoning_content": self.reasoning}
        return 200, json.dumps({"id": "c", "choices": [{"index": 0, "message": message}]}).encode()


@contextmanager
def scripted_endpoint() -> Iterator[ScriptedEndpoint]:
    """One that listens on a free port of this machine."""
    scripted = ScriptedEndpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.answer(200, json.dumps({"object": "list", "data": [{"id": "first"}, {"id": "second"}]}).encode())

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with scripted.lock:
                scripted.at_once += 1
                scripted.most_at_once = max(scripted.most_at_once, scripted.at_once)
            status, raw = scripted.reply(body, {name.lower(): value for name, value in self.headers.items()})
            with scripted.lock:
                scripted.at_once -= 1
            self.answer(status, raw)

        def answer(self, status: int, raw: bytes) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that hangs up in the middle is part of the tests."""

    server = Server(("127.0.0.1", 0), Handler)
    scripted.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield scripted
    finally:
        server.shutdown()
        thread.join(60)
        server.server_close()
