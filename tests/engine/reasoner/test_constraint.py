from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import torch
from pydantic import BaseModel, ConfigDict, Field
from transformers import AutoTokenizer

from engine.reasoner import closing, grammar
from engine.reasoner.constraint import Constraint, never_ends
from engine.reasoner.vocabulary import Vocabulary
from studio.checkpoints import find_checkpoint
from studio.errors import BadInput
from studio.presets import load_presets
from studio.prompting.results import SCHEMAS


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Issue(Closed):
    category: Literal["motion", "text", "anatomy"]
    description: Annotated[str, Field(max_length=40)]
    severity: Literal["minor", "moderate", "severe"]
    box_2d: Annotated[list[Annotated[int, Field(ge=0, le=1000)]], Field(min_length=4, max_length=4)] | None = None


class Critique(Closed):
    score: Annotated[int, Field(ge=0, le=10)]
    realism: Annotated[float, Field(ge=0, le=1)] | None
    issues: Annotated[list[Issue], Field(max_length=5)]
    note: Annotated[str, Field(min_length=2, max_length=20)] = "xx"
    rationale: Annotated[str, Field(max_length=60)]
    tags: Annotated[list[Annotated[str, Field(max_length=8)]], Field(min_length=1, max_length=6)]


class Tree(Closed):
    name: str
    child: Tree | None = None
    branches: list[Tree]


def an_object(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    names = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


TEXT = {"type": "string"}
ITSELF = {"$ref": "#"}


@pytest.fixture
def vocabulary(engine):
    return engine.chat.writer.vocabulary


@pytest.mark.parametrize(
    ("schema", "shortest"),
    [
        ({}, "0"),
        ({"type": "boolean"}, "true"),
        ({"type": "number", "minimum": 1000}, "1000"),
        ({"type": "integer", "multipleOf": 7, "minimum": 100}, "105"),
        ({"type": "string", "pattern": "^(ab|c{3,5})*z$"}, '"z"'),
        ({"type": "string", "pattern": "^[a-z]{3}-[0-9]+$"}, '"aaa-0"'),
        ({"enum": ["longer", "long", "longest"]}, '"long"'),
        ({"type": "string", "minLength": 300}, f'"{"a" * 300}"'),
        ({"type": "string", "format": "uuid"}, '"00000000-0000-0000-0000-000000000000"'),
        ({"type": "string", "pattern": "^[0-9a-f]{400}$"}, f'"{"0" * 400}"'),
        ({"anyOf": [TEXT, {"type": "null"}, {"type": "array"}]}, '""'),
        ({"anyOf": [{"type": "array", "minItems": 9}, an_object({"a": TEXT})]}, '{"a": ""}'),
        ({"type": "array", "items": {"enum": [10, 7]}, "minItems": 3}, "[7, 7, 7]"),
        (an_object({"a": TEXT, "bb": {"type": "integer"}, "c": TEXT, "dd": TEXT}, ["bb", "dd"]), '{"bb": 0, "dd": ""}'),
        (an_object({f"o{i}": an_object({"x": TEXT}, []) for i in range(9)}, ["o8"]), '{"o8": {}}'),
        (an_object({"x": {"anyOf": [ITSELF, {"type": "null"}]}}), '{"x": null}'),
        ({"anyOf": [an_object({"x": ITSELF}), an_object({"y": ITSELF}), an_object({"zz": TEXT})]}, '{"zz": ""}'),
        ({"type": "object", "additionalProperties": TEXT}, "{}"),
        ({"type": "object", "required": ["q"]}, '{"q": 0}'),
        ({"const": {"a": [1, {"b": "é"}]}}, '{"a": [1, {"b": "é"}]}'),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else "",
)
def test_the_shortest_answer_is_known_and_is_the_least_budget(vocabulary, schema, shortest):
    constraint = Constraint(schema, vocabulary, 10_000)
    text = b"".join(map(vocabulary.spelt, constraint.closing)).decode()
    assert (text == shortest) or (len(text) == len(shortest) and json.loads(text) is not None)
    least = len(constraint.closing)
    Constraint(schema, vocabulary, least)
    if least > 1:
        with pytest.raises(BadInput, match=f"shortest answer of this schema has {least}") as raised:
            Constraint(schema, vocabulary, least - 1)
        assert raised.value.param == "sampling.max_tokens"


def every_answer(constraint: Constraint, vocabulary, budget: int, text: bytes = b"") -> int:
    """The fewest tokens with which any sequence of them ends, by trying all."""
    if constraint.satisfied:
        return 0
    best = budget + 1
    for token in torch.nonzero(constraint.allowed())[:, 0].tolist():
        if best == 1:
            break
        ahead = constraint._matcher.deep_copy()
        assert ahead.consume_token(token)
        following = Constraint.__new__(Constraint)
        following._matcher, following._vocabulary = ahead, vocabulary
        if budget > 1 or following.satisfied:
            best = min(best, 1 + every_answer(following, vocabulary, best - 2))
    return best


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"enum": ["on", "is"]}, "minItems": 1, "maxItems": 2},
        an_object({"a": {"enum": [True, 0]}, "re": {"type": "null"}}, ["re"]),
        {"type": "integer", "minimum": 256, "maximum": 2000},
        {"enum": ["the bowl", "x"]},
    ],
    ids=["array", "object", "integer", "enum"],
)
def test_no_sequence_of_tokens_is_shorter(vocabulary, schema):
    constraint = Constraint(schema, vocabulary, 100)
    least = len(constraint.closing)
    assert every_answer(constraint, vocabulary, least) == least


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "strin"}, "Invalid type"),
        ({"if": {}}, "Unimplemented keys"),
        ({"$ref": "#/nowhere"}, "does not exist"),
        ({"type": "string", "pattern": "("}, "regex parse error"),
        ({"type": "integer", "minimum": 5, "maximum": 4}, "Unsatisfiable"),
        ({"enum": []}, "Unsatisfiable"),
        (an_object({"a": False}), "Unsatisfiable"),
        (ITSELF, "No finite answer"),
        (an_object({"x": ITSELF}), "No finite answer"),
        ({"anyOf": [an_object({"x": ITSELF}), an_object({"y": ITSELF})]}, "No finite answer"),
        ({"type": "strin", "x-guidance": {"lenient": True}}, "Invalid type"),
    ],
    ids=lambda value: json.dumps(value)[:50] if isinstance(value, dict) else "",
)
def test_a_schema_that_is_none_or_that_nothing_matches_is_refused_before_it_starts(engine, say, schema, why):
    with pytest.raises(BadInput, match=why) as raised:
        engine.converse(say(response_schema=schema))
    assert raised.value.param == "response_schema"


@pytest.mark.parametrize(
    ("schema", "model"),
    [
        (Critique.model_json_schema(), Critique),
        (Tree.model_json_schema(), Tree),
        ({}, None),
        ({"type": "object", "additionalProperties": {"type": "number"}}, None),
        ({"type": "string", "pattern": "^(ab|c{3,5})*z$"}, None),
    ],
    ids=["critique", "tree", "anything", "any keys", "pattern"],
)
def test_whatever_is_drawn_the_answer_matches_within_any_budget(vocabulary, schema, model):
    least = len(Constraint(schema, vocabulary, 10_000).closing)
    for trial in range(30):
        drawn = random.Random(trial)
        budget = least + (trial if trial < 15 else drawn.randint(15, 250))
        constraint, tokens = Constraint(schema, vocabulary, budget), list[int]()
        while len(tokens) < budget and not constraint.complete:
            choice = drawn.choice(torch.nonzero(constraint.allowed())[:, 0].tolist())
            tokens.append(constraint.admit(choice, budget - len(tokens)))
            if tokens[-1] in vocabulary.ends:
                break
        text = b"".join(map(vocabulary.spelt, tokens)).decode()
        json.loads(text)
        assert constraint.satisfied
        if model is not None:
            model.model_validate_json(text)


def test_it_is_forced_to_close_only_when_the_budget_left_is_the_shortest_end(vocabulary):
    schema = an_object({"a": TEXT, "b": TEXT})
    letter = vocabulary.id_of("a")
    constraint = Constraint(schema, vocabulary, 40)
    forced, budget = 0, 40
    while not constraint.complete:
        wished = letter if bool(constraint.allowed()[letter]) else constraint.closing[0]
        shortest = len(constraint.closing)
        took = constraint.admit(wished, budget)
        if took != wished:
            forced += 1
            assert budget == shortest
        budget -= 1
    assert forced
    assert budget == 0


def test_twenty_answers_of_random_weights_written_together_all_match(engine, say, answers):
    schema = Critique.model_json_schema()
    least = len(Constraint(schema, engine.chat.writer.vocabulary, 1000).closing)
    requests = [
        say(f"critique number {seed}", response_schema=schema, temperature=1.2, seed=seed, max_tokens=least + 13 * seed)
        for seed in range(20)
    ]
    conversations = answers(engine, requests)
    assert [entry.finish_reason for entry in conversations] == ["stop"] * 20
    for asked, entry in zip(requests, conversations, strict=True):
        Critique.model_validate_json(entry.text)
        assert len(entry.tokens) <= asked.sampling.max_tokens
    # The first few have hardly more tokens than the shortest answer, and may come to the same.
    assert len({entry.text for entry in conversations}) > 15


NESTED = {"type": "string", "pattern": "^(((((a{1,999}){1,999}){1,999}){1,999}){1,999})$"}


def test_a_schema_beyond_the_grammar_s_own_limits_ends_its_conversation_alone(engine, say, answers, monkeypatch):
    letter = engine.chat.writer.vocabulary.id_of("a")
    of_head = engine.model.reasoner.head.forward

    def fond_of_a(x: torch.Tensor) -> torch.Tensor:
        logits = of_head(x).clone()
        logits[:, letter] += 100
        return logits

    monkeypatch.setattr(engine.model.reasoner.head, "forward", fond_of_a)
    whole = answers(engine, [say("hm?", max_tokens=300)])[0].tokens
    failed, other = answers(engine, [say(response_schema=NESTED, max_tokens=256), say("hm?", max_tokens=300)])
    assert isinstance(failed.failure, BadInput)
    assert failed.failure.param == "response_schema"
    assert "schema is too complex" in failed.failure.message
    assert failed.finish_reason is None
    assert other.tokens == whole
    assert other.finish_reason == "length"


def test_ending_a_schema_takes_no_longer_than_it_may(vocabulary, monkeypatch):
    monkeypatch.setattr(closing, "SEARCH_S", 0.0)
    with pytest.raises(BadInput, match="too complex or too large") as raised:
        Constraint(an_object({"a": TEXT}), vocabulary, 100)
    assert raised.value.param == "response_schema"


def test_compiling_takes_no_longer_than_it_may(vocabulary, monkeypatch):
    monkeypatch.setattr(grammar, "COMPILE_S", 0.0)
    with pytest.raises(BadInput, match="too complex or too large") as raised:
        Constraint(an_object({f"property_{index}": TEXT for index in range(2000)}), vocabulary, 100)
    assert raised.value.param == "response_schema"


@pytest.mark.parametrize(
    "schema",
    [
        an_object({f"property_{index}": TEXT for index in range(3000)}, []),
        an_object({f"property_{index}": TEXT for index in range(3000)}, ["property_2999"]),
        an_object({f"property_{index}": TEXT for index in range(3000)}),
        {"type": "string", "minLength": 40_000},
    ],
    ids=["optional", "the last of many", "required", "a long string"],
)
def test_a_schema_that_is_too_large_is_said_to_be_that_and_soon(vocabulary, schema, monkeypatch):
    monkeypatch.setattr(closing, "SEARCH_S", 0.5)
    start = time.thread_time()
    with pytest.raises(BadInput, match="or too large") as raised:
        Constraint(schema, vocabulary, 60_000)
    assert raised.value.param == "response_schema"
    assert time.thread_time() - start < 10 * closing.SEARCH_S


@pytest.mark.parametrize(
    ("schema", "claimed"),
    [
        ({"type": "array", "items": ITSELF, "minItems": 1}, True),
        ({"type": "array", "items": ITSELF}, False),
        ({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": an_object({"b": {"$ref": "#/$defs/a"}})}}, True),
        (an_object({"x": ITSELF}, []), False),
        (an_object({"x": {"anyOf": [ITSELF, TEXT]}}), False),
        ({"properties": {"x": ITSELF}, "required": ["x"]}, False),
        (an_object({"x": an_object({"y": TEXT}), "y": {"$ref": "#/properties/x"}}), False),
        ({"$ref": "elsewhere"}, False),
    ],
)
def test_only_what_is_shown_never_to_end_is_said_not_to(schema, claimed):
    assert never_ends(schema) == claimed


@pytest.mark.parametrize("task", ["intervals", "verdict", "boxes"])
def test_an_answer_may_be_spelt_as_the_tokenizer_spells_it(task: Literal["intervals", "verdict", "boxes"]):
    folder = find_checkpoint("pocket", load_presets(), Path("nowhere")).folder
    tokenizer = AutoTokenizer.from_pretrained(folder / "text_tokenizer")
    vocabulary = Vocabulary(tokenizer, len(tokenizer), frozenset([tokenizer.eos_token_id]))
    answers = {
        "intervals": '[{"start": "00:00.94", "end": "00:01.53", "caption": "The red ball is lifted."}]',
        "verdict": '{"reason": "The ball falls up.", "plausible": false, "score": 1}',
        "boxes": '[{"bbox_2d": [70, 406, 297, 625], "label": "red ball"}]',
    }
    schema = SCHEMAS[task]
    assert schema is not None
    constraint = Constraint(schema, vocabulary, 200)

    for token in vocabulary.encode(answers[task]):
        assert constraint.allowed()[token], vocabulary.spelt(token)
        assert constraint.admit(token, 150) == token
    assert constraint.complete or constraint.satisfied
