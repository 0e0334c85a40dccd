"""OpenAI's chat as a request of ours, and our answers as theirs; nobody answers here."""

from typing import Any

import pytest

from backend.dialects.openai_chat import to_call, to_theirs, with_media
from backend.dialects.openai_chat_answers import ChatStream, ThoughtSplitter, to_completion
from backend.messages import ConversationSaid, Token, Usage
from backend.reasoning.service import TextAnswer
from backend.reasoning.shown_media import Shown
from studio.errors import BadInput, NotAllowed
from studio.requests import Reason, parse_as

SAID = [{"role": "user", "content": "hm?"}]


def reason(**fields: Any) -> Reason:
    return parse_as(Reason, to_call({"messages": SAID, **fields}).payload)


def test_what_is_left_out_is_the_reasoner_s_own_but_for_openai_s_presence_penalty():
    sampling = reason(model="speck", temperature=None, user="me").sampling

    assert (sampling.temperature, sampling.top_p, sampling.top_k, sampling.presence_penalty) == (0.7, 0.8, 20, 0.0)


@pytest.mark.parametrize(
    ("fields", "ours"),
    [
        ({"max_tokens": 7}, {"max_tokens": 7}),
        ({"max_completion_tokens": 7, "max_tokens": 7}, {"max_tokens": 7}),
        ({"stop": "END"}, {"stop": ("END",)}),
        ({"stop": ["a", "b"]}, {"stop": ("a", "b")}),
        ({"logprobs": True, "top_logprobs": 3}, {"logprobs": True, "top_logprobs": 3}),
        ({"temperature": 0, "top_p": 1, "top_k": 0, "seed": 4}, {"temperature": 0, "top_p": 1, "top_k": 0, "seed": 4}),
        ({"repetition_penalty": 1.1, "frequency_penalty": -1}, {"repetition_penalty": 1.1, "frequency_penalty": -1}),
    ],
)
def test_sampling_has_their_names(fields: dict[str, Any], ours: dict[str, Any]):
    sampling = reason(**fields).sampling.model_dump()

    assert {name: sampling[name] for name in ours} == ours


@pytest.mark.parametrize(
    ("fields", "ours"),
    [
        ({"media_io_kwargs": {"video": {"num_frames": 8}}}, {"num_video_frames": 8}),
        ({"media_io_kwargs": {"video": {"num_frames": -1, "fps": 4}}}, {"video_fps": 4, "num_video_frames": None}),
        (
            {
                "media_io_kwargs": {"video": {"fps": 4, "num_frames": -1}},
                "mm_processor_kwargs": {"fps": 4, "do_sample_frames": True},
            },
            {"video_fps": 4},
        ),
        ({"mm_processor_kwargs": {"min_pixels": 256, "max_pixels": 512}}, {"min_pixels": 256, "max_pixels": 512}),
        ({"mm_processor_kwargs": {"size": {"shortest_edge": 9, "longest_edge": 99}}}, {"min_pixels": 9}),
        ({"response_format": {"type": "text"}}, {"response_schema": None}),
        ({"response_format": {"type": "json_object"}}, {"response_schema": {"type": "object"}}),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "null"}}}},
            {"response_schema": {"type": "null"}},
        ),
        ({"chat_template_kwargs": {"enable_thinking": False}}, {"enable_thinking": False}),
        ({"lora": {"name": "grasp@100"}}, {"adapter": {"name": "grasp@100", "scale": 1.0}}),
        ({"tools": [], "tool_choice": "auto", "logit_bias": {}}, {}),
    ],
)
def test_everything_else_has_its_place(fields: dict[str, Any], ours: dict[str, Any]):
    asked = reason(**fields).model_dump()

    assert {name: asked[name] for name in ours} == ours


def test_what_is_shown_is_told_with_its_place_and_gets_its_id():
    parts = [
        {"type": "image_url", "image_url": {"url": "media:a", "detail": "high"}},
        {"type": "video_url", "video_url": "b"},
        {"type": "text", "text": "hm?"},
    ]
    call = to_call({"messages": [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": parts}]})

    assert call.shown == (Shown("messages.1.content.0", "media:a"), Shown("messages.1.content.1", "b"))
    ids = {"media:a": "u0000000000000001", "b": "u0000000000000002"}
    asked = parse_as(Reason, with_media(call.payload, ids))
    assert asked.media_ids == tuple(ids.values())
    assert asked.messages[0].role == "system"


def test_a_message_of_their_client_may_be_sent_again():
    again = {
        "role": "assistant",
        "content": "yes",
        "refusal": None,
        "tool_calls": None,
        "reasoning_content": "thought",
        "annotations": [],
    }

    call = to_call({"messages": [*SAID, again, *SAID]})

    assert call.payload["messages"][1] == {"role": "assistant", "content": "yes"}


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"temprature": 1}, "temprature"),
        ({"n": 2}, "n"),
        ({"tools": [{"type": "function"}]}, "tools"),
        ({"max_tokens": 1, "max_completion_tokens": 2}, "max_tokens"),
        ({"max_tokens": {}}, "max_tokens"),
        ({"top_logprobs": 2}, "top_logprobs"),
        ({"stream": "yes"}, "stream"),
        ({"stream_options": {"usage": True}}, "stream_options.usage"),
        ({"stream_options": []}, "stream_options"),
        ({"response_format": {"type": "xml"}}, "response_format.type"),
        ({"response_format": {"type": []}}, "response_format.type"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema.schema"),
        ({"media_io_kwargs": {"image": {}}}, "media_io_kwargs.image"),
        ({"media_io_kwargs": {"video": {"fps": "4"}}}, "media_io_kwargs.video.fps"),
        ({"media_io_kwargs": {"video": {"fps": 4}}, "mm_processor_kwargs": {"fps": 2}}, "mm_processor_kwargs.fps"),
        ({"mm_processor_kwargs": {"frames": 2}}, "mm_processor_kwargs.frames"),
        ({"chat_template_kwargs": {"enable_thinking": 1}}, "chat_template_kwargs.enable_thinking"),
        ({"chat_template_kwargs": {"tools": 1}}, "chat_template_kwargs.tools"),
        ({"messages": None}, "messages"),
        ({"messages": "hm?"}, "messages"),
        ({"messages": [*SAID] * 300}, "messages"),
        ({"messages": ["hm?"]}, "messages.0"),
        ({"messages": [{"role": "robot", "content": "hm?"}]}, "messages.0.role"),
        ({"messages": [{"role": "tool", "content": "hm?"}]}, "messages.0"),
        ({"messages": [{"role": "user"}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": []}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": "x" * 70_000}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": "\ud800"}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": 1}]}]}, "messages.0.content.0.text"),
        ({"messages": [{"role": "user", "content": [{"type": "audio"}]}]}, "messages.0.content.0.type"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages.0.content.0.image_url.url"),
        ({"messages": [{"role": "user", "content": "x", "mood": "good"}]}, "messages.0.mood"),
        # These are ours to refuse, under their names.
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"temperature": 9}, "temperature"),
        ({"seed": -1}, "seed"),
        ({"stop": [""]}, "stop.0"),
        ({"stop": 4}, "stop"),
        ({"media_io_kwargs": {"video": {"fps": 99}}}, "media_io_kwargs.video.fps"),
        ({"media_io_kwargs": {"video": {"num_frames": 0}}}, "media_io_kwargs.video.num_frames"),
        ({"mm_processor_kwargs": {"max_pixels": 0}}, "mm_processor_kwargs.max_pixels"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {"title": "x" * 300_000}}}},
            "response_format.json_schema.schema",
        ),
    ],
)
def test_what_means_nothing_is_named_as_they_name_it(fields: dict[str, Any], param: str):
    with pytest.raises(BadInput) as refused:
        reason(**fields)

    error = to_theirs(refused.value)
    assert error.param == param
    assert "sampling." not in error.message
    assert isinstance(refused.value, NotAllowed) == (param in ("n", "tools") or fields.get("messages") == TOOL)


TOOL = [{"role": "tool", "content": "hm?"}]


@pytest.mark.parametrize(
    ("text", "thought", "answer"),
    [
        ("Yes.", "", "Yes."),
        (" Yes.", "", " Yes."),
        ("<think>so</think>Yes.", "so", "Yes."),
        ("\n<think>\nso, then\n</think>\n\nYes.\n", "so, then", "Yes.\n"),
        ("<think>so < 3</th", "so < 3</th", ""),
        ("<think></think>Yes.", "", "Yes."),
        ("<think> \n", "", ""),
        ("<thin air", "", "<thin air"),
        ("Yes <think>not</think>.", "", "Yes <think>not</think>."),
        ("   ", "", "   "),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_thinking_comes_apart_however_it_is_cut(text: str, thought: str, answer: str, size: int):
    splitter = ThoughtSplitter()

    pieces = [splitter.feed(text[start : start + size]) for start in range(0, len(text), size)] + [splitter.close()]

    assert "".join(piece.thought for piece in pieces) == thought
    assert "".join(piece.answer for piece in pieces) == answer


def test_a_whole_answer_has_their_form():
    tokens = (Token(b"Y", -0.5, ((b"Y", -0.5), (b"\xe4", float("-inf")))), Token(b"", -1.0, ()))
    answer = TextAnswer("<think>so</think>Y", tokens, Usage(5, 2, 4), "stop")

    said = to_completion(answer, "speck", thinks=True).model_dump()

    choice = said["choices"][0]
    assert choice["message"] == {"role": "assistant", "content": "Y", "reasoning_content": "so", "refusal": None}
    assert choice["finish_reason"] == "stop"
    assert [entry["token"] for entry in choice["logprobs"]["content"]] == ["Y"]
    assert choice["logprobs"]["content"][0]["top_logprobs"][1] == {"token": "�", "bytes": [228], "logprob": -9999.0}
    assert said["usage"] == {
        "prompt_tokens": 5,
        "completion_tokens": 2,
        "total_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4},
    }


def test_a_piece_of_which_nothing_can_be_shown_yet_is_no_event():
    stream = ChatStream("speck", thinks=True)

    assert stream.say(ConversationSaid("a", "<thi", (), Usage())) == ""
    assert "reasoning_content" in stream.say(ConversationSaid("a", "nk>so", (), Usage()))
