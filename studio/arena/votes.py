"""Pairs and votes: what is asked about a pair, the domain that it is counted in, and what the arena is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from studio.media import MediaType
from studio.requests import Frozen
from studio.requests.fields import BoundedText, on_one_line
from studio.toml_files import shipped

Axis = Literal["prompt", "physics", "geometry", "sound", "correct", "overall"]
Choice = Literal["left", "right", "tie", "bad"]
"""Which side is better; `tie` is equally good, `bad` is neither good enough."""

MEDIA_AXES: tuple[Axis, ...] = ("prompt", "physics", "geometry", "overall")
SOUND_AXES: tuple[Axis, ...] = ("prompt", "physics", "geometry", "sound", "overall")
ANSWER_AXES: tuple[Axis, ...] = ("correct", "overall")

QUESTIONS: dict[Axis, str] = {
    "prompt": "which one shows more of what the prompt asks for",
    "physics": "in which one objects move, touch, fall and change more as they would in reality",
    "geometry": "in which one robot, hands and objects keep their shape, size and number better",
    "sound": "in which one sounds come more exactly when what makes them is seen",
    "correct": "which answer says more that is true of what is asked about, and less that is not",
    "overall": "which one is better, all in all",
}
"""As a reasoner is asked."""


def axes_of(kind: str, *, sound: bool = False) -> tuple[Axis, ...]:
    """The axes of a pair.

    Args:
        kind: `image`, `video` or `answer`.
        sound: whether both sides can be heard.
    """
    if kind == "answer":
        return ANSWER_AXES
    return SOUND_AXES if sound else MEDIA_AXES


GENERAL = "general"
"""The domain of what belongs to no other."""


class Domain(Frozen):
    """One entry of the file.

    Attributes:
        id: written down with votes; also the tag by which an item says that it belongs here.
        title: as people read it.
        words: beginnings of words, in lower case, that speak for it; a space at the end asks for the whole word.
        embodiments: whose actions are always of this domain.
    """

    id: str = Field(pattern=r"^[a-z]+$")
    title: str
    words: tuple[str, ...]
    embodiments: tuple[str, ...] = ()


class _Domains(Frozen):
    domains: tuple[Domain, ...]


@cache
def domains() -> tuple[Domain, ...]:
    """All of them, in the order of the file."""
    return shipped(_Domains, "arena", "domains.toml").domains


def domain_of(words: str, embodiment: str | None = None, tags: Sequence[str] = ()) -> str:
    """The domain's id.

    Args:
        words: the prompt; of a structured caption its JSON does as well.
        embodiment: of a request with actions.
        tags: of the items; one that names a domain decides.
    """
    for domain in domains():
        if domain.id in tags or (embodiment is not None and embodiment in domain.embodiments):
            return domain.id
    said = f"{words.lower()} "
    counted = [(sum(len(re.findall(rf"\b{re.escape(word)}", said)) for word in each.words), each) for each in domains()]
    most, best = max(counted, key=lambda entry: entry[0])
    return best.id if most else GENERAL


PairKind = Literal["image", "video", "answer"]
VotedBy = Literal["person", "reasoner"]
Voters = Literal["person", "reasoner", "everybody"]

MAX_VOTER = 60
MAX_REASON = 2000
MAX_SKIPPED = 500
MAX_VOTES_PAGE = 500


VoterName = Annotated[BoundedText, AfterValidator(on_one_line("the voter's name", MAX_VOTER))]
PairId = Annotated[str, Field(pattern=r"^[0-9a-z-]{3,40}\.[0-9a-z-]{3,40}$")]
"""The two ids of its sides with a dot between, the smaller one first."""


class Side(Frozen):
    """One side of a pair, without anything that says where it comes from.

    Attributes:
        id: of the artefact, or of the answer.
        url, thumbnail_url, spritesheet_url: of an artefact.
        text: of an answer.
    """

    id: str
    type: MediaType | None = None
    url: str | None = None
    thumbnail_url: str | None = None
    spritesheet_url: str | None = None
    width: int | None = None
    height: int | None = None
    num_frames: int | None = None
    fps: float | None = None
    duration_s: float | None = None
    has_sound: bool | None = None
    text: str | None = None


class Pair(Frozen):
    """Two results of one request but for one thing, which is not said.

    Attributes:
        prompt: the words that both were made from; of answers the question.
        given: media that both began with, or that both are about.
        axes: what is voted on.
        num_votes: by anybody, so far.
    """

    id: PairId
    kind: PairKind
    domain: str
    prompt: str
    given: tuple[str, ...] = ()
    axes: tuple[Axis, ...]
    left: Side
    right: Side
    num_votes: int = 0


class NextPair(Frozen):
    """`GET /v1/arena/pairs/next`.

    Attributes:
        pair: none when there is nothing left to vote on.
        num_pairs: that there are.
        num_left: of these, that this voter has not voted on.
    """

    pair: Pair | None
    num_pairs: int
    num_left: int


class CastVote(Frozen):
    """`POST /v1/arena/votes`.

    Attributes:
        pair: what was looked at.
        left: the id of the side that was shown left.
        choices: by axis; one that is left out is not judged, `overall` must be there.
        by: an agent is a `reasoner`: how far such agree with people is told.
        reason: why, in the voter's own words.
    """

    pair: PairId
    left: str
    voter: VoterName
    choices: dict[Axis, Choice]
    by: VotedBy = "person"
    reason: Annotated[BoundedText, Field(max_length=MAX_REASON)] = ""

    @model_validator(mode="after")
    def _judges_the_whole(self) -> Self:
        if "overall" not in self.choices:
            raise ValueError('choices must hold "overall"; the other axes may be left out')
        return self


class Contestant(Frozen):
    """What stood on one side of a vote: the result, and the value of the field that the two differed in."""

    id: str
    value: str


class Vote(Frozen):
    """One vote, as it is kept.

    Attributes:
        contest: the field that the sides differed in, as `sampling.guidance_scale`; `reasoner` for answers.
        domain: as `presets/arena/domains.toml` had it when it was cast.
        by: a person, or a reasoner, which then is the `voter`.
        reason: the voter's own words.
        revoked_at: when it was taken back; it counts no more.
    """

    id: str
    pair: PairId
    kind: PairKind
    contest: str
    domain: str
    left: Contestant
    right: Contestant
    choices: dict[Axis, Choice]
    voter: str
    by: VotedBy = "person"
    reason: str = ""
    created_at: datetime
    revoked_at: datetime | None = None


class VoteList(Frozen):
    """`GET /v1/arena/votes`, newest first."""

    votes: tuple[Vote, ...]
    total: int


class AskJudge(Frozen):
    """`POST /v1/arena/judgements`: let a reasoner vote on one pair.

    Attributes:
        judge: a name that `GET /v1/arena/reasoners` lists.
        pair: which; none takes the one that it would be dealt.
        contest: as in `GET /v1/arena/pairs/next`, where no pair is named.
    """

    judge: str
    pair: PairId | None = None
    contest: str | None = None


class Reasoner(Frozen):
    """Somebody who answers and judges.

    Attributes:
        name: a checkpoint's id, or the heading in `reasoners.toml`.
        title: as people read it.
        endpoint: whether it is an endpoint, and no checkpoint of this server.
        ready: whether it can be asked now; a checkpoint must be loaded.
    """

    name: str
    title: str
    endpoint: bool
    ready: bool


class ReasonerList(Frozen):
    """`GET /v1/arena/reasoners`."""

    reasoners: tuple[Reasoner, ...]


def pair_id(one: str, other: str) -> str:
    """The name of a pair, whichever side is said first."""
    return ".".join(sorted((one, other)))
