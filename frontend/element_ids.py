"""The id of every element that a person can reach, in one place that the tests share."""

from __future__ import annotations

MAIN = "main"
RAIL = "o-rail"
KEYS = "o-keys"
FACTS = "o-facts"
TOASTS = "o-toasts"


def field(page: str, path: str) -> str:
    """The id of a request field's component: `image` and `sampling.seed` give `image-sampling-seed`.

    Of a part that holds several fields the mark in its name is left out: `@start` gives `video-start`.
    """
    return f"{page}-{path.removeprefix('@').replace('.', '-').replace('_', '-')}"


def part(page: str, name: str) -> str:
    """The id of what a page has beside its fields: `image` and `generate` give `image-generate`."""
    return f"{page}-{name}"


def generate(page: str) -> str:
    """The button that submits."""
    return part(page, "generate")


def fold(page: str) -> str:
    """The fold that holds the rare fields."""
    return part(page, "fold")


def seed_tools(page: str) -> str:
    """ "New" and "lock", beside the seed."""
    return part(page, "seed-tools")


def order(page: str) -> str:
    """How the job is to be queued."""
    return part(page, "order")


def prompt_tools(page: str) -> str:
    """What can be done with the prompt."""
    return part(page, "prompt-tools")


def tabs(page: str) -> str:
    """The pages that share a place of the rail."""
    return part(page, "tabs")


def examples(page: str) -> str:
    """The checkpoint's prompts worth trying."""
    return part(page, "examples")


def notice(page: str) -> str:
    """What is to be known about the checkpoint."""
    return part(page, "notice")


def estimate(page: str) -> str:
    """What pressing the button will cost."""
    return part(page, "estimate")


def outcome(page: str) -> str:
    """Where the server's answer to a submission lands."""
    return part(page, "outcome")


def stage(page: str) -> str:
    """The picture."""
    return part(page, "stage")


def progress(page: str) -> str:
    """The card of the job on the stage."""
    return part(page, "progress")


def strip(page: str) -> str:
    """Every job, newest first."""
    return part(page, "strip")
