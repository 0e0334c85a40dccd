"""People who use a server while it is killed under them, and what must hold afterwards."""

import random
import threading
from collections.abc import Callable
from typing import Any

import httpx

from running import NO_TLS, RunningServer
from sent_files import picture_bytes

PAUSE_S = 0.01


class Crowd:
    """Threads that submit, cancel, upload, throw away and take back, and keep what was answered."""

    def __init__(self, server: RunningServer, seed: int) -> None:
        self._server = server
        self._random = random.Random(seed)
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self.jobs: set[str] = set()
        self.uploads: set[str] = set()
        self.thrown: set[str] = set()
        self.erased: set[str] = set()
        self._turns = 0
        """Of whoever empties the trash: up at each beginning and each end."""

    def start(self) -> None:
        """Begin; the server may come and go."""
        self._stop.clear()
        acts = (self._submit, self._batch, self._cancel, self._upload, self._throw, self._erase, self._look)
        self._threads = [threading.Thread(target=self._go_on, args=(act,), daemon=True) for act in acts]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let everybody finish what they are at."""
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()

    def _go_on(self, act: Callable[[], None]) -> None:
        while not self._stop.wait(PAUSE_S * (1 + self._random.random())):
            try:
                act()
            except (httpx.HTTPError, OSError):
                continue  # it was killed: nothing was answered, so nothing is claimed

    def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        answer = httpx.request(method, self._server.url + path, timeout=10, verify=NO_TLS, **options)
        assert answer.status_code < 500 or answer.status_code == 503, answer.text
        return answer

    def _submit(self) -> None:
        sampling = {"num_inference_steps": self._random.choice((1, 2, 30)), "seed": self._random.randrange(1000)}
        answer = self._ask(
            "POST", "/v1/jobs", json={"kind": "generate_image", "prompt": "a storm", "sampling": sampling}
        )
        if answer.status_code == 202:
            self._keep(self.jobs, answer.json()["id"])

    def _batch(self) -> None:
        request = {"kind": "generate_image", "prompt": "a batch", "sampling": {"num_inference_steps": 1}}
        answer = self._ask("POST", "/v1/batches", json={"request": request, "axes": {"sampling.seed": [1, 2, 3]}})
        if answer.status_code == 202:
            for job in answer.json()["jobs"]:
                self._keep(self.jobs, job["id"])
        if self._random.random() < 0.3:
            self._ask("DELETE", "/v1/queue")

    def _cancel(self) -> None:
        job_id = self._any(self.jobs)
        if job_id:
            self._ask("DELETE", f"/v1/jobs/{job_id}")

    def _upload(self) -> None:
        size = self._random.randrange(20, 200), self._random.randrange(20, 200)
        before = self._turns
        answer = self._ask("POST", "/v1/media", files={"file": ("storm.png", picture_bytes(*size))})
        if answer.status_code == 201:
            with self._lock:
                name = answer.json()["id"]
                self.uploads.add(name)
                if before == self._turns and before % 2 == 0:
                    self.erased.discard(name)
                # Else the trash was emptied meanwhile: before it came, or after it had come and was thrown away again.

    def _throw(self) -> None:
        name = self._any(self.uploads)
        if name:
            with self._lock:
                self.thrown.add(name)
                if self._turns % 2:
                    self.erased.add(name)
            self._ask("POST", "/v1/library/trash", json={"ids": [name]})
            if self._random.random() < 0.5:
                self._ask("POST", "/v1/library/restore", json={"ids": [name]})

    def _erase(self) -> None:
        if self._random.random() > 0.1:
            return
        with self._lock:  # what is asked for may be done, whether it is answered or not
            self._turns += 1
            self.erased |= self.thrown
        try:
            self._ask("DELETE", "/v1/library/trash")
        finally:
            with self._lock:
                self._turns += 1

    def _look(self) -> None:
        for item in self._ask("GET", "/v1/library", params={"q": "storm", "limit": 20}).json()["items"]:
            content = self._ask("GET", item["url"])
            assert content.status_code in (200, 404)
            assert content.status_code == 404 or len(content.content) == item["size_bytes"]

    def _keep(self, names: set[str], name: str) -> None:
        with self._lock:
            names.add(name)

    def _any(self, names: set[str]) -> str | None:
        with self._lock:
            return self._random.choice(sorted(names)) if names else None
