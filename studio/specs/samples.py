"""From entries to samples: fields with the framework's defaults under them, and the request that they mean."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from studio.errors import BadInput, NotAllowed, StudioError, rebuild
from studio.requests import Reason, Request, shown
from studio.specs.acting import acting
from studio.specs.clips import clip, picture, transfer
from studio.specs.draft import RequestDraft
from studio.specs.entries import Entry, read_text
from studio.specs.inputs import REMOTE, Attachment, Inputs, is_picture
from studio.specs.prompts import prompt_of
from studio.specs.spec import (
    CLIPS,
    KIND_OF_MODE,
    CheckpointDefaults,
    Spec,
    hints_of,
    load_framework_defaults,
    mode_of,
    parse_spec,
)

MAX_NAME_BYTES = 200
"""A file name has 255 at most; the rest is for names beside it."""


@dataclass(frozen=True)
class Sample:
    """One sample, ready to be asked for.

    Attributes:
        name: of its folder.
        entry: where and how it is written.
        mode: the framework's name for what it asks for.
        request: what it means, a job or a question; media by the ids that a server will give them.
        attachments: what is sent first, by id.
        jpeg_quality: of its picture.
        notes: what was changed on the way, in sentences.
        draft: how its fields came about.
    """

    name: str
    entry: Entry
    mode: str
    request: Request | Reason
    attachments: Mapping[str, Attachment]
    jpeg_quality: int
    notes: tuple[str, ...]
    draft: RequestDraft

    def in_its_words(self, error: StudioError) -> StudioError:
        """An error about its request, with its place and its own names for fields."""
        return _at(self.entry, self.draft.in_its_words(error))


def make_samples(
    entries: Sequence[Entry],
    *,
    fetched: Mapping[str, Path],
    scratch: Path,
    checkpoint: CheckpointDefaults | None = None,
) -> tuple[list[Sample], list[StudioError]]:
    """The samples of all entries, and what is wrong with the others: each error names file, sample and field.

    Args:
        entries: as they are written.
        fetched: files of the web by their address; see `remote_files`.
        scratch: a folder for pictures that are taken from clips.
        checkpoint: what will make them, once it is known.
    """
    samples, errors = list[Sample](), list[StudioError]()
    names: dict[str, Entry] = {}
    for entry in entries:
        try:
            sample = _sample(entry, fetched, scratch, checkpoint or CheckpointDefaults())
            if sample.name in names:
                raise BadInput(
                    f"name is {shown(sample.name)}, which a sample in {names[sample.name].file} also has.",
                    param="name",
                    hint="Give each sample its own name.",
                )
        except (BadInput, NotAllowed) as error:
            errors.append(_at(entry, error))
        else:
            names[sample.name] = entry
            samples.append(sample)
    return samples, errors


def check_fields(entries: Sequence[Entry]) -> list[StudioError]:
    """What is wrong with entries as far as it shows before their files are there."""
    errors = list[StudioError]()
    for entry in entries:
        try:
            spec = parse_spec(entry.fields)
            mode_of(spec)
            hints_of(spec)
        except (BadInput, NotAllowed) as error:
            errors.append(_at(entry, error))
    return errors


def remote_files(entries: Sequence[Entry]) -> dict[str, Entry]:
    """Addresses of the web that are needed, each with an entry that names it; `check_fields` finds nothing in them.

    Files that no sample of its mode reads are left out: a policy's `action_path` is what its answer is compared with.
    """
    found: dict[str, Entry] = {}
    for entry in entries:
        spec = parse_spec(entry.fields)
        mode, hints = mode_of(spec), hints_of(spec)
        said = [hint.control_path for hint in hints.values()]
        if hints or mode not in ("text2image", "text2video"):
            said.append(spec.vision_path)
        if mode == "forward_dynamics":
            said.append(spec.action_path)
        found |= {address: entry for address in said if address is not None and address.startswith(REMOTE)}
    return found


def _sample(entry: Entry, fetched: Mapping[str, Path], scratch: Path, checkpoint: CheckpointDefaults) -> Sample:
    name = _folder_name(entry.name)
    inputs = Inputs(entry.file.parent, fetched, scratch)
    said = parse_spec(entry.fields)
    mode = mode_of(said)
    hints = hints_of(said)
    if hints and mode not in CLIPS:
        raise BadInput(f"{next(iter(hints))} cannot be combined with {mode}.", param=next(iter(hints)))
    if entry.start_frame and mode in ("image2video", "video2video"):
        raise BadInput(
            f"the window starts at frame {entry.start_frame} of its video; only the first frames of a video are kept.",
            param="start_frame",
            hint="Use model_mode text2video, or trim the video.",
        )
    spec = parse_spec(_completed(entry, said, mode, tuple(hints), checkpoint.id))
    if spec.seed is None:
        spec = spec.model_copy(update={"seed": _seed(name)})
    if hints:
        draft = transfer(spec, hints, inputs, checkpoint)
    elif mode == "text2image":
        draft = picture(spec, inputs, checkpoint)
    elif mode in CLIPS:
        draft = clip(mode, spec, inputs, checkpoint)
    elif mode == "reasoner":
        draft = reasoning(spec, inputs)
    else:
        draft = acting(mode, spec, inputs)
    return Sample(
        name,
        entry,
        mode,
        draft.request(),
        inputs.attachments,
        spec.image_save_quality,
        (*entry.notes, *draft.notes),
        draft,
    )


def _completed(entry: Entry, said: Spec, mode: str, hints: tuple[str, ...], checkpoint: str) -> dict[str, Any]:
    """Fields over defaults: the mode's or those of `defaults_file`, over them transfer's, over them the hint's own."""
    defaults = load_framework_defaults()
    under = defaults.of(mode, checkpoint)
    if said.defaults_file is not None:
        under = _defaults_file(entry, said.defaults_file)
    if hints:
        under.pop("num_frames", None)
        under |= defaults.transfer
    if len(hints) == 1:
        under |= defaults.transfer_hints[hints[0]]
    return {**under, **entry.fields}


def _defaults_file(entry: Entry, said: str) -> dict[str, Any]:
    path = Inputs(entry.file.parent, {}, entry.file.parent).find(said, "defaults_file")
    try:
        fields: object = json.loads(read_text(path, "defaults_file"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON: {error}.", param="defaults_file") from None
    if not isinstance(fields, dict):
        raise BadInput(f"{path} is not an object.", param="defaults_file")
    known = cast(dict[str, Any], fields).items()
    return {name: value for name, value in known if name in Spec.model_fields and value is not None}


def _seed(name: str) -> int:
    """A seed for a sample that says none: of its name, so that the same file makes the same clip again."""
    return int.from_bytes(hashlib.sha256(name.encode(errors="replace")).digest()[:4], "big") & 0x7FFFFFFF


def _folder_name(name: str) -> str:
    fits = len(name.encode(errors="replace")) <= MAX_NAME_BYTES and name.isprintable()
    if not fits or name.startswith(".") or "/" in name or "\\" in name or name != name.strip() or not name:
        raise BadInput(
            f"name is {shown(name)}, which is not a valid folder name.",
            param="name",
            hint="Use letters, digits, - and _.",
        )
    return name


def _at(entry: Entry, error: StudioError) -> StudioError:
    return rebuild(error.code, f"{entry}: {error.message}", error.param, error.hint)


def reasoning(spec: Spec, inputs: Inputs) -> RequestDraft:
    """A request for words: one message, what is looked at before the question, and no system prompt, as the framework
    asks (`generate_reasoner_text` without a prompt builder). Without `do_sample` the likeliest token is always taken.
    """
    draft = RequestDraft(KIND_OF_MODE["reasoner"])
    said = "prompt" if spec.prompt is not None else "prompt_path"
    words = prompt_of(spec, inputs)
    if not words.strip():
        raise BadInput(f"{said} is empty; the reasoner needs text.", param=said, hint="Write at least one word.")
    content: list[dict[str, Any]] = [{"type": "text", "text": words}]
    if spec.vision_path is not None:
        kind = "image" if is_picture(spec.vision_path) else "video"
        content.insert(0, {"type": kind, kind: inputs.media(spec.vision_path, "vision_path")})
        draft.names("messages.0.content.0", "vision_path")
    draft.put("messages", [{"role": "user", "content": content}], said)
    draft.put("video_fps", spec.video_fps, "video_fps")
    draft.put("sampling.max_tokens", spec.max_new_tokens, "max_new_tokens")
    draft.put("sampling.temperature", spec.temperature if spec.do_sample else 0.0, "temperature")
    draft.put("sampling.top_k", (spec.top_k or 0) if spec.do_sample else 0, "top_k")
    draft.put("sampling.top_p", (spec.top_p or 1.0) if spec.do_sample else 1.0, "top_p")
    draft.put("sampling.repetition_penalty", spec.repetition_penalty, "repetition_penalty")
    draft.put("sampling.presence_penalty", spec.presence_penalty, "presence_penalty")
    draft.put("sampling.seed", spec.seed, "seed")
    if (spec.num_outputs or 1) > 1:
        draft.notes.append(f"num_outputs is {spec.num_outputs}; the reasoner gives one answer.")
    return draft
