"""`orrery ask` on a real server with random weights: what is said is noise, how it comes is not."""

from __future__ import annotations

import json

import pytest

from cli.verbs.ask import print_results
from studio.client.chat import Piece
from studio.data_folder import DataFolder, find_holder
from studio.prompting import TaskAnswer

FEW = ("--max-tokens", "12")


@pytest.fixture
def ask(orrery, server, tmp_path, monkeypatch, write_clip, write_picture):
    """`orrery ask` beside a picture and a clip."""
    monkeypatch.chdir(tmp_path)
    write_clip(tmp_path / "clip.mp4", 12)
    write_picture(tmp_path / "seen.png")
    return lambda *words: orrery("ask", *words, "--server", server.url)


def test_an_answer_is_printed_and_one_seed_is_one_answer(ask):
    first, second, third = (ask("What", "is", "it?", *FEW, "--seed", seed) for seed in (3, 3, 4))
    assert first.exit_code == 0, first.output
    assert first.stdout == second.stdout != third.stdout
    assert first.stderr == "orrery: The answer was cut at 12 tokens. Raise --max-tokens.\n"


def test_pictures_and_clips_are_looked_at(ask):
    def prompt_tokens(*words):
        result = ask("What is it?", *words, *FEW, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)["usage"]["prompt_tokens"]

    alone, picture, both = (
        prompt_tokens(),
        prompt_tokens("--image", "seen.png"),
        prompt_tokens("--image", "seen.png", "--video", "clip.mp4"),
    )
    assert alone < picture < both


def test_an_answer_that_must_match_a_schema_does(ask, tmp_path):
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "blue"]}, "count": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["colour", "count"],
        "additionalProperties": False,
    }
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    result = ask("Which one?", "--schema", "schema.json", "--max-tokens", "64")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["colour"] in ("red", "blue")
    assert 0 <= answer["count"] <= 9


def test_the_whole_answer_as_json(ask):
    answer = json.loads(ask("What is it?", *FEW, "--json").stdout)
    assert set(answer) == {"text", "thought", "finish_reason", "usage"}
    assert (answer["finish_reason"], answer["usage"]["completion_tokens"]) == ("length", 12)


def test_a_task_answers_with_typed_results(ask):
    result = ask("every cup", "--task", "grounding", "--image", "seen.png", "--max-tokens", "300", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["failure"] is None
    assert {found["type"] for found in answer["results"]} <= {"box"}
    words = ("--word", "subject=every cup", "--image", "seen.png", "--max-tokens", "300")
    again = ask("--task", "grounding", *words, "--json")
    assert json.loads(again.stdout) == answer


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Missing argument 'QUESTION...'"),
        (["x", "--image", "gone.png"], "There is no file 'gone.png'"),
        (["x", "--image", "note.txt"], "note.txt: The file is text"),
        (["x", "--schema", "gone.json"], "gone.json cannot be read"),
        (["x", "--schema", "note.txt"], "is not JSON"),
        (["x", "--schema", "list.json"], "expected a JSON schema, which is an object"),
        (["x", "--schema", "typo.json"], "schema"),
        (["x", "--schema", "typo.json", "--thinking"], "--thinking cannot be combined with --schema"),
        (["x", "--word", "a=b"], "--word needs --task."),
        (["x", "--task", "groundin", "--image", "seen.png"], "no task 'groundin'. Did you mean grounding?"),
        (["x", "--task", "grounding"], "A task needs one image or video; got 0."),
        (["x", "--task", "grounding", "--video", "clip.mp4"], "needs one image; got video"),
        (["x", "--task", "caption", "--image", "seen.png"], "has the fields no words; a question"),
        (["--task", "grounding", "--image", "seen.png"], "needs subject"),
        (["--task", "grounding", "--image", "seen.png", "--word", "cups"], "expected field=text"),
        (["--task", "grounding", "--image", "seen.png", "--word", "subjct=cups"], "has no field 'subjct'"),
        (["x", "--task", "grounding", "--temperature", "1"], "--temperature cannot be combined with --task."),
        (["x", "--checkpoint", "cosmos3-nano"], "cosmos3-nano"),
    ],
)
def test_bad_words_are_one_line(refused, ask, server, tmp_path, words, says):
    (tmp_path / "note.txt").write_text("x")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "typo.json").write_text('{"type": "objct"}')
    assert says in refused("ask", *words, "--server", server.url)


def test_results_are_lines_for_a_person(capsys):
    results = [
        {"type": "box", "label": "cup", "box_2d": [0, 0, 500, 1000], "pixels": [0, 0, 64, 96]},
        {"type": "point", "point_2d": [10, 20]},
        {"type": "interval", "start_s": 0.5, "end_s": 2, "label": "lifts"},
        {"type": "label", "subject_id": "1", "category": "tool", "caption": "a hammer"},
        {"type": "step", "number": 1, "text": "reach"},
        {"type": "verdict", "plausible": False, "score": 2, "reason": "it floats"},
        {"type": "prose", "text": "A cup."},
    ]
    print_results(TaskAnswer.model_validate({"text": "…", "results": results, "skipped": ["One entry has no place."]}))
    out, err = capsys.readouterr()
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        "A cup.",
        "what where label",
        "box 0,0 64,96 px cup",
        "point 10,20 of 1000",
        "interval 0.5 to 2 s lifts",
        "label 1 tool a hammer",
        "step 1 reach",
        "not plausible 2 of 5 it floats",
    ]
    assert err == "orrery: One entry has no place.\n"
    print_results(TaskAnswer(text="hm", failure="It holds no JSON."))
    assert capsys.readouterr() == ("hm\n", "orrery: The answer could not be read: It holds no JSON.\n")


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_without_a_server_one_is_started_for_the_duration(orrery, tmp_path):
    result = orrery("ask", "What is it?", *FEW, "--data", tmp_path / "d", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["usage"]["completion_tokens"] == 12
    assert find_holder(DataFolder(tmp_path / "d")) is None


def test_a_piece_of_a_stream_is_read_whatever_else_it_holds():
    piece = Piece.model_validate({"id": "c", "choices": [{"index": 0, "delta": {"reasoning_content": "hm"}}]})
    assert (piece.text, piece.thought, piece.finish_reason) == ("", "hm", None)


@pytest.mark.parametrize("words", [("What?",), ("--task", "caption", "--image", "seen.png")])
def test_an_adapter_that_the_server_does_not_have_is_one_line(ask, words):
    result = ask(*words, "--adapter", "grasp@100")
    assert result.exit_code == 2
    assert "There is no adapter grasp@100." in result.stderr.replace("'", "").replace('"', "")
