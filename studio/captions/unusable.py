"""What is raised when an answer says nothing that can be used."""

from __future__ import annotations


class UnusableAnswer(ValueError):  # noqa: N818 - named by what happened, like the errors of studio.errors
    """An answer of a language model that is not what was asked for.

    It is for the caller that can ask again: whoever gives up tells the person with a StudioError.

    Args:
        why: one sentence, which also serves as feedback to the model.
        path: of the field at fault.
    """

    def __init__(self, why: str, *, path: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.path = path
