from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from studio.errors import NotAllowed
from studio.requests import REQUESTS, AspectRatio, GenerateImage, Resolution
from studio.rules import RULES, Capabilities, choices, legal_sizes, refusals

SOME = st.builds(
    Capabilities,
    checkpoint=st.just("mine"),
    kinds=st.sets(st.sampled_from([*REQUESTS, "reason"])).map(tuple),
    resolutions=st.sets(st.sampled_from(get_args(Resolution))).map(tuple),
    aspect_ratios=st.sets(st.sampled_from(get_args(AspectRatio))).map(tuple),
)


@given(can=SOME, resolution=st.sampled_from(get_args(Resolution)), shape=st.sampled_from(get_args(AspectRatio)))
def test_a_form_offers_exactly_what_the_server_takes(can, resolution, shape):
    request = GenerateImage(prompt="x", resolution=resolution, aspect_ratio=shape)
    refused = {refusal.field: refusal.reason for refusal in refusals(request, can)}
    drawn = choices("generate_image", can)
    assert set(drawn) == {rule.field for rule in RULES}
    for field, options in drawn.items():
        value = getattr(request, field)
        chosen = next(option for option in options if option.value == value)
        assert chosen.refused == refused.get(field, "")


@given(can=SOME)
def test_every_offered_size_runs_and_no_other(can):
    drawn = choices("generate_image", can)
    tiers = [option.value for option in drawn["resolution"] if not option.refused]
    shapes = [option.value for option in drawn["aspect_ratio"] if not option.refused]
    assert len(legal_sizes(can)) == len(tiers) * len(shapes)


def test_a_refusal_says_who_refuses_and_what_there_is():
    can = Capabilities(checkpoint="mine", resolutions=("256", "480"))
    (refusal,) = refusals(GenerateImage(prompt="x", resolution="720"), can)
    error = refusal.error()
    assert isinstance(error, NotAllowed)
    assert error.param == "resolution"
    assert str(error) == "mine does not draw at 720p. It takes 256, 480."


def test_a_checkpoint_without_limits_refuses_nothing():
    assert refusals(GenerateImage(prompt="x", resolution="768"), Capabilities(checkpoint="any")) == []
