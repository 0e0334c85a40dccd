"""`python -m guardrail --port 7861`: answers the studio on loopback.

    GET  /state           {"state": "starting" | "on" | "failed", "detail": "…"}
    POST /text {"text"}   {"safe": true, "reason": ""}
    POST /frames?count=8&height=480&width=832&first=0&fps=24, raw uint8 [count, height, width, 3]
                          {"safe": true, "reason": ""}; where faces were blurred, such frames as octet-stream

Whatever cannot be told is a 503, and so is everything while it is not on. The models are those of
nvidia/Cosmos-1.0-Guardrail, a gated repository: ask for access there and set HF_TOKEN. Until they are loaded the state
is `starting`; if they cannot be, it is `failed` and says why, and nothing is let through.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import numpy as np

from guardrail.reader import CosmosReader, Reader, Seen

MAX_TEXT_BYTES = 2**20
MAX_FRAMES_BYTES = 2**28
"""Eight frames of 4096x2560 are 252 MB."""

FAULTS = (ImportError, OSError, RuntimeError, ValueError, AttributeError, LookupError, TypeError, MemoryError)
"""What models and their loading fail with; an answer of Qwen3Guard's without a label is an AttributeError."""

ASK_FOR_FRAMES = "POST /frames?count=&height=&width=&first=&fps= with count * height * width * 3 bytes"


class Guardrail:
    """The reader while it is loaded, and after."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        # Two, so that a prompt does not wait for the frames of a clip.
        self._reading, self._looking = threading.Lock(), threading.Lock()
        self.state, self.detail = "starting", "loading its models"

    def load(self) -> None:
        """Load the models; whatever is wrong with them is the state, and no end of the program."""
        try:
            self.detail = self._reader.load()
            self.state = "on"
        except FAULTS as error:  # the program lives on to say why: a gated repository, no network, no memory
            self.state, self.detail = "failed", f"{type(error).__name__}: {error}"[:300]

    def read(self, text: str) -> tuple[bool, str]:
        """Whether a text is safe, and why not."""
        with self._reading:
            return self._reader.read(text)

    def look(self, raw: bytes, shape: tuple[int, int, int, int], first: int, fps: float) -> Seen:
        """Whether frames are safe, uint8 of this shape, and what they are to be replaced by."""
        frames = np.frombuffer(raw, np.uint8).reshape(shape).copy()
        with self._looking:
            return self._reader.look(frames, first, fps)


def make_server(guardrail: Guardrail, port: int) -> ThreadingHTTPServer:
    """A server on loopback; port 0 picks a free one."""

    class Answers(BaseHTTPRequestHandler):
        """The three routes."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path != "/state":
                self._say(404, {"error": "GET /state"})
                return
            self._say(200, {"state": guardrail.state, "detail": guardrail.detail})

        def do_POST(self) -> None:
            length, asked = self.headers.get("content-length", ""), urlsplit(self.path)
            most = MAX_FRAMES_BYTES if asked.path == "/frames" else MAX_TEXT_BYTES
            if not length.isdecimal() or int(length) > most:
                self.close_connection = True
                self._say(413, {"error": "too large"})
                return
            raw = self.rfile.read(int(length))
            try:
                if asked.path == "/frames":
                    self._look(raw, asked.query)
                else:
                    self._read(raw)
            except FAULTS as error:  # asked again, it may work; until then nothing is let through
                self._say(503, {"error": f"{type(error).__name__}: {error}"[:300]})

        def _read(self, raw: bytes) -> None:
            try:
                text = json.loads(raw)["text"]
            except (ValueError, TypeError, KeyError, RecursionError):
                text = None
            if self.path != "/text" or not isinstance(text, str):
                self._say(422, {"error": 'POST /text {"text": "…"}'})
            elif guardrail.state != "on":
                self._say(503, {"error": guardrail.detail})
            else:
                safe, reason = guardrail.read(text)
                self._say(200, {"safe": safe, "reason": reason})

        def _look(self, raw: bytes, query: str) -> None:
            try:
                said = {name: values[0] for name, values in parse_qs(query, strict_parsing=True).items()}
                shape = (int(said["count"]), int(said["height"]), int(said["width"]), 3)
                first, fps = int(said["first"]), float(said["fps"])
            except (ValueError, KeyError):
                shape, first, fps = (0, 0, 0, 3), 0, 0.0
            if min(shape) < 1 or int(np.prod(shape, dtype=object)) != len(raw) or first < 0 or not 0 <= fps < 1000:
                self._say(422, {"error": ASK_FOR_FRAMES})
            elif guardrail.state != "on":
                self._say(503, {"error": guardrail.detail})
            else:
                seen = guardrail.look(raw, shape, first, fps)
                if seen.safe and seen.frames is not None:
                    self._answer(200, "application/octet-stream", np.ascontiguousarray(seen.frames).tobytes())
                else:
                    self._say(200, {"safe": seen.safe, "reason": seen.reason})

        def _say(self, status: int, body: dict[str, object]) -> None:
            self._answer(status, "application/json", json.dumps(body).encode())

        def _answer(self, status: int, content_type: str, raw: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", content_type)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: what is asked is nobody's business."""

    return ThreadingHTTPServer(("127.0.0.1", port), Answers)


def main() -> int:
    """Answer until told to stop."""
    parser = argparse.ArgumentParser(prog="python -m guardrail", description="Checks prompts and frames for Orrery.")
    parser.add_argument("--port", type=int, default=7861, help="port on loopback; 0 selects a free one and prints it")
    parser.add_argument("--device", default="cpu", help="device of its models, for example cuda or cuda:1")
    parser.add_argument(
        "--no-content-filter",
        action="store_true",
        help="only blur faces and do not classify frames, like NVIDIA's own checker since 0.3",
    )
    options = parser.parse_args()
    guardrail = Guardrail(CosmosReader(options.device, content_filter=not options.no_content_filter))
    server = make_server(guardrail, options.port)
    sys.stdout.write(f"guardrail listening on http://127.0.0.1:{server.server_address[1]}\n")
    sys.stdout.flush()
    threading.Thread(target=guardrail.load, daemon=True).start()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
