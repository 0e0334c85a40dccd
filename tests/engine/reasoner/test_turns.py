from __future__ import annotations

import pytest

from engine.reasoner.chat import MIN_SHARE, READ_TOKENS, shares

LONG = "the gripper picks up the green block and places it in the blue bowl. " * 300


@pytest.mark.parametrize(
    ("unread", "given"),
    [
        ([10], [10]),
        ([5000], [1024]),
        ([5000, 10], [1014, 10]),
        ([10, 5000], [10, 1014]),
        ([5000, 5000], [512, 512]),
        ([5000, 5000, 40], [341, 643, 40]),
        ([5000] * 10, [128] * 8 + [0, 0]),
        ([5000] * 9 + [7], [128] * 7 + [121, 0, 7]),
    ],
)
def test_a_call_s_tokens_are_shared_and_short_prompts_go_first(unread, given):
    found = shares(unread, READ_TOKENS)
    assert sum(found) == min(sum(unread), READ_TOKENS)
    assert found == given
    assert found[0] >= min(MIN_SHARE, unread[0])


def test_a_short_question_is_answered_while_a_long_message_is_read(engine, say):
    engine.chat.prefixes.clear()
    long, short = engine.converse(say(LONG, max_tokens=2)), engine.converse(say("hi", max_tokens=2))
    engine.decode([long, short])
    assert long.reading
    assert long.cache.length + len(short.prompt.tokens) == READ_TOKENS
    assert len(short.tokens) == 1


def test_long_prompts_read_by_turns_are_answered_as_alone(engine, say, answers):
    asked = [say(LONG + "what?", max_tokens=5), say("now: " + LONG, max_tokens=5), say("hi", max_tokens=5)]
    engine.chat.prefixes.clear()
    together = answers(engine, asked)
    alone = list[list[int]]()
    for request in asked:
        engine.chat.prefixes.clear()
        alone.append(answers(engine, [request])[0].tokens)
    assert [entry.tokens for entry in together] == alone


def test_who_asks_about_the_same_waits_for_it_to_be_read_once(engine, say, answers):
    engine.chat.prefixes.clear()
    first, second = answers(engine, [say(LONG + word, max_tokens=2) for word in ("what?", "why?")])
    assert first.num_shared == 0
    assert second.num_shared > len(first.prompt.tokens) - 20
