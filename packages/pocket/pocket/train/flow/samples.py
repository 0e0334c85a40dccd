"""Episodes as the generator learns from them: latents, controls, actions and words. Encoded once for each VAE."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from diffusers.models.autoencoders.autoencoder_cosmos3_audio import Cosmos3AVAEAudioTokenizer
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from backend.media.controls import compute_control
from engine.planning.action import fit
from engine.vae.clip import LatentScale
from pocket.train.acting import POLICY_UNITS, is_usual, places_at
from pocket.train.lessons.seeing import squares_of
from pocket.train.video_vae import encoded
from pocket.world.controls import depth_pictures, segmentation_pictures
from pocket.world.episode import POLICY_ROWS, Episode, Robot
from pocket.world.moments import telling_shares
from studio.requests.transfer_video import FilteredHint, Strength

HINTS = ("edge", "blur", "depth", "seg")
"""In the model's order; a scenario map is nothing that a table has."""

COMPUTED: dict[str, FilteredHint] = {"edge": "edge", "blur": "blur"}

STRENGTHS: tuple[Strength, ...] = ("low", "medium", "high")


def draw_control(episode: Episode, hint: str, random: np.random.Generator) -> NDArray[np.uint8]:
    """A control of all frames, uint8 [T, height, width, 3].

    Args:
        hint: one of `HINTS`.
        random: picks the strength of what is computed.
    """
    if hint in COMPUTED:
        strength = STRENGTHS[random.integers(len(STRENGTHS))]
        return np.stack([compute_control(frame, COMPUTED[hint], strength) for frame in episode.frames])
    if hint == "depth":
        assert episode.depth is not None
        return depth_pictures(episode.depth)
    assert episode.segmentation is not None
    return segmentation_pictures(episode.segmentation)


SAMPLES_PER_LATENT = 1920

CHUNKS = 12
"""Of a policy episode, how many moments are kept; neighbours look much alike."""


@dataclass(frozen=True)
class Sample:
    """One thing to learn.

    Attributes:
        kind: its episode's view.
        vision: float16 [C, T, rows, columns], normalised.
        fps: frames a second; 0 of a still.
        size: (width, height) of the canvas that the prompt names.
        controls: latents by hint.
        sound: float16 [C, T].
        actions: float32 [n, width]; joint rows of a policy in the pocket's units, poses of the hand of a clip.
        state: float32 [1, width], of a policy, in the same.
        places: float32 [NUM_PLACES, 3], of a policy, see `pocket.train.acting`.
        squares: uint8, what covers each square of a still, see `pocket.train.lessons.seeing.squares_of`.
        words: (prose, caption) of each wording; instructions and "" of a policy. A glance is a policy here.
    """

    kind: str
    vision: Tensor
    fps: float
    size: tuple[int, int]
    words: tuple[tuple[str, str], ...]
    controls: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    sound: Tensor | None = None
    actions: Tensor | None = None
    state: Tensor | None = None
    places: Tensor | None = None
    squares: Tensor | None = None


@dataclass(frozen=True)
class DrawnEpisode:
    """An episode and its controls by hint, uint8 [T, height, width, 3]."""

    episode: Episode
    controls: dict[str, NDArray[np.uint8]]


def draw(episode: Episode) -> DrawnEpisode:
    """Draw the controls: all of a clip, one of a still. A second a clip, most of it in OpenCV without Python's lock."""
    if episode.view in ("policy", "glance"):
        return DrawnEpisode(episode, {})
    random = np.random.default_rng(episode.seed)
    hints = HINTS if episode.view == "clip" else (HINTS[random.integers(len(HINTS))],)
    return DrawnEpisode(episode, {hint: draw_control(episode, hint, random) for hint in hints})


class Encoder:
    """From episodes to samples on one device."""

    def __init__(self, vae: AutoencoderKLWan, sound: Cosmos3AVAEAudioTokenizer | None, device: str) -> None:
        self._vae, self._sound, self._device = vae, sound, device
        self._scale = LatentScale(vae)

    def samples(self, drawn: DrawnEpisode) -> list[Sample]:
        """What an episode teaches: one sample, or several moments of a policy."""
        episode = drawn.episode
        if episode.view in ("policy", "glance"):
            return self._moments(episode, np.random.default_rng(episode.seed))
        words = tuple((wording.prose, wording.caption) for wording in episode.wordings)
        vision, *controls = self._encode(np.stack([episode.frames, *drawn.controls.values()]))
        height, width = episode.frames.shape[1:3]
        return [
            Sample(
                kind=episode.view,
                vision=vision,
                fps=float(episode.fps),
                size=(width, height),
                words=words,
                controls=dict(zip(drawn.controls, controls, strict=True)),
                sound=None if episode.sound is None or self._sound is None else self._encode_sound(episode.sound),
                actions=torch.from_numpy(hand_actions(episode.robot)) if len(episode.frames) > 1 else None,
                squares=torch.from_numpy(squares_of(episode, [0])) if len(episode.frames) == 1 else None,
            )
        ]

    def _moments(self, episode: Episode, random: np.random.Generator) -> list[Sample]:
        robot = episode.robot
        rows = {int(start): _known(robot.expert[start : start + POLICY_ROWS]) for start in robot.chunk_starts}
        states = {start: _known(np.append(robot.joint_positions[start], robot.gripper[start])[None]) for start in rows}
        starts = [start for start in rows if is_usual(torch.cat([rows[start], states[start]]))]
        if not starts:
            return []
        count, shares = min(CHUNKS, len(starts)), telling_shares(robot, starts)
        chosen = [int(start) for start in random.choice(starts, count, replace=False, p=shares)]
        height, width = episode.frames.shape[1:3]
        placed = fit("256", width, height)
        clips = np.stack([_seen_from(episode, start) for start in chosen])
        across, down = placed.cells(self._vae.config["scale_factor_spatial"])
        latents = self._encode(clips, placed)[..., :down, :across]
        words = tuple((instruction, "") for instruction in episode.task.instructions)
        return [
            Sample(
                kind=episode.view,
                vision=vision.contiguous(),
                fps=float(episode.fps),
                size=placed.canvas,
                words=words,
                actions=rows[start],
                state=states[start],
                places=places_at(episode, start),
            )
            for start, vision in zip(chosen, latents, strict=True)
        ]

    @torch.no_grad()
    def _encode(self, clips: np.ndarray, fitted: Callable[[Tensor], Tensor] | None = None) -> Tensor:
        """uint8 [B, T, height, width, 3] → normalised latents float16 [B, C, T', rows, columns] on the device."""
        pixels = torch.from_numpy(clips).to(self._device).movedim(-1, 2).float().div_(127.5).sub_(1)
        if fitted is not None:
            pixels = fitted(pixels.flatten(0, 1)).unflatten(0, clips.shape[:2])
        with torch.autocast(self._device.partition(":")[0], torch.bfloat16, enabled="cuda" in self._device):
            mean = encoded(self._vae, pixels.transpose(1, 2))
        return self._scale.normal(mean.float()).half()

    @torch.no_grad()
    def _encode_sound(self, sound: np.ndarray) -> Tensor:
        """[2, S] → float16 [C, T], as many latents as the engine asks for: the last one may reach beyond the end."""
        assert self._sound is not None
        waves = torch.from_numpy(sound.astype(np.float32)).to(self._device)
        waves = pad(waves, (0, -waves.shape[1] % SAMPLES_PER_LATENT))
        return self._sound.encode(waves[None], return_dict=False)[0].mode()[0].half()


def _seen_from(episode: Episode, start: int) -> NDArray[np.uint8]:
    """What is drawn from a moment on: all that a chunk takes, or a glance."""
    if episode.view == "policy":
        return episode.frames[start : start + POLICY_ROWS + 1]
    return episode.frames[episode.robot.chunk_starts == start]


def _known(rows: np.ndarray) -> Tensor:
    return POLICY_UNITS.known(torch.from_numpy(rows.astype(np.float32)))


def hand_actions(robot: Robot) -> np.ndarray:
    """From each frame to the next in the hand's own axes, float32 [T - 1, 10]: translation, rotation, gripper.

    The rotation is the first two columns of its matrix; the gripper is where it is then, 0 open to 1 closed.
    """
    axes, places = robot.hand_axes, robot.hand_positions
    back = axes[:-1].transpose(0, 2, 1)
    moved = (back @ (places[1:] - places[:-1])[..., None])[..., 0] / HAND_STEP_M
    turned = (back @ axes[1:])[:, :, :2].transpose(0, 2, 1).reshape(-1, 6)
    return np.concatenate([moved, turned, robot.gripper[1:, None]], 1).astype(np.float32)


HAND_STEP_M = 0.05
"""Translations are in this unit, so that a usual one is neither noise nor out of range."""
