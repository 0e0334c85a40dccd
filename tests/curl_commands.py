"""Commands of curl as people paste them: a form or a JSON body, run by curl itself against a server of ours."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from running import RunningServer

LIMIT_S = 120


@dataclass(frozen=True)
class CurlAnswer:
    """What curl got."""

    status: int
    content_type: str
    content: bytes

    def json(self) -> Any:
        return json.loads(self.content)


@dataclass(frozen=True)
class Curl:
    """One command.

    Attributes:
        path: where it is posted to.
        fields: texts of the form, or the body.
        params: what stands in `extra_params`.
        files: the form's files as curl has them after the @: `first.jpg;type=image/jpeg`, looked for in its folder.
        accept: the header, where the command sets it.
        option: how the form's texts are given: --form-string, or -F, which reads `;` and a leading @ its own way.
        is_json: a body, and no form.
        extras: what `extra_params` is called here.
    """

    path: str
    fields: Mapping[str, Any]
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    accept: str | None = None
    option: str = "--form-string"
    is_json: bool = False
    extras: str = "extra_params"

    def small(self, params: Mapping[str, Any] | None = None, **changes: Any) -> "Curl":
        """The same command with other values: None takes a field out."""
        fields = {name: value for name, value in {**self.fields, **changes}.items() if value is not None}
        merged = {name: value for name, value in {**self.params, **(params or {})}.items() if value is not None}
        return replace(self, fields=fields, params=merged)

    def sent(self) -> dict[str, Any]:
        """The texts of the form, or the object of the body."""
        if not self.params:
            return dict(self.fields)
        # SGLang's transfers have all their values as texts, and this object as a text too.
        as_text = not self.is_json or all(isinstance(value, str) for value in self.fields.values())
        return {**self.fields, self.extras: json.dumps(self.params) if as_text else dict(self.params)}

    def run(self, server: RunningServer, folder: Path) -> CurlAnswer:
        """Post it, from a folder that has its files."""
        words: list[str] = ["-H", f"Accept: {self.accept}"] if self.accept else []
        if self.is_json:
            words += ["-H", "Content-Type: application/json", "-d", json.dumps(self.sent())]
        else:
            for name, value in self.sent().items():
                words += [self.option, f"{name}={value}"]
            for name, value in self.files.items():
                words += ["-F", f"{name}=@{value}"]
        told = subprocess.run(
            ["curl", "-sS", "-X", "POST", server.url + self.path, *words, "-o", "answer", "-w", "%{json}"],
            cwd=folder,
            check=True,
            timeout=LIMIT_S,
            capture_output=True,
        )
        facts = json.loads(told.stdout)
        return CurlAnswer(facts["http_code"], facts["content_type"], (folder / "answer").read_bytes())
