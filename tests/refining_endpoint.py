"""An endpoint that takes the three roles of a refinement, each by a script of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from critiques import caption, critique, rewritten
from scripted_endpoint import ScriptedEndpoint, scripted_endpoint

Role = Literal["upsampler", "critic", "rewriter"]
Reply = str | tuple[int, bytes] | Callable[[], str]


class RefiningEndpoint:
    """Each role answers from a list, the last of which it repeats."""

    def __init__(self, scripted: ScriptedEndpoint) -> None:
        self._scripted = scripted
        self.address = scripted.address
        self.asked: list[Role] = []
        self.answers: dict[Role, list[Reply]] = {}
        self.forget()
        scripted.reply = self.reply  # type: ignore[method-assign]

    def forget(self) -> None:
        """Begin anew: a caption, a middling critique, a rewrite."""
        self.asked.clear()
        self.answers.update(
            upsampler=[json.dumps({"scene_imagination": "a table", **caption()})],
            critic=[json.dumps(critique(5.0, "moderate"))],
            rewriter=[rewritten("A red cube with straight edges.")],
        )

    def settings(self) -> dict[str, str]:
        """The environment of a server that asks it."""
        return {f"ORRERY_{role.upper()}_URL": self.address for role in self.answers}

    def reply(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, bytes]:
        said = json.dumps(body["messages"])
        role: Role = "critic" if "You inspect" in said else "rewriter" if "You revise" in said else "upsampler"
        with self._scripted.lock:
            self._scripted.bodies.append(body)
            self.asked.append(role)
            answers = self.answers[role]
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, tuple):
            return answer
        text = answer if isinstance(answer, str) else answer()
        choice = {"index": 0, "message": {"role": "assistant", "content": text}}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return 200, json.dumps({"id": "c", "choices": [choice], "usage": usage}).encode()


@contextmanager
def refining_endpoint() -> Iterator[RefiningEndpoint]:
    """One that listens on a free port of this machine."""
    with scripted_endpoint() as scripted:
        yield RefiningEndpoint(scripted)
