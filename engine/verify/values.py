"""Reading every value, one tensor at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import groupby

from safetensors import SafetensorError, safe_open

from engine.verify.account import Account, Entry


def check_values(account: Account, report: Callable[[str], None]) -> None:
    """Mark the tensors that hold an infinity or no number at all. Memory is bounded by the largest tensor.

    Args:
        report: told each shard before it is read.
    """
    there = sorted((entry for entry in account.entries if entry.file), key=lambda entry: entry.file)
    checked: list[Entry] = [entry for entry in account.entries if not entry.file]
    for file, entries in groupby(there, key=lambda entry: entry.file):
        report(file)
        own = list(entries)
        try:
            with safe_open(account.folder / file, framework="pt") as shard:
                checked += [_checked(entry, shard) for entry in own]
        except (SafetensorError, OSError) as error:
            # A shard that is cut short is a problem already; its values are not looked at.
            checked += own
            said = f"{file}: its values cannot be read: {' '.join(str(error).split())}."
            account.problems.append(said)
    account.entries = checked


def _checked(entry: Entry, shard: safe_open) -> Entry:
    values = shard.get_tensor(entry.name)
    if not values.is_floating_point():
        return entry
    wrong = values.numel() - int(values.float().isfinite().sum())
    if not wrong:
        return entry
    detail = f"{wrong:,} of {values.numel():,} values are not finite"
    return replace(entry, state="not finite", detail=f"{entry.detail}; {detail}" if entry.detail else detail)
