"""Annotation schemas: the shipped one, a person's own, and what is wrong with others."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from studio.errors import BadInput
from studio.evaluation import AnnotationSchema, SchemaField, load_schema


def test_the_driving_schema_has_the_fields_of_the_recipe_in_their_order():
    schema = load_schema("av")

    assert [field.name for field in schema.fields] == [
        "weather",
        "lighting",
        "road_conditions",
        "traffic_light",
        "traffic_sign",
        "additional_traffic_rules",
        "road_type",
        "junction_type",
        "lane_type",
        "additional_map_rules",
        "interactive_expanded_metaaction",
        "noninteractive_expanded_metaaction",
        "safety_analysis",
        "driving_difficulty",
        "rule_violation",
        "interesting_scenario",
        "critical_object",
    ]
    assert len(schema.fields[0].values) == 8
    assert len(schema.fields[1].values) == 5
    assert len(schema.fields[10].values) == 9


OWN = """
id = "table"
title = "Table"
system = "You watch a table."
prompt = "What is there?"

[[fields]]
name = "colour"
title = "Colour"
question = "Which colour?"
type = "enum"
values = ["red", "blue"]
"""


def test_a_persons_own_schema_is_found_by_its_id_or_its_path(tmp_path: Path):
    (tmp_path / "table.toml").write_text(OWN)

    assert load_schema("table", tmp_path) == load_schema(str(tmp_path / "table.toml"))
    assert 'One of: "red", "blue".' in load_schema("table", tmp_path).question()


def test_a_schema_that_is_not_there_or_broken_is_named(tmp_path: Path):
    (tmp_path / "broken.toml").write_text(OWN.replace('values = ["red", "blue"]', ""))

    with pytest.raises(BadInput, match="no annotation schema 'aw'") as missing:
        load_schema("aw")
    assert "av" in missing.value.hint
    with pytest.raises(BadInput, match=r"broken\.toml"):
        load_schema(str(tmp_path / "broken.toml"))


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "enum"},
        {"type": "text", "values": ["a"]},
        {"type": "integer"},
        {"type": "integer", "low": 4, "high": 1},
        {"name": "Weather"},
    ],
)
def test_a_field_without_what_its_type_needs_is_refused(changes: dict[str, Any]):
    with pytest.raises(ValidationError):
        SchemaField.model_validate({"name": "x", "title": "X", "question": "?", "type": "text", **changes})


def test_two_fields_of_one_name_are_refused():
    field = {"name": "x", "title": "X", "question": "?", "type": "text"}

    with pytest.raises(ValidationError, match="x is there twice"):
        AnnotationSchema.model_validate({"id": "a", "title": "A", "system": "", "prompt": "", "fields": [field, field]})
