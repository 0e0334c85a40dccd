"""From recordings to windows: a frame more than actions, the state before them, and what is left out and why."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.media.clip_reader import stream_frames
from backend.media.timeline import Timeline, read_timeline
from engine.planning.action import Fit
from robot.faults import BrokenEpisode
from studio.errors import BadInput
from studio.requests.embodiments import EmbodimentName
from studio.rules.view_layout import ViewLayout
from studio.tuning import PolicyRecipe
from tuning.left_out import Drops
from tuning.policy.columns import RATE_TOLERANCE, Columns, compose, rows_of
from tuning.policy.lerobot import Episode, LeRobotSet, ViewFile
from tuning.sources import Sources

IDLE_SHARE = 0.02
"""Of what a value of the state moves through in all of the data: a window in which none moves further is idle."""

_timeline = lru_cache(maxsize=64)(read_timeline)


@dataclass(frozen=True, eq=False)
class View:
    """Frames of one view.

    Attributes:
        indexes: of the file, one for each row.
    """

    file: ViewFile
    indexes: tuple[int, ...]

    def cut(self, first: int, count: int) -> View:
        """So many of them."""
        return View(self.file, self.indexes[first : first + count])


@dataclass(frozen=True, eq=False)
class Window:
    """What one sequence is made of.

    Attributes:
        name: episode and frames, for people.
        text: the instruction.
        embodiment: decides how views are composed.
        views: of all its frames.
        layout: the checkpoint's own of the composed views.
        fitted: how they lie in the canvas.
        fps: of frames and rows.
        state: float64 [width], of the body; none where its policy is given none.
        actions: float64 [n, width].
    """

    name: str
    text: str
    embodiment: EmbodimentName
    views: tuple[View, ...]
    layout: ViewLayout | None
    fitted: Fit
    fps: float
    state: NDArray[np.float64] | None
    actions: NDArray[np.float64]

    def identity(self, sources: Sources) -> dict[str, object]:
        """Files, frames, and how they are put together."""
        return {
            "views": [(sources.hash(view.file.path), view.indexes) for view in self.views],
            "embodiment": self.embodiment,
            "layout": self.layout.model_dump() if self.layout else None,
            "fitted": (self.fitted.canvas, self.fitted.content),
        }

    def frames(self) -> NDArray[np.uint8]:
        """What the policy sees, uint8 [n + 1, height, width, 3]; all but the first is what it foresees.

        Raises:
            BadInput: a file cannot be decoded, or has changed.
        """
        return _composed(self.embodiment, self.views, self.layout)


def _composed(name: EmbodimentName, views: Sequence[View], layout: ViewLayout | None) -> NDArray[np.uint8]:
    streams = [stream_frames(view.file.path, _timeline(view.file.path), view.indexes, param="data") for view in views]
    frames = np.stack([compose(name, moment) for moment in zip(*streams, strict=True)])
    return layout.arranged(frames) if layout is not None and layout.takes(frames) else frames


@dataclass(frozen=True)
class Recordings:
    """What of a data set is trained on.

    Attributes:
        windows: of all episodes, in their order.
        rows: float64 [n, width], every action of episodes that are kept.
        files: that these episodes are read from.
    """

    windows: tuple[Window, ...]
    rows: NDArray[np.float64]
    files: tuple[Path, ...]


class WindowFinder:
    """Cuts a data set into windows.

    Args:
        layout: the checkpoint's own of the composed views.
        fit: of a frame's (width, height).
    """

    def __init__(
        self,
        data: LeRobotSet,
        columns: Columns,
        recipe: PolicyRecipe,
        name: EmbodimentName,
        layout: ViewLayout | None,
        fit: Callable[[int, int], Fit],
        drops: Drops,
    ) -> None:
        self._data, self._columns, self._recipe, self._name = data, columns, recipe, name
        self._layout, self._fit, self._drops = layout, fit, drops

    def find(self, told: Callable[[int], None]) -> Recordings:
        """Every window that can be trained on; all else is counted.

        Args:
            told: how many episodes have been looked at.
        """
        episodes: list[tuple[Episode, NDArray[np.float64], NDArray[np.float64] | None, tuple[View, ...]]] = []
        names = [*self._columns.actions, *self._columns.state]
        for done, line in enumerate(self._data.lines):
            told(done)
            try:
                episode = self._data.episode(line, names, self._columns.views)
                if (usable := self._usable(episode)) is not None:
                    episodes.append((episode, *usable, self._views(episode)))
            except (BadInput, BrokenEpisode) as error:
                self._drops.add("unreadable", f"It cannot be read: {error.message}", _title(line.episode_index))
        if not episodes:
            return Recordings((), np.empty((0, 0)), ())
        moved = [state if state is not None else actions for _, actions, state, _ in episodes]
        spans = np.ptp(np.concatenate(moved), axis=0)
        windows = [
            window
            for (episode, actions, state, views), positions in zip(episodes, moved, strict=True)
            for window in self._cut(episode, actions, state, views, positions, spans)
        ]
        rows = np.concatenate([actions for _, actions, _, _ in episodes])
        files = [path for one, *_, views in episodes for path in (one.data, *(view.file.path for view in views))]
        return Recordings(tuple(windows), rows, tuple(dict.fromkeys(files)))

    def _usable(self, episode: Episode) -> tuple[NDArray[np.float64], NDArray[np.float64] | None] | None:
        """Actions and state of an episode; none where it is left out."""
        title = _title(episode.index)
        actions = rows_of(episode, self._columns.actions)
        state = rows_of(episode, self._columns.state)
        width = sum(self._data.info.features[name].width for name in self._columns.actions)
        if actions is None or (self._columns.state and state is None):
            self._drops.add("columns_missing", "Its table lacks a column that the data set announces.", title)
        elif actions.shape[1] != width:
            self._drops.add("other_width", f"Its actions have {actions.shape[1]} values, not {width}.", title)
        elif not np.isfinite(actions).all() or (state is not None and not np.isfinite(state).all()):
            self._drops.add("not_finite", "An action or a state is not a finite number.", title)
        elif not episode.task.strip():
            self._drops.add("no_task", "It has no instruction.", title)
        elif episode.success is False:
            self._drops.add("failed", "It was marked as a failure.", title)
        elif episode.watched:
            self._drops.add("only_watched", "The policy only watched; what moved the arm is not recorded.", title)
        elif episode.length <= self._recipe.num_actions:
            self._drops.add("too_short", f"It has fewer than {self._recipe.num_actions + 1} frames.", title)
        else:
            return actions, state
        return None

    def _views(self, episode: Episode) -> tuple[View, ...]:
        """All frames of an episode.

        Raises:
            BadInput: a video cannot be read, is of another rate than the rows, or ends before them.
        """
        found: list[View] = []
        for name in self._columns.views:
            file = episode.views[name]
            if not file.path.is_file():
                raise BadInput(f"{file.path.name} of {name} is missing.", param="data")
            timeline = _timeline(file.path)
            rate = float(timeline.mean_rate)
            if abs(rate / self._data.info.fps - 1) > RATE_TOLERANCE and len(timeline.ticks) > 1:
                raise BadInput(
                    f"{name} has {rate:.2f} frames a second, and the rows {self._data.info.fps:g}.", param="data"
                )
            indexes = tuple(_shown(timeline, file.begins_s, episode.length, self._data.info.fps))
            if indexes[-1] >= len(timeline.ticks):
                raise BadInput(f"{name} ends before the rows do.", param="data")
            found.append(View(file, indexes))
        return tuple(found)

    def _cut(
        self,
        episode: Episode,
        actions: NDArray[np.float64],
        state: NDArray[np.float64] | None,
        views: tuple[View, ...],
        positions: NDArray[np.float64],
        spans: NDArray[np.float64],
    ) -> Iterator[Window]:
        length = self._recipe.num_actions
        height, width = _composed(self._name, [view.cut(0, 1) for view in views], self._layout).shape[1:3]
        fitted = self._fit(width, height)
        for first in range(0, episode.length - length, self._recipe.stride):
            name = f"{_title(episode.index)}, frames {first}-{first + length}"
            if episode.keeps is not None and not any(a <= first and first + length < end for a, end in episode.keeps):
                self._drops.add("outside_keep_ranges", "It is outside the ranges of meta/keep_ranges.json.", name)
                continue
            moves = np.ptp(positions[first : first + length + 1], axis=0)
            if self._recipe.leaves_out_idle and bool((moves <= IDLE_SHARE * spans).all()):
                self._drops.add("idle", f"No value moves by {IDLE_SHARE:.0%} of what it does in all of the data.", name)
                continue
            yield Window(
                name=name,
                text=episode.task.strip(),
                embodiment=self._name,
                views=tuple(view.cut(first, length + 1) for view in views),
                layout=self._layout,
                fitted=fitted,
                fps=self._data.info.fps,
                state=None if state is None else state[first],
                actions=actions[first : first + length],
            )


def _title(index: int) -> str:
    return f"episode {index}"


def _shown(timeline: Timeline, begins_s: float, length: int, fps: float) -> Iterator[int]:
    """Frames of a file at the rows' times, the nearest of each."""
    rate = Fraction(fps).limit_denominator(1001)
    for row in range(length):
        tick = timeline.ticks[0] + (Fraction(begins_s).limit_denominator(10**6) + row / rate) / timeline.time_base
        # Half a frame earlier is nearer to this one than to the one before.
        yield bisect_left(timeline.ticks, tick - Fraction(1, 2) / rate / timeline.time_base)
