"""What the arena answers: two results beside each other, a vote on them, a ranking, a question with its answers."""

from __future__ import annotations

from backend.examples.calls import MEDIA, OTHER_MEDIA
from backend.examples.works import BEGAN, PICTURE_REQUEST, TOOK
from studio.arena.questions import AskedQuestion, GradedBy, MeanGrade, QuestionList, ReasonerAnswer
from studio.arena.standings import Standings, draw_up_standings
from studio.arena.votes import Choice, Contestant, NextPair, Pair, Reasoner, ReasonerList, Side, Vote, VoteList


def _side(name: str) -> Side:
    url = f"/v1/media/{name}"
    return Side(id=name, type="image", url=url, thumbnail_url=f"{url}/thumbnail", width=256, height=256)


PAIR = Pair(
    id=f"{MEDIA}.{OTHER_MEDIA}",
    kind="image",
    domain="robot",
    prompt=PICTURE_REQUEST.prompt,
    axes=("prompt", "physics", "geometry", "overall"),
    left=_side(MEDIA),
    right=_side(OTHER_MEDIA),
)
NEXT_PAIR = NextPair(pair=PAIR, num_pairs=12, num_left=7)

VOTE = Vote(
    id="90ab12cd34ef",
    pair=PAIR.id,
    kind="image",
    contest="sampling.guidance_scale",
    domain="robot",
    left=Contestant(id=MEDIA, value="4"),
    right=Contestant(id=OTHER_MEDIA, value="7"),
    choices={"prompt": "left", "overall": "tie"},
    voter="ada",
    created_at=BEGAN,
)
REVOKED = VOTE.model_copy(update={"revoked_at": BEGAN + TOOK})
JUDGED = VOTE.model_copy(update={"voter": "speck", "by": "reasoner", "reason": "The left cube is whole."})
VOTES = VoteList(votes=(VOTE,), total=1)
REASONERS = ReasonerList(reasoners=(Reasoner(name="speck", title="speck", endpoint=False, ready=True),))

_CHOICES: tuple[Choice, ...] = ("left", "left", "right", "left", "tie", "left", "bad", "left", "left", "right")
_CAST = [
    VOTE.model_copy(update={"pair": f"{MEDIA}.u{number:016x}", "choices": {"overall": choice}})
    for number, choice in enumerate(_CHOICES)
]


def standings() -> Standings:
    """What ten votes come to, a reasoner's opinion of the first pair beside them."""
    opinion = JUDGED.model_copy(update={"pair": _CAST[0].pair, "choices": {"overall": "left"}})
    return draw_up_standings([*_CAST, opinion])


_ANSWER = ReasonerAnswer(id="d2805e6b1fa3", reasoner="speck")
_SAID = _ANSWER.model_copy(update={"text": "It holds a red cube.", "seconds": 1.4})
_GRADE = GradedBy(judge="speck", score=5, reason="It says what the reference says.")
ASKED = AskedQuestion(
    id="c41f7be2a905",
    text="What does the arm hold?",
    media=MEDIA,
    reference="A red cube.",
    created_at=BEGAN,
    answers=(_ANSWER,),
)
ANSWERED = ASKED.model_copy(update={"answers": (_SAID,)})
GRADED = ASKED.model_copy(update={"answers": (_SAID.model_copy(update={"grades": (_GRADE,)}),)})
PUT = QuestionList(questions=(ASKED,))
QUESTIONS = QuestionList(
    questions=(GRADED,), grades=(MeanGrade(reasoner="speck", judge="speck", num_answers=1, mean=5, low=1.83, high=5),)
)
