"""The pocket's study: drawn prompts, drawn pictures, and a reader that tells which follow them."""

import asyncio
import io
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from pocket.refine_study import HEADLINE, main, rules_of
from pocket.world.prompts import Prompt
from pocket.world.reading import Wanted
from refining_fakes import RefiningServer
from studio.client import StudioClient
from studio.refine_study import Plan, Study, StudyRun

TABLE = (168, 143, 112)
COLOURS = {"red": (205, 25, 22), "blue": (26, 56, 200), "green": (30, 160, 50)}
ACROSS = {"left": 45, "middle": 128, "right": 210}
PROMPTS = [
    Prompt(f"A {colour} ball on the {column}, {index}.", (Wanted(colour, "ball", 1, column),))
    for index, (colour, column) in enumerate([(colour, column) for colour in COLOURS for column in ACROSS] * 2)
]


def drawn(prompt: Prompt, *, right: bool) -> bytes:
    """The picture that a prompt asks for, or one of a ball too many."""
    picture = np.full((256, 256, 3), TABLE, np.uint8)
    (wish,) = prompt.wanted
    cv2.circle(picture, (ACROSS[wish.column], 120), 26, COLOURS[wish.colour], -1)
    if not right:
        cv2.circle(picture, (128, 210), 24, COLOURS["red"], -1)
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return file.getvalue()


def study(folder: Path, *, right_after: bool) -> Study:
    """First pictures are right or wrong by turns; rewritten ones are all right, or all wrong. The critic likes what is
    rewritten, since its file is another one."""
    by_words = {prompt.text: prompt for prompt in PROMPTS}
    rounds: dict[bytes, int] = {}

    def draw(words: str, seed: int, rewrites: int) -> bytes:
        right = right_after if rewrites else (seed // 100 % 3 == 0) != (not right_after and seed // 100 % 3 != 1)
        picture = drawn(by_words[words], right=right) + b" " * rewrites
        rounds[picture] = rewrites
        return picture

    server = RefiningServer(draw, lambda _, picture: 5.0 + rounds[picture])
    rules = rules_of(PROMPTS)
    plan = Plan(prompts=tuple(by_words), rules=rules.words)

    async def run() -> Study:
        async with StudioClient("http://here", transport=server.transport) as client:
            return await StudyRun(plan, folder, rules, lambda _: None, look_s=0).run(client)

    return asyncio.run(asyncio.wait_for(run(), 120))


@pytest.mark.parametrize(
    ("right_after", "verdict", "said"),
    [(True, "better", "**Yes**: +0."), (False, "worse", "**No, it makes them worse**: -0.")],
)
def test_what_follows_a_prompt_is_read_off_the_pixels_whatever_the_critic_says(
    tmp_path: Path, right_after: bool, verdict: str, said: str
):
    found = study(tmp_path, right_after=right_after)

    row = next(one for one in found.contrasts if (one.side, one.against, one.measure) == ("kept", "first", HEADLINE))
    assert row.verdict == verdict
    assert row.ties > 0
    assert (row.wins > 0, row.losses > 0) == (right_after, not right_after)
    scores = next(one for one in found.contrasts if (one.side, one.against) == ("kept", "first"))
    assert (scores.measure, scores.verdict) == ("score", "better")
    report = (tmp_path / "study.md").read_text()
    assert f"first image, by the rule `{HEADLINE}`? {said}" in report
    places = next(one for one in found.contrasts if one.measure == "places")
    assert (places.wins, places.losses) == (0, 0)


def test_without_a_server_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    status = main(["--output", str(tmp_path / "study"), "--prompts", "2", "--data", str(tmp_path / "data")])

    assert status == 1
    assert "No server uses the data folder" in capsys.readouterr().err
