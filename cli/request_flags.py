"""The flags of a request: drawn from its fields, read as their values, and named in its refusals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic.fields import FieldInfo

from cli.attachments import Attachments
from cli.flags import Flags, bounds, describe
from cli.output_files import NAMED_BY, STDOUT
from studio.errors import BadInput, rebuild
from studio.requests import KINDS, SUFFIXES, Kind, Request, nearest, parse_request, shown
from studio.requests.flat_fields import SHORT_NAMES, fields_by_path, nested
from studio.requests.model import InputType
from studio.rules import parse_size
from studio.specs.action_files import read_actions, read_numbers

CONTROL_FORMS = "edge=clip.mp4, edge=clip.mp4:0.5, edge (from the source video) or edge@high"

NAMES: dict[str, str] = {
    **SHORT_NAMES,
    "controls": "control",
    "num_chunk_frames": "chunk-frames",
    "num_overlap_frames": "overlap-frames",
    "num_source_frames": "source-frames",
    "use_system_prompt": "system-prompt",
    "use_resolution_template": "resolution-sentence",
    "use_duration_template": "duration-sentence",
}
"""Fields whose flag has another name."""

WITHOUT_FLAG = ("kind", "prompt", "written_from")
"""Said in another way, or by nobody."""

Said = Mapping[str, Any]
"""What flags say, by the path of their field; None is unsaid."""


def _flagged(kind: Kind) -> Iterator[tuple[str, FieldInfo]]:
    return ((path, field) for path, field in fields_by_path(kind.model) if path not in WITHOUT_FLAG)


FIELDS: dict[str, FieldInfo] = {}
for _kind in KINDS.values():
    for _path, _field in _flagged(_kind):
        FIELDS.setdefault(_path, _field)
"""Every field that has a flag, by path; of those that several kinds have, as the first kind describes it."""


def _flag_of(path: str, field: FieldInfo) -> str:
    name = NAMES.get(path, path.rpartition(".")[2].replace("_", "-"))
    return f"--{name}/--no-{name}" if field.annotation is bool else f"--{name}"


FLAGS: dict[str, str] = {"prompt": "PROMPT", **{path: _flag_of(path, field) for path, field in FIELDS.items()}}
"""How the command line calls each field of a request."""


@dataclass(frozen=True)
class Form:
    """A flag whose value is no plain word.

    Attributes:
        typed: what to type.
        read: from what was typed to the field's value.
        help: where the field's own does not do.
    """

    typed: str
    read: Callable[[Any, Attachments], object]
    help: str = ""


def parse_controls(words: Sequence[str], attachments: Attachments) -> list[dict[str, Any]]:
    """Controls: a hint with its clip, or one that is computed at a strength; a number behind a colon is its weight.

    `edge=clip.mp4:0.5` is `{"hint": "edge", "video": <the clip's id>, "weight": 0.5}`, and `blur@high:2` is
    `{"hint": "blur", "strength": "high", "weight": 2.0}`.

    Raises:
        BadInput: there is no such file, or nothing is said.
    """
    return [_control(word, attachments) for word in words]


def parse_adapter(word: str) -> dict[str, Any]:
    """`style:0.8` is `{"name": "style", "scale": 0.8}`; without a number the request's default holds."""
    name, scale = _number_behind(word)
    return {"name": name, **({} if scale is None else {"scale": scale})}


FORMS: dict[str, Form] = {
    "condition_frames": Form("0,1,…", lambda word, _: word.split(",")),
    "controls": Form(
        "HINT[=FILE][@STRENGTH][:WEIGHT]",
        parse_controls,
        "Control: edge, blur, depth, seg or wsm, each with its video; all but wsm without one are computed from the "
        "source video. May be repeated.",
    ),
    "actions": Form(
        "FILE",
        lambda word, _: read_actions(Path(word).expanduser()),
        "Actions: a .json, .npy or .csv file with one row per transition.",
    ),
    "state": Form("0.1,0.2,…", lambda word, _: read_numbers(word, "state")),
    "adapter": Form("NAME[:SCALE]", lambda word, _: parse_adapter(word)),
}

SizeOption = Annotated[
    str | None,
    typer.Option("--size", envvar="ORRERY_SIZE", metavar="WIDTHxHEIGHT", help="Size in pixels, for example 1024x1024."),
]

METAVARS: dict[Any, str] = {int: "INTEGER", float: "NUMBER", int | None: "INTEGER", float | None: "NUMBER"}
"""Numbers reach the request as they were typed: it says better than a flag parser what came and what was expected."""


def request_flags(*paths: str) -> Flags:
    """The flags of these fields, or of all, and --size with a resolution; what they say comes by field, as `Said`."""
    words = {_word(path): path for path in paths or FIELDS}
    options = {"size": SizeOption} if "resolution" in words.values() else {}
    options |= {word: Annotated[_type_of(path), _option(path)] for word, path in words.items()}
    return Flags(options, lambda said: {words.get(word, word): value for word, value in said.items()})


def build_request(kind: str, said: Said, attachments: Attachments) -> Request:
    """The request that flags describe; files become the ids that they will have.

    Args:
        kind: what is asked for.
        said: as in `{"sampling.seed": 7}`; its `size`, as in "832x480", says resolution and shape.
        attachments: gets the files.

    Raises:
        BadInput: a field cannot mean what it says; the hint names its flag.
    """
    fields = {path: _value(path, value, attachments) for path, value in said.items() if value is not None}
    size = fields.pop("size", None)
    if size is not None:
        if "resolution" in fields or "aspect_ratio" in fields:
            raise BadInput(
                "--size sets the same as --resolution and --aspect-ratio.", param="size", hint="Give only one of them."
            )
        fields["resolution"], fields["aspect_ratio"] = parse_size(size)
    payload = {"kind": kind, **nested(fields)}
    try:
        return parse_request(payload)
    except BadInput as error:
        param = error.param or ""
        where = FLAGS.get(param) or FLAGS.get(param.partition(".")[0])
        if param in payload and not KINDS[kind].has(param):
            others = [name for name, other in KINDS.items() if other.has(param)]
            hint = f"It is a field of {', '.join(others)}; set one with --kind."
            raise BadInput(f"{where} is not a field of {kind}.", param=param, hint=hint) from None
        hint = f"{error.hint} It is set by {where}.".strip() if where else error.hint
        raise rebuild(error.code, error.message, error.param, hint) from None


def told(request: Request, checkpoint: str | None) -> Request:
    """A request as it goes to a server, with the checkpoint to name to it; see `cli.target.reached`."""
    return request if request.checkpoint == checkpoint else request.model_copy(update={"checkpoint": checkpoint})


def kind_of(kind: str | None, output: str, said: Said) -> str:
    """The request kind, where it is not said read off the output's name and the flags that are set.

    That whose fields the flags are, and whose files the output may be: controls make a transfer and actions a
    prediction of frames; with an embodiment, a clip asks for its actions and a picture for a policy's. Without any, a
    .png is a picture, as is stdout, and an .mp4 a clip.

    Args:
        kind: what was said, or None.
        output: as in `out.mp4`, or `-`.
        said: what flags say.

    Raises:
        BadInput: there is no such kind, or the output is neither a picture, nor a clip, nor actions.
    """
    if kind is not None:
        if kind not in KINDS:
            raise BadInput(f"--kind is {shown(kind)}.", param="kind", hint=nearest(kind, KINDS))
        return kind
    suffix = Path(output).suffix.lower()
    if output != STDOUT and suffix not in NAMED_BY and not Path(output).is_dir():
        raise BadInput(
            f"The output is {output!r}; images are .png files, videos .mp4 files, actions .json or .npy files.",
            param="output",
            hint="End its name in one of them.",
        )
    return best_kind(said, KINDS.values(), ".png" if output == STDOUT else suffix)


def best_kind(said: Said, kinds: Collection[Kind], suffix: str = "") -> str:
    """The kind that goes best with what flags say; among equals the one that stands first.

    Fields that whoever has them requires, such as `embodiment`, say most; then the files that are wanted; then whatever
    else is given; then what would be missing.
    """
    given = {path for path, value in said.items() if value is not None} - {"size"}
    fields = [(kind, {"prompt", *dict(_flagged(kind))}, _required(kind)) for kind in kinds]
    optional = {path for _, known, required in fields for path in known - required}

    def misfit(entry: tuple[Kind, Set[str], Set[str]]) -> tuple[int, bool, int, int]:
        kind, known, required = entry
        unknown = given - known
        makes = any(suffix in SUFFIXES[made.type] for made in kind.makes)
        return len(unknown - optional), not makes, len(unknown), len(required - given)

    return min(fields, key=misfit)[0].name


def _required(kind: Kind) -> set[str]:
    return {path for path, field in _flagged(kind) if field.is_required()}


def _word(path: str) -> str:
    """The name of a flag's value: that of `--sound/--no-sound` is `sound`."""
    return FLAGS[path].split("/")[0].removeprefix("--").replace("-", "_")


def _type_of(path: str) -> Any:
    """What typer parses: two numbers, a switch, a word for each entry, else one word that the request reads."""
    annotation = FIELDS[path].annotation
    if annotation is bool:
        return bool | None
    if annotation == tuple[float, float] | None:
        return annotation
    return list[str] | None if path == "controls" else str | None


def _option(path: str) -> Any:
    field, form = FIELDS[path], FORMS.get(path)
    usual = "FILE" if _input_of(path) else METAVARS.get(field.annotation)
    span = " to ".join(f"{bound}" for bound in bounds(field) if bound is not None)
    text = f"{describe(field)}{f' ({span})' if span else ''}."
    return typer.Option(
        FLAGS[path],
        envvar=f"ORRERY_{_word(path).upper()}",
        metavar=form.typed if form else usual,
        help=form.help if form and form.help else text,
    )


def _input_of(path: str) -> InputType | None:
    """What a field takes; none for one whose value is typed."""
    return next((kind.takes[path].type for kind in KINDS.values() if path in kind.takes), None)


def _value(path: str, typed: Any, attachments: Attachments) -> Any:
    if path in FORMS:
        return FORMS[path].read(typed, attachments)
    return attachments.name(typed, path) if _input_of(path) else typed


def _control(word: str, attachments: Attachments) -> dict[str, Any]:
    hint, equals, clip = word.partition("=")
    control: dict[str, Any] = {}
    if equals:
        clip, weight = _number_behind(clip)
        control["hint"], control["video"] = hint, attachments.name(clip, "controls")
    else:
        hint, weight = _number_behind(word)
        control["hint"], at, strength = hint.partition("@")
        if at:
            control["strength"] = strength
    if not control["hint"]:
        raise BadInput(f"--control is {shown(word)}; expected {CONTROL_FORMS}.", param="controls")
    return {**control, **({} if weight is None else {"weight": weight})}


def _number_behind(word: str) -> tuple[str, float | None]:
    """A word and the number behind its last colon, if that is one: `C:clip.mp4` is a word."""
    head, colon, tail = word.rpartition(":")
    try:
        return (head, float(tail)) if colon else (word, None)
    except ValueError:
        return word, None
