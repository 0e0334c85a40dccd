"""Holding what is in the shards of a folder against what ought to be there, and saying what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from safetensors import SafetensorError, safe_open

from engine.verify.expected import PARTS, Expectation, Expected, transformer_in_fp8
from engine.weights.quantization import names_beside
from studio.checkpoints import check_layout, check_shard, read_json, shard_header
from studio.errors import BrokenCheckpoint

State = Literal["used", "dropped", "unknown", "missing", "wrong shape", "wrong dtype", "twice", "not finite"]

SOUND: frozenset[State] = frozenset({"used", "dropped"})

OPTIONAL_PARTS = ("vision_encoder", "sound_tokenizer")
"""What a checkpoint may do without: a policy has no sound, and nobody talks to a distilled one."""

MAX_LISTED = 50
"""Faults that the table spells out before it counts; JSON has them all."""


@dataclass(frozen=True)
class AccountEntry:
    """One tensor, there or not.

    Attributes:
        part: the folder that it belongs to.
        file: the shard, below the checkpoint's folder; empty for one that is missing.
        use: what reads it.
        detail: what is wrong with it, in words.
    """

    part: str
    name: str
    state: State
    file: str = ""
    use: str = ""
    shape: tuple[int, ...] = ()
    dtype: str = ""
    size_bytes: int = 0
    detail: str = ""


@dataclass
class Account:
    """What was found.

    Attributes:
        entries: every tensor of every shard, and those that are missing.
        problems: what is wrong with files as wholes: a shard cut short, an index that names what is not there.
    """

    folder: Path
    entries: list[AccountEntry] = field(default_factory=list[AccountEntry])
    problems: list[str] = field(default_factory=list[str])

    @property
    def faults(self) -> list[AccountEntry]:
        """Tensors that are not as they ought to be."""
        return [entry for entry in self.entries if entry.state not in SOUND]

    @property
    def whole(self) -> bool:
        """Nothing is wrong."""
        return not self.faults and not self.problems


def account_for(folder: Path) -> Account:
    """Account for every tensor of a checkpoint, reading nothing but headers and configurations.

    Raises:
        NotACheckpoint: the folder has another layout, or weights quantised in a way that is not read.
    """
    check_layout(folder)
    account = Account(folder)
    headers = {shard.relative_to(folder).as_posix(): _header(account, shard) for shard in _shards(folder)}
    for part in PARTS:
        own = {file: header for file, header in headers.items() if file.startswith(f"{part}/")}
        if own or part not in OPTIONAL_PARTS or (folder / part).is_dir():
            _hold(account, part, own)
    for file, header in headers.items():
        part = file.split("/")[0] if "/" in file else "."
        if part not in PARTS:
            account.entries += [_entry(part, name, file, raw, None) for name, raw in header.items()]
    beside = names_beside(_of_part(headers, "transformer"))
    for index in sorted([*folder.glob("*.safetensors.index.json"), *folder.glob("*/*.safetensors.index.json")]):
        _check_index(account, index, headers, beside)
    return account


def _of_part(headers: Mapping[str, Mapping[str, dict[str, Any]]], part: str) -> dict[str, dict[str, Any]]:
    """The tensors of a part's shards, by name."""
    own = [header for file, header in headers.items() if file.startswith(f"{part}/")]
    return {name: raw for header in own for name, raw in header.items()}


def _shards(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.safetensors"), *folder.glob("*/*.safetensors")])


def _header(account: Account, shard: Path) -> dict[str, dict[str, Any]]:
    """A shard's tensors as its header gives them; of a shard without a header, none."""
    try:
        check_shard(shard)
    except BrokenCheckpoint as error:
        account.problems.append(error.message)
    try:
        header = shard_header(shard)
    except BrokenCheckpoint:
        return {}
    return {name: raw for name, raw in header.items() if name != "__metadata__" and _is_entry(raw)}


def _is_entry(raw: object) -> bool:
    """Whether a header's value describes a tensor: {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}."""
    return (
        isinstance(raw, dict)
        and _are_numbers(raw.get("shape"))
        and _are_numbers(raw.get("data_offsets"))
        and len(raw["data_offsets"]) == 2
    )


def _are_numbers(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, int) for value in values)


def _hold(account: Account, part: str, headers: Mapping[str, Mapping[str, dict[str, Any]]]) -> None:
    """One part against its configuration."""
    expected: Expectation = {}
    try:
        expected = PARTS[part](account.folder)
        if part == "transformer":
            expected |= transformer_in_fp8(account.folder, expected, _of_part(headers, part))
    except BrokenCheckpoint as error:
        account.problems.append(f"{part}: {error.message}")
    seen: Counter[str] = Counter()
    for file, header in headers.items():
        for name, raw in header.items():
            seen[name] += 1
            entry = _entry(part, name, file, raw, expected.get(name))
            if seen[name] > 1:
                entry = replace(entry, state="twice", detail="another shard holds it too")
            account.entries.append(entry)
    account.entries += [
        AccountEntry(part, name, "missing", use=known.use, shape=known.shape, detail=f"expected {list(known.shape)}")
        for name, known in expected.items()
        if name not in seen and known.required
    ]


def _entry(part: str, name: str, file: str, raw: dict[str, Any], known: Expected | None) -> AccountEntry:
    shape, dtype = tuple(raw.get("shape", ())), str(raw.get("dtype", ""))
    start, end = raw["data_offsets"]
    entry = AccountEntry(part, name, "unknown", file, shape=shape, dtype=dtype, size_bytes=end - start)
    if known is None:
        return replace(entry, detail=f"{list(shape)} {dtype} in {file}: nothing reads it")
    entry = replace(entry, use=known.use)
    if shape != known.shape:
        return replace(entry, state="wrong shape", detail=f"{list(shape)}, expected {list(known.shape)}")
    if dtype not in known.dtypes:
        return replace(entry, state="wrong dtype", detail=f"stored as {dtype}; {', '.join(known.dtypes)} are read")
    return replace(entry, state="used" if known.required else "dropped")


def _check_index(
    account: Account, index: Path, headers: Mapping[str, Mapping[str, dict[str, Any]]], beside: Collection[str]
) -> None:
    """An index must name every tensor of the folders that it speaks of, where it is, and nothing else.

    Args:
        beside: tensors of the transformer that it may leave out, as the loader lets it.
    """
    where = index.relative_to(account.folder).as_posix()
    try:
        weight_map = read_json(index).get("weight_map")
    except BrokenCheckpoint as error:
        account.problems.append(error.message)
        return
    if not isinstance(weight_map, dict) or not all(isinstance(file, str) for file in weight_map.values()):
        account.problems.append(f"{where} has no weight_map of names to files.")
        return
    prefix = f"{where.rpartition('/')[0]}/" if "/" in where else ""
    named = {(name, f"{prefix}{file}") for name, file in weight_map.items()}
    files = {file for _, file in named}
    account.problems += [f"{where} names {file}, which was not found." for file in sorted(files - headers.keys())]
    lost = [name for name, file in sorted(named) if file in headers and name not in headers[file]]
    account.problems += [f"{where} says that {name} is in {prefix}{weight_map[name]}; it is not." for name in lost]
    folders = {file.rpartition("/")[0] for file in files}
    spoken_of = [file for file in headers if file.rpartition("/")[0] in folders]
    account.problems += [
        f"{where} does not name {name} of {file}."
        for file in spoken_of
        for name in headers[file]
        if (name, file) not in named
        and name not in weight_map
        and not (name in beside and file.startswith("transformer/") and (file in files or not prefix))
    ]


def check_values(account: Account, report: Callable[[str], None]) -> None:
    """Mark the tensors that hold an infinity or no number at all. Memory is bounded by the largest tensor.

    Args:
        report: told each shard before it is read.
    """
    there = sorted((entry for entry in account.entries if entry.file), key=lambda entry: entry.file)
    checked: list[AccountEntry] = [entry for entry in account.entries if not entry.file]
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


def _checked(entry: AccountEntry, shard: safe_open) -> AccountEntry:
    values = shard.get_tensor(entry.name)
    if not values.is_floating_point():
        return entry
    wrong = values.numel() - int(values.float().isfinite().sum())
    if not wrong:
        return entry
    detail = f"{wrong:,} of {values.numel():,} values are not finite"
    return replace(entry, state="not finite", detail=f"{entry.detail}; {detail}" if entry.detail else detail)


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
