"""What the generator is asked in training: each mode is a prompt, runs of diffusion tokens, and what of them is given.

The prompts are those that the engine's planners write, and the runs are their segments: what is learnt here is what is
asked there. A text is dropped for a tenth of the sequences; what stands there instead is what a guided run's other
branch reads when nobody wrote a negative prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import torch
from torch import Tensor

from engine.planning import PromptEncoder, SoundSegment, VisionSegment
from engine.planning import trained_strings as trained
from engine.planning.action import action_caption
from engine.planning.video import image_text, video_text
from pocket.train.acting import JOINTS
from pocket.train.flow.chats import ChatCutter
from pocket.train.flow.pointing import shown_where
from pocket.train.flow.samples import Sample
from studio.requests.embodiments import EMBODIMENTS, EmbodimentName, ViewName
from tuning.flow.actions import action_run
from tuning.flow.batch import Batch, TokenRun

TEXT_DROPOUT = 0.1
"""Technical report, 4.2.1."""

SYSTEM_SHARE = 0.1
"""Of batches of pictures and clips, under the system prompt: the studio leaves it out unless it is asked for."""

Entry = TypeVar("Entry")

Mode = Literal[
    "t2i", "t2v", "i2v", "v2v", "still_transfer", "transfer", "hand_fd", "hand_id", "fd", "id", "policy", "act"
]
"""The released model's, and "act": a policy's actions without the frames that follow, a sixth of the tokens."""

KINDS: dict[Mode, str] = {
    "t2i": "still",
    "still_transfer": "still",
    "t2v": "clip",
    "i2v": "clip",
    "v2v": "clip",
    "transfer": "clip",
    "hand_fd": "clip",
    "hand_id": "clip",
    "fd": "policy",
    "id": "policy",
    "policy": "policy",
    "act": "glance",
}
"""Which samples a mode is made of."""

KEPT_FRAMES: dict[Mode, int | None] = {
    "t2v": 0,
    "i2v": 1,
    "v2v": 2,
    "t2i": 0,
    "policy": 1,
    "act": 1,
    "fd": 1,
    "hand_fd": 1,
}
"""Latent frames at the start that are given; all of them where a mode is not named and has actions to find."""

DRAWS: dict[Mode, int] = {"t2i": 4, "still_transfer": 4, "act": 2}
"""Sequences that a sample of a mode makes, each with noise and a level of its own; one where a mode is not named.

Of a single frame most of the time goes into reading its prompt, which is the same for all of them."""

HAND: EmbodimentName = "bridge_orig_lerobot"
"""The body of clips: one arm, ten values. Its domain is not that of joint positions, which policies speak."""


class BatchMaker:
    """From samples to batches, in the words of one tokenizer."""

    def __init__(self, prompts: PromptEncoder, *, patch: int, sound_width: int, action_width: int) -> None:
        self._prompts = ChatCutter(prompts)
        self._patch, self._sound_width, self._action_width = patch, sound_width, action_width

    def make(
        self, mode: Mode, samples: list[Sample], dice: torch.Generator | None = None, *, with_sound: bool = False
    ) -> Batch:
        """A batch of samples of one kind, rate and shape.

        Args:
            dice: what is left to chance is drawn from it; none is the global random state.
            with_sound: of clips, denoise their sound too.
        """
        if mode in ("t2i", "t2v", "i2v", "v2v"):
            return self._pictures(mode, samples, dice, with_sound=with_sound)
        if mode in ("still_transfer", "transfer"):
            return self._transfer(mode, samples, dice)
        return self._actions(mode, samples, dice)

    def _pictures(self, mode: Mode, samples: list[Sample], dice: torch.Generator | None, *, with_sound: bool) -> Batch:
        kept = KEPT_FRAMES[mode] or 0
        runs = [self._vision(samples, kept)]
        if with_sound and samples[0].sound is not None:
            runs.append(self._sound([sample.sound for sample in samples if sample.sound is not None]))
        is_still = mode == "t2i"
        system = trained.IMAGE_SYSTEM_PROMPT if is_still else trained.VIDEO_SYSTEM_PROMPT
        system = system if _chance(dice) < SYSTEM_SHARE else None
        as_caption, templated = _chance(dice) < 0.35, _chance(dice) < 0.8

        def write(sample: Sample, words: str | None) -> str:
            text = words or ""
            return _templated(text, sample, is_still=is_still, negative=words is None) if templated else text

        texts = map(write, samples, _drawn_words(samples, dice, as_caption=as_caption))
        asked = (torch.stack([_squares_of(sample) for sample in samples]).long(),) if is_still else ()
        return Batch(mode, self._prompts.cut([*texts], system), tuple(runs), DRAWS.get(mode, 1), asked)

    def _transfer(self, mode: Mode, samples: list[Sample], dice: torch.Generator | None) -> Batch:
        hints = [hint for hint in samples[0].controls if all(hint in sample.controls for sample in samples)]
        hint = _pick(hints, dice)
        control = torch.stack([sample.controls[hint] for sample in samples]).float()
        length = control.shape[2]
        given = self._run(control, samples[0].fps, torch.ones(length, dtype=torch.bool), is_control=True)
        as_caption = _chance(dice) < 0.5

        texts = [words or "" for words in _drawn_words(samples, dice, as_caption=as_caption)]
        # Without the control now and then: a guided run asks for that too, to lead away from it.
        runs = (self._vision(samples, 0),) if _chance(dice) < TEXT_DROPOUT else (given, self._vision(samples, 0))
        return Batch(mode, self._prompts.cut(texts, trained.TRANSFER_SYSTEM_PROMPT), runs, DRAWS.get(mode, 1))

    def _actions(self, mode: Mode, samples: list[Sample], dice: torch.Generator | None) -> Batch:
        is_joints = samples[0].kind in ("policy", "glance")
        name = JOINTS if is_joints else HAND
        body = EMBODIMENTS[name]
        views: list[ViewName] = ["droid_view"] if is_joints else [body.view, "third_person_view"]
        view, finds_actions = _pick(views, dice), mode in ("id", "hand_id")
        rows = torch.stack([_actions_of(sample) for sample in samples])
        has_state = mode in ("policy", "act")
        length, width = rows.shape[1:]
        assert width == body.width
        actions = action_run(
            rows,
            torch.stack([_state_of(sample) for sample in samples]) if has_state else None,
            domain=body.domain,
            model_width=self._action_width,
            per_second=samples[0].fps,
            num_known=1 if has_state else 0 if finds_actions else length,
        )
        num_frames = length + 1
        kept = samples[0].vision.shape[1] if finds_actions else 1

        def write(sample: Sample, words: str | None) -> str:
            return "" if words is None else action_caption(words, view, num_frames, sample.fps, sample.size)

        texts = map(write, samples, _drawn_words(samples, dice, as_caption=False))
        vision = self._vision(samples, kept)
        runs = (vision, actions)
        asked: tuple[Tensor, ...] = ()
        if has_state:
            places = torch.stack([_places_of(sample) for sample in samples])
            frames = vision.segment
            assert isinstance(frames, VisionSegment)
            asked = places, shown_where(places, frames.grid[1:])
        return Batch(mode, self._prompts.cut([*texts], None), runs, DRAWS.get(mode, 1), asked)

    def _vision(self, samples: list[Sample], kept: int) -> TokenRun:
        values = torch.stack([sample.vision for sample in samples]).float()
        given = torch.zeros(values.shape[2], dtype=torch.bool)
        given[:kept] = True
        return self._run(values, samples[0].fps, given)

    def _run(self, values: Tensor, fps: float, given: Tensor, *, is_control: bool = False) -> TokenRun:
        channels, length, rows, columns = values.shape[1:]
        shape = (channels, length, rows, columns)
        segment = VisionSegment(shape=shape, patch=self._patch, fps=fps or None, is_control=is_control)
        return TokenRun(segment, values, given)

    def _sound(self, latents: list[Tensor]) -> TokenRun:
        values = torch.stack(latents).float()
        segment = SoundSegment(shape=(self._sound_width, values.shape[2]), latents_per_second=25.0)
        return TokenRun(segment, values, torch.zeros(values.shape[2], dtype=torch.bool))


def _drawn_words(samples: list[Sample], dice: torch.Generator | None, *, as_caption: bool) -> list[str | None]:
    """One wording of each; none where the text is dropped. Drawn at once: a draw costs as much as a text."""
    drops = (torch.rand(len(samples), generator=dice) < TEXT_DROPOUT).tolist()
    picks = torch.rand(len(samples), generator=dice, dtype=torch.float64).tolist()
    return [
        None if drop else _words(sample, pick, as_caption=as_caption)
        for sample, drop, pick in zip(samples, drops, picks, strict=True)
    ]


def _words(sample: Sample, pick: float, *, as_caption: bool) -> str:
    prose, caption = sample.words[int(pick * len(sample.words))] if sample.words else ("", "")
    return caption if as_caption and caption else prose


def _templated(text: str, sample: Sample, *, is_still: bool, negative: bool) -> str:
    """With the sentences of metadata that `engine.planning` puts behind a prompt, or behind an empty negative one."""
    if is_still:
        return image_text(text, sample.size, is_negative=negative)
    num_frames = (sample.vision.shape[1] - 1) * 4 + 1
    return video_text(text, sample.size, num_frames, sample.fps, is_negative=negative)


def _actions_of(sample: Sample) -> Tensor:
    assert sample.actions is not None
    return sample.actions


def _state_of(sample: Sample) -> Tensor:
    assert sample.state is not None
    return sample.state


def _places_of(sample: Sample) -> Tensor:
    assert sample.places is not None
    return sample.places


def _squares_of(sample: Sample) -> Tensor:
    assert sample.squares is not None
    return sample.squares


def _chance(dice: torch.Generator | None) -> float:
    return float(torch.rand((), generator=dice))


def _pick(entries: Sequence[Entry], dice: torch.Generator | None) -> Entry:
    return entries[int(torch.randint(len(entries), (), generator=dice))]
