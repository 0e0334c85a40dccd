"""The flags of a request: their help comes from its fields, and its refusals name them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Annotated, Any

import typer
from annotated_types import Ge, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from studio.errors import BadInput, rebuild
from studio.requests import KINDS, Kind, Request, parse_request
from studio.requests.roles import InputType
from studio.rules import parse_size

NAMES: dict[str, str] = {
    "controls": "control",
    "num_chunk_frames": "chunk-frames",
    "num_overlap_frames": "overlap-frames",
    "num_source_frames": "source-frames",
    "sampling.num_inference_steps": "steps",
    "sampling.guidance_scale": "guidance",
    "use_system_prompt": "system-prompt",
    "use_resolution_template": "resolution-sentence",
    "use_duration_template": "duration-sentence",
}
"""Fields whose flag has another name."""

WITHOUT_FLAG = ("kind", "prompt", "written_from")
"""Said in another way, or by nobody."""


def _fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _fields(field.annotation, f"{prefix}{name}.")
        elif prefix or name not in WITHOUT_FLAG:
            yield prefix + name, field


FIELDS: dict[str, FieldInfo] = {}
for _kind in KINDS.values():
    for _path, _field in _fields(_kind.model):
        FIELDS.setdefault(_path, _field)
"""Every field that has a flag, by path; of those that several kinds have, as the first kind describes it."""


def _flag_of(path: str, field: FieldInfo) -> str:
    name = NAMES.get(path, path.rpartition(".")[2].replace("_", "-"))
    return f"--{name}/--no-{name}" if field.annotation is bool else f"--{name}"


FLAGS: dict[str, str] = {"prompt": "PROMPT", **{path: _flag_of(path, field) for path, field in FIELDS.items()}}
"""How the command line calls each field of a request."""

METAVARS: dict[Any, str] = {int: "INTEGER", float: "NUMBER", int | None: "INTEGER", float | None: "NUMBER"}
"""Numbers reach the request as they were typed: it says better than a flag parser what came and what was expected."""

FORMS: dict[str, tuple[str, str]] = {
    "condition_frames": ("0,1,…", ""),
    "controls": (
        "HINT[=FILE][@STRENGTH][:WEIGHT]",
        "Control: edge, blur, depth, seg or wsm, each with its clip; edge and blur without one are computed from the "
        "source clip. Once for each.",
    ),
    "actions": ("FILE", "Actions: a .json, .npy or .csv file with a row for each transition."),
    "state": ("0.1,0.2,…", ""),
    "adapter": ("NAME[:SCALE]", ""),
}
"""What to type for a flag whose value is no plain word, and its help where the field's own does not do."""


def input_of(path: str) -> InputType | None:
    """What a field takes; none for one whose value is typed."""
    return next((kind.takes[path].type for kind in KINDS.values() if path in kind.takes), None)


def field_paths(kind: Kind) -> tuple[set[str], set[str]]:
    """The fields that a kind's flags are about, the prompt too; and those of them that it requires, the prompt not."""
    fields = dict(_fields(kind.model))
    return {"prompt", *fields}, {path for path, field in fields.items() if field.is_required()}


def flag(path: str) -> Any:
    """The option of one field, with its help and its ORRERY_ variable."""
    name = FLAGS[path]
    variable = "ORRERY_" + _word(path).upper()
    usual = "FILE" if input_of(path) else METAVARS.get(FIELDS[path].annotation)
    form, help_text = FORMS.get(path, (usual, ""))
    return typer.Option(name, envvar=variable, help=help_text or _help(path), metavar=form)


def with_request_flags(command: Callable[..., None]) -> Callable[..., None]:
    """A command with a flag for every field of a request, in place of its parameter `said`.

    Of `said` it gets what they say, by field path; None is unsaid.
    """
    signature = inspect.signature(command, eval_str=True)
    words = {path: _word(path) for path in FIELDS}
    flags = [
        inspect.Parameter(
            word, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[_type_of(path), flag(path)]
        )
        for path, word in words.items()
    ]
    parameters = list[inspect.Parameter]()
    for parameter in signature.parameters.values():
        parameters += flags if parameter.name == "said" else [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)]

    @wraps(command)
    def run(**values: Any) -> None:
        said = {path: values.pop(word) for path, word in words.items()}
        command(said={path: None if value in ([], ()) else value for path, value in said.items()}, **values)

    run.__dict__["__signature__"] = signature.replace(parameters=parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _type_of(path: str) -> Any:
    """What typer parses: two numbers, a switch, a word for each entry, else one word that the request reads."""
    annotation = FIELDS[path].annotation
    if annotation is bool:
        return bool | None
    if annotation == tuple[float, float] | None:
        return annotation
    return list[str] | None if path == "controls" else str | None


def build_request(kind: str, said: Mapping[str, object], size: str | None) -> Request:
    """The request that flags describe.

    Args:
        kind: what is asked for.
        said: by field path, as in `{"sampling.seed": 7}`; None is unsaid.
        size: "WIDTHxHEIGHT", or None.

    Raises:
        BadInput: a field cannot mean what it says; the hint names its flag.
    """
    payload: dict[str, Any] = {"kind": kind}
    if size is not None:
        if said.get("resolution") or said.get("aspect_ratio"):
            raise BadInput("--size says what --resolution and --aspect-ratio say.", param="size", hint="Give one.")
        payload["resolution"], payload["aspect_ratio"] = parse_size(size)
    for path, value in said.items():
        if value is not None:
            parent, _, name = path.rpartition(".")
            (payload.setdefault(parent, {}) if parent else payload)[name] = value
    try:
        return parse_request(payload)
    except BadInput as error:
        param = error.param or ""
        where = FLAGS.get(param) or FLAGS.get(param.partition(".")[0])
        if param in payload and not KINDS[kind].has(param):
            others = [name for name, other in KINDS.items() if other.has(param)]
            hint = f"It goes with {', '.join(others)}; --kind says which is meant."
            raise BadInput(f"{where} does not go with {kind}.", param=param, hint=hint) from None
        hint = f"{error.hint} It is set by {where}.".strip() if where else error.hint
        raise rebuild(error.code, error.message, error.param, hint) from None


def _word(path: str) -> str:
    """The name of a flag's parameter: `--sound/--no-sound` is `sound`."""
    return FLAGS[path].split("/")[0].removeprefix("--").replace("-", "_")


def _help(path: str) -> str:
    field = FIELDS[path]
    rules: list[object] = field.metadata
    bounds = [f"{rule.ge}" for rule in rules if isinstance(rule, Ge)]
    bounds += [f"{rule.le}" for rule in rules if isinstance(rule, Le)]
    span = f" ({' to '.join(bounds)})" if bounds else ""
    return f"{field.title}: {field.description}{span}."
