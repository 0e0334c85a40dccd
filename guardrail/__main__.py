"""`python -m guardrail --port 7861`: answers the studio on loopback.

    GET  /state           {"state": "starting" | "on" | "failed", "detail": "…"}
    POST /text {"text"}   {"safe": true, "reason": ""}, or 503 while it is not on

The models are those of nvidia/Cosmos-1.0-Guardrail, a gated repository: ask for access there and set HF_TOKEN. Until
they are loaded the state is `starting`; if they cannot be, it is `failed` and says why, and no text is let through.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from guardrail.reader import CosmosReader, Reader

MAX_BODY_BYTES = 2**20

FAULTS = (ImportError, OSError, RuntimeError, ValueError, AttributeError, LookupError, TypeError, MemoryError)
"""What models and their loading fail with; an answer of Qwen3Guard's without a label is an AttributeError."""


class Guardrail:
    """The reader while it is loaded, and after."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._alone = threading.Lock()
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
        with self._alone:
            return self._reader.read(text)


def make_server(guardrail: Guardrail, port: int) -> ThreadingHTTPServer:
    """A server on loopback; port 0 picks a free one."""

    class Answers(BaseHTTPRequestHandler):
        """The two routes."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path != "/state":
                self._answer(404, {"error": "GET /state"})
                return
            self._answer(200, {"state": guardrail.state, "detail": guardrail.detail})

        def do_POST(self) -> None:
            length = self.headers.get("content-length", "")
            if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
                self.close_connection = True
                self._answer(413, {"error": "too large"})
                return
            raw = self.rfile.read(int(length))
            try:
                text = json.loads(raw)["text"]
            except (ValueError, TypeError, KeyError, RecursionError):
                text = None
            if self.path != "/text" or not isinstance(text, str):
                self._answer(422, {"error": 'POST /text {"text": "…"}'})
                return
            if guardrail.state != "on":
                self._answer(503, {"error": guardrail.detail})
                return
            try:
                safe, reason = guardrail.read(text)
            except FAULTS as error:  # asked again, it may work; until then nothing is let through
                self._answer(503, {"error": f"{type(error).__name__}: {error}"[:300]})
                return
            self._answer(200, {"safe": safe, "reason": reason})

        def _answer(self, status: int, body: dict[str, object]) -> None:
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: what is asked is nobody's business."""

    return ThreadingHTTPServer(("127.0.0.1", port), Answers)


def main() -> int:
    """Answer until told to stop."""
    parser = argparse.ArgumentParser(prog="python -m guardrail", description="Reads prompts for Orrery.")
    parser.add_argument("--port", type=int, default=7861, help="on loopback; 0 picks a free one and prints it")
    port = parser.parse_args().port
    guardrail = Guardrail(CosmosReader())
    server = make_server(guardrail, port)
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
