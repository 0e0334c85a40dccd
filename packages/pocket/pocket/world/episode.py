"""What one episode of the tabletop holds: pictures, depth, motion, sound and words, all of one moment of one world.

Everything is a function of (view, seed, settings), so that an episode is never shipped: it is made again. Array names,
shapes and units are the contract between the world and the training.

T frames of height H and width W; N things; lengths in m, angles in rad, times in s from the first frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

View = Literal["still", "clip", "policy", "glance"]
"""What was drawn.

"still": one picture of a table by a free camera, T = 1, no sound. Cheap: nothing is simulated but the settling.
"clip": T frames by a free camera with depth, segmentation and sound.
"policy": a whole task on the robot room's own three cameras, in its canvas at ``POLICY_SIZE`` and 15 frames a second;
    no depth, segmentation or sound.
"glance": the same, drawn at some moments alone: for those who learn what to do next and not what is seen then. A third
    of the time of a "policy".
"""

Skill = Literal["reach", "pick", "place", "push", "stack", "none"]
"""What the arm is asked to do; "none" where it rests."""

Outcome = Literal["succeeded", "missed", "dropped", "unfinished", "none"]
"""How that ended within the run (which may go on behind the last frame). "missed": the fingers closed on nothing, on
purpose of the world; "dropped": the thing was let go in the air; "unfinished": anything else that did not get there."""

EventKind = Literal["reach", "grasp", "lift", "release", "place", "stack", "push", "drop", "miss", "impact", "topple"]
"""reach: the hand arrived at the thing. grasp: both fingers hold it. lift: it left the table. release: the fingers let
go. place: a released thing came to rest in the bowl or on the table. stack: the same on another thing. push: the arm
moved it while not holding it. drop: it left the fingers in the air. miss: the fingers closed on nothing.
impact: something struck something, with sound. topple: it fell over."""

QuestionKind = Literal[
    "count",
    "colour",
    "shape",
    "place",
    "relation",
    "exists",
    "action",
    "outcome",
    "next",
    "boxes",
    "points",
    "intervals",
    "caption",
]
"""What a question is about; the last four are answered in the JSON of the reasoner's tasks (`presets/tasks`)."""

IMAGE_SIZE = (256, 256)
"""(width, height) of stills and clips unless other settings are asked for."""
CLIP_FRAMES = 17
CLIP_FPS = (10, 15, 30)
"""Frame rates that clips are drawn at, the slow ones more often: 17 frames at 10 a second show 1.6 s."""

POLICY_SIZE = (256, 224)
"""(width, height) of `pocket.world.policy_view.POLICY_LAYOUT`: 8×7 tokens of 32 pixels."""
POLICY_FPS = 15
POLICY_ROWS = 32
"""Rows that one answer of the policy has; sample them with ``Robot.chunk_starts``."""

SAMPLES_PER_SECOND = 48_000
"""Of the sound, stereo; the released codec's own rate."""

HELD_OUT_FROM = 1_000_000_000
"""Seeds from here on are for report cards alone and are never trained on."""

ROOM_ID, TABLE_ID, ARM_ID, GRIPPER_ID, FIRST_THING_ID = 0, 1, 2, 3, 10
"""Values of a segmentation; thing i has ``FIRST_THING_ID + i``."""


@dataclass(frozen=True)
class Thing:
    """One thing on the table.

    Attributes:
        colour: one of `robot.simulation.arrangement.COLOURS`.
        shape: "cube", "cylinder", "ball" or "bowl".
        material: "matte", "glossy" or "metal": how it shines, and how it sounds.
        half_size: float32 [3], m, half of its extent along its own axes.
        poses: float32 [T, 7], x y z in m in the frame of the arm's base (x forward, y left, z up), then w x y z.
        boxes: float32 [T, 4], x1 y1 x2 y2 of what is seen of it on a grid of 0 to 1000 (as `studio.prompting` reads
            boxes); all 0 where it is not seen. Of a "policy" view all 0.
        visible: float32 [T], pixels of it that are seen, as a share of the picture.
    """

    colour: str
    shape: str
    material: str
    half_size: NDArray[np.float32]
    poses: NDArray[np.float32]
    boxes: NDArray[np.float32]
    visible: NDArray[np.float32]

    @property
    def name(self) -> str:
        """As in "red cube". In clips and policy views no two share one; a still may have three red cubes."""
        return f"{self.colour} {self.shape}"


@dataclass(frozen=True)
class Event:
    """Something that happened within the frames.

    Attributes:
        start_s, end_s: seconds from the first frame; equal for what takes no time.
        things: indices of the things, the acting one first.
        strength: impulse of an impact in N·s, else 0.
    """

    kind: EventKind
    start_s: float
    end_s: float
    things: tuple[int, ...] = ()
    strength: float = 0.0


@dataclass(frozen=True)
class Task:
    """What the arm was asked to do.

    Attributes:
        thing, destination: indices of things; None where there is none.
        instructions: the same task in varied words of a person, at least four; empty where the arm rests.
    """

    skill: Skill
    outcome: Outcome
    thing: int | None = None
    destination: int | None = None
    instructions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Robot:
    """The arm, at the time of each frame.

    Attributes:
        joint_positions, joint_velocities: float32 [T, 7], rad and rad/s, measured.
        gripper: float32 [T], measured, 0 open to 1 closed.
        hand_positions: float32 [T, 3], m, between the finger pads.
        hand_axes: float32 [T, 3, 3], the hand's axes, one a column (z out of the gripper, y the way that it closes).
        targets: float32 [T, 8]: what the arm is pulled to from this frame on: seven absolute joint positions in rad and
            the gripper, 0 open to 1 closed. In a "policy" view it may be disturbed on purpose.
        expert: float32 [T, 8]: what the skill says in the state of this frame, undisturbed. The rows of a chunk that
            starts at frame t are ``expert[t : t + POLICY_ROWS]``. In a "policy" view alone; elsewhere equal to targets.
        chunk_starts: int64 [n], frames t of a "policy" view whose 32 rows (and t + 32 frames) are all there and clear
            of disturbances; of a "glance" those that are drawn; empty elsewhere.
    """

    joint_positions: NDArray[np.float32]
    joint_velocities: NDArray[np.float32]
    gripper: NDArray[np.float32]
    hand_positions: NDArray[np.float32]
    hand_axes: NDArray[np.float32]
    targets: NDArray[np.float32]
    expert: NDArray[np.float32]
    chunk_starts: NDArray[np.int64]


@dataclass(frozen=True)
class Camera:
    """The free camera, of stills and clips.

    Attributes:
        intrinsics: float32 [3, 3], pixels.
        from_world: float32 [T, 4, 4]: world (base of the arm) to camera; x right, y down, z forward, m.
        motion: as captions say it: "static", "slow pan to the left" …
    """

    intrinsics: NDArray[np.float32]
    from_world: NDArray[np.float32]
    motion: str


@dataclass(frozen=True)
class Surroundings:
    """Table and light, as captions name them.

    Attributes:
        table: as in "a light wooden table".
        lighting: as in "soft even light".
        light_from: "the left", "the right" or "the front", for who looks towards the arm.
    """

    table: str
    lighting: str
    light_from: str


@dataclass(frozen=True)
class Wording:
    """One description of the pictures.

    Attributes:
        detail: "short" names what matters most in one sentence; "plain" a few; "rich" everything.
        prose: as a person would write the prompt.
        caption: the structured caption, one line of JSON as the generator reads it: an ImageCaption of a still, a
            VideoCaption of a clip (`studio.captions`), checked against its schema.
    """

    detail: Literal["short", "plain", "rich"]
    prose: str
    caption: str


@dataclass(frozen=True)
class Question:
    """A question about the pictures and its right answer.

    Attributes:
        answer: a word or a short sentence; JSON for boxes, points, intervals and captions, as the tasks' parsers read.
        wrong: false answers of the same kind, for a chance level; may be empty.
    """

    kind: QuestionKind
    question: str
    answer: str
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Critique:
    """A prompt, and what a critic has to find in the picture for it.

    Attributes:
        prompt: a person's words; true of the picture, or with one or two things changed.
        elements: (element, verdict) with the verdict "present", "partial" or "absent".
        matches: whether everything is present.
        rationale: one sentence.
    """

    prompt: str
    elements: tuple[tuple[str, Literal["present", "partial", "absent"]], ...]
    matches: bool
    rationale: str


@dataclass(frozen=True)
class Episode:
    """One episode.

    Attributes:
        seed: together with ``view`` and the settings it gives the same episode again.
        fps: frames a second; 0 of a still.
        frames: uint8 [T, H, W, 3], RGB; of a "glance" [n, H, W, 3], at its ``chunk_starts``. What else there is of each
            frame a "glance" has of all T, as a "policy" does, and as that it has no camera, depth or segmentation.
        depth: float16 [T, H, W], m along the camera's axis, 0 where nothing is within 4 m; None in a "policy" view.
        segmentation: uint8 [T, H, W] of ``ROOM_ID`` … ``FIRST_THING_ID + i``; None in a "policy" view.
        sound: float16 [2, S], -1 to 1, left and right, S = round(T / fps * 48,000); None but in a "clip".
        things: in no order that means anything.
        events: by their start.
        camera: None in a "policy" view.
        wordings: several, of every detail; empty in a "policy" view.
    """

    seed: int
    view: View
    fps: int
    frames: NDArray[np.uint8]
    depth: NDArray[np.float16] | None
    segmentation: NDArray[np.uint8] | None
    sound: NDArray[np.float16] | None
    things: tuple[Thing, ...]
    robot: Robot
    camera: Camera | None
    task: Task
    events: tuple[Event, ...] = ()
    wordings: tuple[Wording, ...] = ()
    questions: tuple[Question, ...] = field(default=())
    critiques: tuple[Critique, ...] = field(default=())
    surroundings: Surroundings | None = None

    @property
    def duration_s(self) -> float:
        """Of the clip; 0 of a still."""
        return len(self.frames) / self.fps if self.fps else 0.0
