"""An annotation schema: the fields that are said of a clip, what each may hold, and the JSON schema that binds answers.

A schema is a file, so any domain can have one; `presets/annotation/av.toml` is the one for driving.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, JsonValue, model_validator

from studio.captions.answer_schema import list_schema, object_schema, text_schema
from studio.errors import BadInput
from studio.library import MAX_TAG_CHARACTERS
from studio.requests import Frozen, nearest
from studio.toml_files import read_toml, shipped_and_own

FieldType = Literal["enum", "several", "integer", "boolean", "text", "list"]

MAX_TEXT = 600
MAX_LIST = 32
FOLDER = "annotation"


class SchemaField(Frozen):
    """One field of an annotation.

    Attributes:
        name: the key in the JSON object.
        title: the name that people read.
        question: what is asked, also of a judge.
        type: one of `values`, several of them, a whole number, true or false, text, or a list of objects.
        values: of "enum" and "several".
        low, high: of "integer".
        optional: may be null.
        examples: texts that show what is wanted.
        scored: whether an answer is held against it; "list" never is.
        max_characters: of "text".
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    question: str
    type: FieldType
    values: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    optional: bool = False
    examples: tuple[str, ...] = ()
    scored: bool = True
    max_characters: int = Field(default=MAX_TEXT, ge=1, le=8192)

    @model_validator(mode="after")
    def _has_what_its_type_needs(self) -> Self:
        if (self.type in ("enum", "several")) != bool(self.values):
            raise ValueError(f"{self.name} is {self.type}; values belong to enum and several, which need them")
        if self.type == "integer" and (self.low is None or self.high is None or self.low > self.high):
            raise ValueError(f"{self.name} is an integer; it needs low and high, low first")
        return self

    @property
    def judged(self) -> bool:
        """Whether a judge scores it; the others are right or wrong."""
        return self.scored and self.type == "text"

    @property
    def exact(self) -> bool:
        """Whether it is right or wrong."""
        return self.scored and self.type not in ("text", "list")

    def described(self) -> str:
        """A line of the question: `- "weather": What is the weather? One of: "Clear skies", …`."""
        match self.type:
            case "enum":
                holds = f"One of: {_quoted(self.values)}."
            case "several":
                holds = f"A list of one or more of: {_quoted(self.values)}."
            case "integer":
                holds = f"A whole number from {self.low} to {self.high}."
            case "boolean":
                holds = "true or false."
            case "text":
                holds = f"A text, for example: {_quoted(self.examples)}." if self.examples else "A text."
            case "list":
                holds = "A list of objects."
        otherwise = " Or null." if self.optional else ""
        return f'- "{self.name}": {self.question} {holds}{otherwise}'

    def json_schema(self) -> dict[str, Any]:
        """What the field may hold."""
        held = self._held()
        return {"anyOf": [held, {"type": "null"}]} if self.optional else held

    def tags(self, value: JsonValue) -> tuple[str, ...]:
        """Tags of the library for a value of an exact field: `Weather: Heavy rain`."""
        values = value if isinstance(value, list) else [] if value is None else [value]
        return tuple(
            f"{self.title}: {str(one).lower() if isinstance(one, bool) else one}"[:MAX_TAG_CHARACTERS] for one in values
        )

    def all_values(self) -> list[JsonValue]:
        """What an exact field may hold, one by one."""
        if self.type == "boolean":
            return [True, False]
        if self.type == "integer":
            assert self.low is not None
            assert self.high is not None
            return list(range(self.low, self.high + 1))
        return list(self.values)

    def _held(self) -> dict[str, Any]:
        match self.type:
            case "enum":
                return {"type": "string", "enum": list(self.values)}
            case "several":
                return list_schema({"type": "string", "enum": list(self.values)}, len(self.values), least=1)
            case "integer":
                assert self.low is not None
                assert self.high is not None
                return {"type": "integer", "enum": list(range(self.low, self.high + 1))}
            case "boolean":
                return {"type": "boolean"}
            case "text":
                return text_schema(self.max_characters)
            case "list":
                return list_schema({"type": "object"}, MAX_LIST)


def _quoted(values: tuple[str, ...]) -> str:
    return ", ".join(f'"{value}"' for value in values)


class AnnotationSchema(Frozen):
    """A file of `presets/annotation`.

    Attributes:
        id: the name that programs use.
        title: the name that people read.
        system: the system prompt.
        prompt: what is asked; the list of fields follows it.
        fields: in the order in which they are written.
    """

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: str
    system: str
    prompt: str
    fields: tuple[SchemaField, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [field.name for field in self.fields]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{', '.join(twice)} is there twice; every field needs its own name")
        return self

    @property
    def asked(self) -> tuple[SchemaField, ...]:
        """The fields that a model answers: those that are scored."""
        return tuple(field for field in self.fields if field.scored)

    def tags(self, annotation: Mapping[str, JsonValue]) -> tuple[str, ...]:
        """A tag for each value of a field that has a few, by which the library finds the video."""
        return tuple(tag for field in self.asked if field.exact for tag in field.tags(annotation.get(field.name)))

    def other_tags(self, annotation: Mapping[str, JsonValue]) -> tuple[str, ...]:
        """Tags that a video with this annotation must not have: of the other values."""
        own = {tag.casefold() for tag in self.tags(annotation)}
        every = (tag for field in self.asked if field.exact for tag in field.tags(field.all_values()))
        return tuple(tag for tag in every if tag.casefold() not in own)

    def question(self) -> str:
        """The prompt, a line for each field with what it may hold, and the form of the answer."""
        lines = "\n".join(field.described() for field in self.asked)
        return f"{self.prompt.strip()}\n\n{lines}\n\nReturn one JSON object with these keys, in this order."

    def json_schema(self) -> dict[str, Any]:
        """What an answer is constrained to."""
        return object_schema(**{field.name: field.json_schema() for field in self.asked})


def load_schema(name: str, user_folder: Path | None = None) -> AnnotationSchema:
    """A schema by its id, or from a TOML file.

    Args:
        name: an id, or the path of a file that ends in `.toml`.
        user_folder: where a person's own schemas lie; one with a shipped id wins.

    Raises:
        BadInput: there is none of this name, or its file is no schema.
    """
    if name.endswith(".toml"):
        return read_toml(AnnotationSchema, Path(name), f"The annotation schema {name}", param="schema")
    found: dict[str, AnnotationSchema] = {}
    for file in shipped_and_own(FOLDER, user_folder):
        schema = read_toml(AnnotationSchema, file, f"The annotation schema {file.name}", param="schema")
        found[schema.id] = schema
    if name not in found:
        raise BadInput(f"There is no annotation schema {name!r}.", param="schema", hint=nearest(name, found))
    return found[name]


Annotation = dict[str, JsonValue]
"""What is said of one clip, by field."""
