from itertools import pairwise

import pytest

from pocket.report.rendering import BLOCK, CLIPS, PROMPTS, RUNS, SCENES, STILLS, held_out
from pocket.train.shards import write_shard
from pocket.world.episode import HELD_OUT_FROM


def test_every_question_is_behind_what_training_may_render(tmp_path):
    first = min(held_out(block, 1)[0] for block in (STILLS, CLIPS, RUNS, PROMPTS, SCENES))
    assert first >= HELD_OUT_FROM

    with pytest.raises(AssertionError):
        write_shard(tmp_path, "still", first, 1, lambda view, seed: pytest.fail("it was rendered"))


def test_blocks_and_cards_of_other_seeds_share_no_question():
    drawn = [held_out(block, BLOCK // 10, seed) for block in (STILLS, CLIPS) for seed in range(10)]

    assert len({number for each in drawn for number in (each[0], each[-1])}) == 2 * len(drawn)
    assert all(one[-1] < other[0] for one, other in pairwise(drawn))
