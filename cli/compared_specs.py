"""Samples of NVIDIA's spec files as rows of a comparison."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.attachments import Attachments
from cli.downloads import fetch
from studio.errors import BadInput
from studio.requests import Reason
from studio.specs import check_fields, make_samples, read_entries, remote_files

if TYPE_CHECKING:
    from studio.client import StudioClient


async def subjects_of(client: StudioClient, patterns: Sequence[str]) -> list[dict[str, Any]]:
    """A subject for each sample; what they start from is sent first.

    Raises:
        BadInput: a file cannot be read, or a sample is none; the first error is raised before anything is sent.
    """
    entries = read_entries(patterns, {})
    if errors := check_fields(entries):
        raise errors[0]
    with tempfile.TemporaryDirectory(prefix="orrery-compare-") as folder:
        fetched = fetch(remote_files(entries), Path(folder))
        samples, errors = make_samples(entries, fetched=fetched, scratch=Path(folder))
        if errors:
            raise errors[0]
        attachments = Attachments({name: file for sample in samples for name, file in sample.attachments.items()})
        subjects: list[dict[str, Any]] = []
        for sample in samples:
            if isinstance(sample.request, Reason):
                raise BadInput(f"{sample.entry} is a question; comparisons make pictures and clips.", param="input")
            await attachments.send(client, sample.attachments)
            said = sample.request.model_dump(mode="json", exclude_unset=True)
            subjects.append({"label": sample.name, "request": {**said, "kind": sample.request.kind}})
    return subjects
