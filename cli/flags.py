"""One parameter of a command that stands for several flags: the server it talks to, or fields of a model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args

import typer
from annotated_types import Ge, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from cli.target import Target, read_target

JsonOption = Annotated[bool, typer.Option("--json", envvar="ORRERY_JSON", help="Print JSON.")]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", envvar="ORRERY_DATA", metavar="FOLDER", help="The data folder [~/.local/share/orrery]."),
]
ForceOption = Annotated[bool, typer.Option("--force", envvar="ORRERY_FORCE", help="Replace an existing file.")]
EndpointOption = Annotated[
    str | None,
    typer.Option(
        "--endpoint",
        envvar="ORRERY_ENDPOINT",
        metavar="URL",
        help="OpenAI-compatible server to use instead, for example http://127.0.0.1:8000/v1; its key is read from "
        "ORRERY_UPSAMPLER_KEY.",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        envvar="ORRERY_MODEL",
        metavar="NAME",
        help="Model of the endpoint; default: the first that it lists.",
    ),
]


@dataclass(frozen=True)
class Flags:
    """What a parameter is annotated with that stands for several flags, as in `target: Annotated[Target, SERVER]`.

    Attributes:
        options: what typer is told of each, by the name of its value. All may be left out.
        read: the parameter's value, from theirs; None is unsaid.
    """

    options: Mapping[str, Any]
    read: Callable[[dict[str, Any]], Any]


def with_flags(command: Callable[..., None]) -> Callable[..., None]:
    """A command with flags in the place of each parameter that `Flags` annotate."""
    parameters, behind = list[inspect.Parameter](), dict[str, Flags]()
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        notes = getattr(parameter.annotation, "__metadata__", ())
        flags = next((note for note in notes if isinstance(note, Flags)), None)
        if flags is None:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        behind[parameter.name] = flags
        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for name, annotation in flags.options.items()
        ]

    @wraps(command)
    def run(**values: Any) -> None:
        for name, flags in behind.items():
            said = {option: values.pop(option) for option in flags.options}
            values[name] = flags.read({option: None if value in ([], ()) else value for option, value in said.items()})
        command(**values)

    run.__dict__["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


SERVER = Flags(
    {
        "server": Annotated[
            str | None,
            typer.Option(
                "--server",
                envvar="ORRERY_SERVER",
                metavar="URL",
                help="URL of a running server; default: the one that uses the data folder.",
            ),
        ],
        "data": DataOption,
        "token": Annotated[
            str | None, typer.Option("--token", envvar="ORRERY_TOKEN", metavar="TOKEN", help="The server's token.")
        ],
    },
    lambda said: read_target(**said),
)
"""Which server a command talks to."""

TargetFlags = Annotated[Target, SERVER]


def pass_on(context: typer.Context) -> None:
    """Let options that stand before a sub-command count for it too, unless they are said again after it."""
    said = {name: value for name, value in context.params.items() if value is not None}
    context.default_map = dict.fromkeys(context.command.list_commands(context), said)  # type: ignore[attr-defined]


def model_flags(model: type[BaseModel], names: Mapping[str, str], usual: Mapping[str, object] | None = None) -> Flags:
    """Flags of a model's fields; what they say comes by field, without what is unsaid.

    Args:
        model: whose fields have descriptions.
        names: the flag of each field, as in `{"max_rewrites": "rewrites"}`.
        usual: what holds where a field is unsaid, for the help; without an entry it is the field's own default.
    """
    words = {flag.replace("-", "_"): field for field, flag in names.items()}
    fields = {name: model.model_fields[name] for name in names}
    defaults = {name: field.default for name, field in fields.items()} | dict(usual or {})
    options = {word: _option(fields[name], names[name], defaults[name]) for word, name in words.items()}

    def read(said: dict[str, Any]) -> dict[str, Any]:
        return {words[word]: value for word, value in said.items() if value is not None}

    return Flags(options, read)


def describe(field: FieldInfo) -> str:
    """What a field is, as help: its title, if it has one, and its description."""
    description = field.description or ""
    return f"{field.title}: {description}" if field.title else description


def bounds(field: FieldInfo) -> tuple[Any, Any]:
    """The least and the largest value of a number, as far as its field says so."""
    rules: list[object] = field.metadata
    least = next((rule.ge for rule in rules if isinstance(rule, Ge)), None)
    most = next((rule.le for rule in rules if isinstance(rule, Le)), None)
    return least, most


def _option(field: FieldInfo, flag: str, default: object) -> Any:
    """What typer is told of a field. What nobody says stays unsaid; the help tells the default that holds then."""
    kind = _plain_type(field.annotation)
    least, most = bounds(field) if kind in (int, float) else (None, None)
    is_shown = isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
    usual = f" [{default}]" if is_shown else ""
    name = f"--{flag}/--no-{flag}" if kind is bool else f"--{flag}"
    variable = f"ORRERY_{flag.replace('-', '_').upper()}"
    form = "FOLDER" if kind is Path else None
    text = f"{describe(field)}{usual}."
    option = typer.Option(name, envvar=variable, min=least, max=most, metavar=form, help=text)
    return Annotated[kind | None, option]


def _plain_type(annotation: Any) -> Any:
    """Of `Annotated[int, …] | None` it is int; words, secrets and choices are read as text."""
    while arguments := get_args(annotation):
        annotation = next(argument for argument in arguments if argument is not NoneType)
    return annotation if annotation in (bool, int, float, Path) else str
