"""The JSON schemas that constrain a reasoner's answer: every text and list is bounded, every control is fixed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from pydantic import BaseModel

from studio.captions.caption import VideoCaption
from studio.captions.checking import IMAGINATION, MAX_IMAGINATION, MODELS, CaptionKind
from studio.captions.controls import Controls
from studio.captions.timing import TIMING, timing_pattern

FIRST: dict[CaptionKind, tuple[str, ...]] = {
    "image": (IMAGINATION, "comprehensive_t2i_caption"),
    "video": (IMAGINATION, "temporal_caption", "audio_description"),
}
"""What an upsampler writes before everything else (report, B.1)."""
MEDIA = ("resolution", "aspect_ratio", "duration", "fps")
DROPPED = {"title", "default", "description"}

Schema = dict[str, Any]


def answer_schema(kind: CaptionKind, controls: Controls) -> Schema:
    """What an upsampler must answer: imagination, caption and sound first, then the rest, controls as constants.

    Times are limited to the clip. Every field is required, because an answer states what it leaves empty.
    """
    schema = bounded_schema(MODELS[kind])
    fields = {IMAGINATION: text_schema(MAX_IMAGINATION), **schema["properties"]}
    named = _ordered(fields, [*FIRST[kind], *(name for name in fields if name not in (*FIRST[kind], *MEDIA))])
    media = {name: {"const": value} for name, value in controls.media.items()}
    return _timed(_closed(schema, named | media), controls.last_s)


def analysis_schema(controls: Controls) -> Schema:
    """What a captioner must answer about a clip: the caption without its prose and without the facts of the file."""
    schema = bounded_schema(VideoCaption)
    fields = _ordered(
        schema["properties"], [name for name in schema["properties"] if name not in ("temporal_caption", *MEDIA)]
    )
    return _timed(_closed(schema, fields), controls.last_s)


def object_schema(**fields: Schema) -> Schema:
    """An object with all of these fields and no others."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def text_schema(most: int, *, least: int = 1) -> Schema:
    """A text of so many characters."""
    return {"type": "string", "minLength": least, "maxLength": most}


def list_schema(item: Schema, most: int, *, least: int = 0) -> Schema:
    """A list of so many entries."""
    return {"type": "array", "items": item, "minItems": least, "maxItems": most}


def bounded_schema(model: type[BaseModel]) -> Schema:
    """A model's JSON schema with every field required, and without titles, defaults and descriptions."""
    return _plain(model.model_json_schema())


def sparing(schema: Schema) -> Schema:
    """The same schema, which asks for nothing that may be empty: for who was taught to leave that out."""
    return cast(Schema, _spared(schema, schema.get("$defs", {})))


def _spared(part: Any, definitions: Schema) -> Any:
    if isinstance(part, list):
        return [_spared(item, definitions) for item in cast(list[Any], part)]
    if not isinstance(part, dict):
        return part
    spare: Schema = {key: _spared(value, definitions) for key, value in cast(Schema, part).items()}
    if isinstance(required := spare.get("required"), list):
        fields: Schema = spare["properties"]
        needed = [name for name in cast(list[str], required) if not _may_be_empty(fields[name], definitions)]
        # What must hold something begins as ever: llguidance lets no token reach into a first key that may be chosen.
        spare["required"] = [name for name in fields if name in needed or (needed and name == next(iter(fields)))]
    return spare


def _may_be_empty(field: Schema, definitions: Schema) -> bool:
    name = str(field.get("$ref", "")).rpartition("/")[2]
    field = definitions.get(name, field)
    match field.get("type"):
        case "string":
            return not field.get("minLength") and not {"enum", "const", "pattern"} & field.keys()
        case "array":
            return not field.get("minItems")
        case "integer":
            return not field.get("minimum")
        case "object":
            fields: Schema = field.get("properties", {})
            needed = cast(list[str], field.get("required", []))
            return all(_may_be_empty(fields[name], definitions) for name in needed)
        case _:
            return False


def _plain(schema: Schema, *, names: bool = False) -> Schema:
    """The schema without its decoration; below `properties` and `$defs` the keys are names, and all stay."""
    plain: Schema = {}
    for key, value in schema.items():
        if key in DROPPED and not names:
            continue
        if isinstance(value, dict):
            value = _plain(cast(Schema, value), names=key in ("properties", "$defs") and not names)
        elif isinstance(value, list):
            value = [_plain(cast(Schema, item)) if isinstance(item, dict) else item for item in cast(list[Any], value)]
        plain[key] = value
    if not names and "properties" in plain:
        plain["required"] = list(plain["properties"])
    if not names and "patternProperties" in plain:
        plain["additionalProperties"] = False
    return plain


def _closed(schema: Schema, fields: Schema) -> Schema:
    definitions: Schema = schema.get("$defs", {})
    return {**object_schema(**fields), "$defs": {name: definitions[name] for name in _used(fields, definitions)}}


def _used(schema: Any, definitions: Schema) -> list[str]:
    """Names of the definitions that a schema leads to, in the order in which they stand."""
    found: set[str] = set()
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            entries = cast(Schema, part)
            name = str(entries.get("$ref", "")).rpartition("/")[2]
            if name in definitions and name not in found:
                found.add(name)
                waiting.append(definitions[name])
            waiting += entries.values()
        elif isinstance(part, list):
            waiting += cast(list[Any], part)
    return [name for name in definitions if name in found]


def _timed(schema: Schema, last_s: int | None) -> Schema:
    if last_s is None:
        return schema
    for definition in cast(Iterable[Schema], schema["$defs"].values()):
        for field in cast(Iterable[Schema], definition.get("properties", {}).values()):
            if field.get("pattern") == TIMING:
                field["pattern"] = timing_pattern(last_s)
    return schema


def _ordered(fields: Schema, names: list[str]) -> Schema:
    return {name: fields[name] for name in names}
