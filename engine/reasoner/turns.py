"""Who reads how much of a prompt in one call, so that a short question is answered while a long one is still read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.reasoner.conversation import Conversation

READ_TOKENS = 1024
"""Of prompts, read in one call: what else the device is for waits no longer than that takes."""

MIN_SHARE = 128
"""Tokens below which a pass over the weights is not worth it: where the shares would be smaller, some wait."""

WORTH = 2
"""A conversation waits for another's prompt to be read while that takes at most so many times what it saves."""


def shares(unread: Sequence[int], most: int) -> list[int]:
    """How many tokens each reads, `most` together.

    The first in line always goes on; of the others the shorter ones go first, and what they leave is the others'.

    Args:
        unread: tokens of each, the oldest conversation first.
    """
    waiting = len(unread)
    given = [0] * waiting
    given[0] = min(unread[0], most, max(most // waiting, MIN_SHARE))
    left = most - given[0]
    for index in sorted(range(1, len(unread)), key=unread.__getitem__):
        waiting -= 1
        given[index] = min(unread[index], left, max(left // waiting, MIN_SHARE))
        left -= given[index]
    given[0] += min(left, unread[0] - given[0])
    return given


def waits(conversation: Conversation, earlier: Sequence[Conversation]) -> bool:
    """Whether it shall begin to read behind one of those who read already, with which it will share a beginning."""
    if conversation.cache.length:
        return False
    keys = conversation.prompt.keys
    for other in earlier:
        length = min(len(keys), len(other.prompt.keys))
        different = np.flatnonzero(keys[:length] != other.prompt.keys[:length])
        num_shared = int(different[0]) if len(different) else length
        left = len(other.prompt.tokens) - other.cache.length
        if left <= WORTH * num_shared and other.adapter == conversation.adapter:
            return True
    return False
