"""Who is examined: a checkpoint in the ordinary engine, asked with the studio's own requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import Engine, Footage, Result
from engine.device import Threads
from engine.planning import Plannable
from engine.towers import Precision
from pocket.train.lessons.writing import SHOWN
from pocket.world.episode import POLICY_FPS, POLICY_ROWS, SAMPLES_PER_SECOND
from studio.prompting.question import SYSTEM
from studio.prompting.tasks import VIDEO_FPS
from studio.requests import GenerateImage, GenerateVideo, PredictActions, PredictVideo, RunPolicy, TransferVideo
from studio.requests.reason import Reason
from studio.requests.transfer_video import HintName

Pixels = NDArray[np.uint8]

SQUARE = {"resolution": "256", "aspect_ratio": "1:1"}
"""The canvas that the world draws stills and clips on."""

PICTURE_GUIDANCE, CLIP_GUIDANCE, CONTROL_GUIDANCE = 5.0, 3.0, 1.5
PICTURE_SHIFT, CLIP_SHIFT = 3.0, 5.0
"""As the page asks a pocket (presets/checkpoints/pocket.toml). Actions are not guided."""

ANSWERS_AFTER_S = 0.4
"""What the closed loop gives a chunk at least: six ticks."""


@dataclass(frozen=True)
class Effort:
    """What is spent on a request: denoising steps of each kind, and what may be saved of them.

    Attributes:
        precision: see `Engine.load`.
        step_cache: see `studio.requests.sampling`; none computes every step.
    """

    picture_steps: int = 20
    clip_steps: int = 10
    action_steps: int = 8
    policy_steps: int = 4
    precision: Precision = "exact"
    step_cache: float | None = None


@dataclass(frozen=True)
class Filmed:
    """A clip.

    Attributes:
        frames: uint8 [T, height, width, 3].
        sound: float [2, S], -1 to 1, at 48 kHz and as long as the frames; none without.
        fps: frames a second.
    """

    frames: Pixels
    fps: float
    sound: NDArray[np.floating[Any]] | None = None


class Candidate:
    """A checkpoint. Every answer is a function of the request and its seed.

    Attributes:
        answers_after_s: on a clock that is turned by hand, from the policy's question to its answer.

    Args:
        num_threads: that the engine may take; none leaves it the two that it takes by itself.

    Raises:
        NotACheckpoint, BrokenCheckpoint: see `Engine.load`.
    """

    def __init__(self, folder: Path, effort: Effort | None = None, num_threads: int | None = None) -> None:
        self.effort = effort or Effort()
        self.answers_after_s = ANSWERS_AFTER_S
        self._engine = Engine.load(folder, device="cpu", precision=self.effort.precision)
        if num_threads is not None:
            self._engine.threads = Threads(num_threads, num_threads)
            self._engine.codecs = replace(self._engine.codecs, threads=self._engine.threads)
            self._engine.threads.for_step(0)

    def draw(self, prompt: str, seed: int) -> Pixels:
        """A picture of 256x256, uint8 [height, width, 3]."""
        sampling = self._sampling(self.effort.picture_steps, PICTURE_GUIDANCE, PICTURE_SHIFT, seed)
        return self._run(GenerateImage.model_validate({"prompt": prompt, "sampling": sampling, **SQUARE})).image

    def film(self, prompt: str, given: Pixels, num_frames: int, fps: float, seed: int, *, sound: bool) -> Filmed:
        """A clip that begins with a picture, uint8 [1, …], with the first five frames of a clip, uint8 [T, …], or with
        nothing that was given, uint8 [0, …]."""
        sampling = self._sampling(self.effort.clip_steps, CLIP_GUIDANCE, CLIP_SHIFT, seed)
        fields: dict[str, Any] = {"num_frames": num_frames, "fps": fps, "sound": sound, **SQUARE}
        media: dict[str, Pixels] = {}
        if len(given):
            field = "start_image" if len(given) == 1 else "source_video"
            fields[field], media[field] = SHOWN, given
        request = GenerateVideo.model_validate({"prompt": prompt, "sampling": sampling, **fields})
        result = self._run(request, media)
        frames = np.concatenate(list(result.frames))
        num_samples = round(num_frames / fps * SAMPLES_PER_SECOND)
        return Filmed(frames, fps, None if result.sound is None else result.sound[:, :num_samples])

    def follow(self, prompt: str, hint: HintName, control: Pixels, fps: float, seed: int) -> Pixels:
        """A clip that follows a control, uint8 [T, height, width, 3] as the control is."""
        sampling = self._sampling(self.effort.clip_steps, CLIP_GUIDANCE, CLIP_SHIFT, seed)
        sampling["control_guidance"] = CONTROL_GUIDANCE
        fields = {"num_frames": len(control), "fps": fps, "controls": [{"hint": hint, "video": SHOWN}], **SQUARE}
        request = TransferVideo.model_validate({"prompt": prompt, "sampling": sampling, **fields})
        return np.concatenate(list(self._run(request, {hint: control}).frames))

    def foresee(self, prompt: str, start: Pixels, rows: NDArray[np.float32], seed: int) -> Pixels:
        """What is seen when an arm does these rows [n, 8] of joint positions, uint8 [n + 1, height, width, 3]."""
        actions = tuple(tuple(float(value) for value in row) for row in rows)
        request = PredictVideo.model_validate({**self._acting(prompt, seed), "actions": actions})
        return np.concatenate(list(self._run(request, {"start_image": start[None]}).frames))

    def find_actions(self, prompt: str, frames: Pixels, seed: int) -> NDArray[np.float32]:
        """The rows of joint positions between the frames of a clip, float32 [T - 1, 8]."""
        fields = {**self._acting(prompt, seed), "num_actions": len(frames) - 1}
        fields["source_video"] = fields.pop("start_image")
        result = self._run(PredictActions.model_validate(fields), {"source_video": frames})
        assert result.actions is not None
        return result.actions

    def act(self, prompt: str, canvas: Pixels, state: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
        """What to do next, float64 [32, 8], from a robot's canvas and seven joints and the gripper."""
        fields = {
            **self._acting(prompt, seed),
            "sampling": self._sampling(self.effort.policy_steps, 1.0, CLIP_SHIFT, seed),
            "state": tuple(float(value) for value in state),
            "num_actions": POLICY_ROWS,
            "decode_video": False,
        }
        result = self._run(RunPolicy.model_validate(fields), {"start_image": canvas[None]})
        assert result.actions is not None
        return result.actions.astype(np.float64)

    def say(
        self, question: str, max_tokens: int, shown: Pixels | None = None, fps: float = 0.0, schema: Any = None
    ) -> str:
        """The reasoner's likeliest answer, under the studio's system prompt, to words and a picture or a clip.

        Args:
            max_tokens: after which it is cut off: of who never ends, most of the time goes into what counts nothing.
            shown: uint8 [T, height, width, 3]; one frame is a picture.
            fps: of a clip.
            schema: JSON schema that the answer is held to.
        """
        kind = "image" if shown is not None and len(shown) == 1 else "video"
        media = [] if shown is None else [{"type": kind, kind: SHOWN}]
        turns = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": [*media, {"type": "text", "text": question}]},
        ]
        picking = {"max_tokens": max_tokens, "temperature": 0.0, "presence_penalty": 0.0, "seed": 0}
        fields = {"messages": turns, "sampling": picking, "response_schema": schema}
        is_clip = shown is not None and kind == "video"
        request = Reason.model_validate({**fields, "video_fps": VIDEO_FPS if is_clip else None})
        footage = {} if shown is None else {SHOWN: self._footage(request, shown, fps)}
        conversation = self._engine.converse(request, footage)
        while not conversation.done:
            self._engine.decode([conversation])
        return conversation.text

    def _footage(self, request: Reason, shown: Pixels, fps: float) -> Footage:
        if len(shown) == 1:
            return Footage(shown)
        chosen = self._engine.choose_frames(len(shown), fps, request)
        return Footage(shown[list(chosen)], tuple(index / fps for index in chosen))

    def _acting(self, prompt: str, seed: int) -> dict[str, Any]:
        return {
            "prompt": prompt,
            "embodiment": "droid_joint_position",
            "start_image": SHOWN,
            "fps": float(POLICY_FPS),
            "resolution": "256",
            "sampling": self._sampling(self.effort.action_steps, 1.0, CLIP_SHIFT, seed),
        }

    def _sampling(self, num_steps: int, guidance: float, shift: float, seed: int) -> dict[str, Any]:
        how = {"num_inference_steps": num_steps, "guidance_scale": guidance, "flow_shift": shift, "seed": seed}
        return how | {"step_cache": self.effort.step_cache}

    def _run(self, request: Plannable, media: Mapping[str, Pixels] | None = None) -> Result:
        trajectory = self._engine.begin(request, media)
        while not trajectory.done:
            self._engine.step([trajectory])
        return self._engine.finish(trajectory)
