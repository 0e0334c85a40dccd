import pytest

from pocket.world.critiquing import COLUMNS
from pocket.world.prompts import MAX_KINDS, draw_prompt
from robot.simulation.arrangement import COLOURS


@pytest.mark.parametrize("seed", range(30))
def test_a_prompt_says_what_it_wants_and_wants_what_it_says(seed: int):
    prompt = draw_prompt(seed)

    assert 1 <= len(prompt.wanted) <= MAX_KINDS
    assert draw_prompt(seed) == prompt
    for wish in prompt.wanted:
        assert wish.colour in prompt.text.lower()
        assert wish.shape in prompt.text
        assert wish.column == "" or (wish.count == 1 and wish.column in COLUMNS)
    for colour in set(COLOURS) - {wish.colour for wish in prompt.wanted}:
        assert colour not in prompt.text.lower()
    places = [wish.column for wish in prompt.wanted if wish.column]
    assert len(set(places)) == len(places)
