"""An account as a table and as JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from engine.verify.account import Account

MAX_LISTED = 50
"""Faults that the table spells out before it counts; JSON has them all."""


def table(account: Account) -> str:
    """What each part holds, by what reads it, and everything that is wrong."""
    rows: Counter[tuple[str, str, str]] = Counter()
    sizes: Counter[tuple[str, str, str]] = Counter()
    for entry in account.entries:
        key = (entry.part, entry.use or "-", entry.state)
        rows[key] += 1
        sizes[key] += entry.size_bytes
    lines = [f"{'part':18}{'read by':18}{'state':14}{'tensors':>8}{'size':>12}"]
    lines += [
        f"{part:18}{use:18}{state:14}{rows[part, use, state]:8}{_size(sizes[part, use, state]):>12}"
        for part, use, state in sorted(rows)
    ]
    faults = [f"{entry.part}: {entry.name} is {_said(entry.state)}: {entry.detail}." for entry in account.faults]
    wrong = [*account.problems, *faults]
    lines += ["", *wrong[:MAX_LISTED]] if wrong else []
    if len(wrong) > MAX_LISTED:
        lines.append(f"and {len(wrong) - MAX_LISTED:,} more")
    total = f"{len(account.entries):,} tensors, {_size(sum(sizes.values()))}"
    verdict = (
        "every one accounted for" if account.whole else f"{len(wrong):,} {'fault' if len(wrong) == 1 else 'faults'}"
    )
    return "\n".join([*lines, "", f"{account.folder}: {total}: {verdict}."]) + "\n"


def as_json(account: Account) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "folder": str(account.folder),
        "whole": account.whole,
        "size_bytes": sum(entry.size_bytes for entry in account.entries),
        "problems": account.problems,
        "tensors": [asdict(entry) for entry in account.entries],
    }


def _said(state: str) -> str:
    return {"wrong shape": "of the wrong shape", "wrong dtype": "of a wrong dtype", "twice": "there twice"}.get(
        state, state
    )


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.2f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.2f} MB"
