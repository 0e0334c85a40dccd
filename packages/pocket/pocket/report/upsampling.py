"""Upsampling: is the answer a caption of the schema, and does it keep what the wish says?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pocket.report.candidate import Candidate
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.rendering import scenes
from pocket.train.lessons.writing import upsampled_answer
from pocket.world.episode import Episode, Wording
from studio.captions import Controls, UnusableAnswer
from studio.captions.answer_schema import FIRST, MEDIA
from studio.captions.checking import check_answer
from studio.prompting.upsampling import upsample_message

CONTROLS = Controls.of_image("256", "1:1")

LONGEST = 800
"""Tokens; of forty right answers the longest had 527."""

UNCOUNTED = (*FIRST["image"], *MEDIA)
"""Prose has no one right wording, and what the request itself says is put in by the studio."""


class Upsampling(Exam[Episode, str]):
    """A still's full description in prose, to be written as the structured caption; without a grammar that holds the
    answer, so that its JSON is the reasoner's own."""

    name = "upsampling"
    figures = (
        Figure("json_valid", "upsampling: answers that are a caption of the schema as they come", has_chance=False),
        Figure("json_fields", "upsampling: values of the caption that are right", "mean"),
    )
    ceiling_is = "the world's own caption"
    chance_is = "the caption of another scene"
    view = "still"

    def tasks(self, count: int, seed: int) -> Sequence[Episode]:
        """Stills."""
        return scenes("still", count, seed)

    def ask(self, candidate: Candidate, task: Episode) -> str:
        """Its caption."""
        return candidate.say(upsample_message("text_to_image", _rich(task).prose, CONTROLS), LONGEST)

    def truth(self, task: Episode) -> str:
        """The world's."""
        return upsampled_answer(_rich(task), "image", CONTROLS)

    def ignorant(self, task: Episode, other: Episode) -> str:
        """Another scene's."""
        return self.truth(other)

    def show(self, task: Episode, answer: str) -> Shown:
        """The wish and the caption."""
        return Shown((), (_rich(task).prose, answer))

    def mark(self, task: Episode, answer: str) -> Marks:
        """Validity as the studio checks it, with nothing mended; fields by their values."""
        try:
            checked = check_answer(answer, "image", CONTROLS)
        except UnusableAnswer:
            return {"json_valid": 0.0, "json_fields": 0.0}
        written = leaves(checked.caption.model_dump(mode="json"))
        wanted = leaves(json.loads(_rich(task).caption))
        right = [written.get(path) == value for path, value in wanted.items()]
        return {"json_valid": float(not checked.repairs), "json_fields": sum(right) / len(right)}


def leaves(value: Any, path: str = "") -> dict[str, str]:
    """The texts of a caption by their path, without ``UNCOUNTED``: {".lighting.conditions": "soft even light"}."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        children = [(name, child) for name, child in fields.items() if path or name not in UNCOUNTED]
    elif isinstance(value, list):
        children = [(str(index), child) for index, child in enumerate(cast("list[Any]", value))]
    else:
        return {path: str(value)} if value not in ("", None) else {}
    return {key: text for name, child in children for key, text in leaves(child, f"{path}.{name}").items()}


def _rich(episode: Episode) -> Wording:
    return next(wording for wording in episode.wordings if wording.detail == "rich")
