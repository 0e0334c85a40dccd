"""From recordings to windows: a frame more than actions, the state before them, and what is left out and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.planning.action import Fit
from robot.faults import BrokenEpisode
from studio.errors import BadInput
from studio.requests.embodiments import EMBODIMENTS, EmbodimentName
from studio.rules.view_layout import ViewLayout
from studio.tuning import PolicyRecipe
from tuning.left_out import Drops
from tuning.policy.columns import Columns, compose, rows_of
from tuning.policy.lerobot import Episode, LeRobotSet, View
from tuning.sources import Sources

IDLE_SHARE = 0.02
"""Of what a value of the state moves through in all of the data: a window in which none moves further is idle."""


@dataclass(frozen=True, eq=False)
class PolicyWindow:
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
            "views": [view.identity(sources) for view in self.views],
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
    streams = [view.frames() for view in views]
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

    windows: tuple[PolicyWindow, ...]
    rows: NDArray[np.float64]
    files: tuple[Path, ...]


@dataclass(frozen=True)
class _Kept:
    """An episode that is trained on.

    Attributes:
        actions: float64 [n, width].
        state: the same of the state; none of a set without one.
        views: all frames of the episode.
        fitted: how they lie in the canvas.
    """

    episode: Episode
    actions: NDArray[np.float64]
    state: NDArray[np.float64] | None
    views: tuple[View, ...]
    fitted: Fit

    @property
    def positions(self) -> NDArray[np.float64]:
        """What says whether the arm moves: the state, else the actions."""
        return self.actions if self.state is None else self.state


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
        layout: ViewLayout | None,
        fit: Callable[[int, int], Fit],
        drops: Drops,
    ) -> None:
        self._data, self._columns, self._recipe = data, columns, recipe
        self._name: EmbodimentName = recipe.embodiment
        self._layout, self._fit, self._drops = layout, fit, drops

    def find(self, told: Callable[[int], None]) -> Recordings:
        """Every window that can be trained on; all else is counted.

        Args:
            told: how many episodes have been looked at.
        """
        kept: list[_Kept] = []
        names = [*self._columns.actions, *self._columns.state]
        for done, line in enumerate(self._data.lines):
            told(done)
            try:
                one = self._usable(self._data.episode(line, names, self._columns.views))
            except (BadInput, BrokenEpisode) as error:
                self._drops.add("unreadable", f"It cannot be read: {error.message}", _title(line.episode_index))
            else:
                kept += [] if one is None else [one]
        if not kept:
            return Recordings((), np.empty((0, 0)), ())
        spans = np.ptp(np.concatenate([one.positions for one in kept]), axis=0)
        windows = tuple(window for one in kept for window in self._cut(one, spans))
        files = [path for one in kept for path in (one.episode.data, *(view.path for view in one.views))]
        return Recordings(windows, np.concatenate([one.actions for one in kept]), tuple(dict.fromkeys(files)))

    def _usable(self, episode: Episode) -> _Kept | None:
        """What is kept of an episode; none where it is left out. Raises BadInput, a view cannot be read."""
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
            views = tuple(episode.views[name] for name in self._columns.views)
            for view in views:
                view.check()
            frames = _composed(self._name, [view.cut(0, 1) for view in views], self._layout)
            return _Kept(episode, actions, state, views, self._fit(frames.shape[2], frames.shape[1]))
        return None

    def _cut(self, kept: _Kept, spans: NDArray[np.float64]) -> Iterator[PolicyWindow]:
        length, episode = self._recipe.num_actions, kept.episode
        has_state = bool(EMBODIMENTS[self._name].state_width)
        for first in range(0, episode.length - length, self._recipe.stride):
            name = f"{_title(episode.index)}, frames {first}-{first + length}"
            if episode.keeps is not None and not any(a <= first and first + length < end for a, end in episode.keeps):
                self._drops.add("outside_keep_ranges", "It is outside the ranges of meta/keep_ranges.json.", name)
                continue
            moves = np.ptp(kept.positions[first : first + length + 1], axis=0)
            if self._recipe.leaves_out_idle and bool((moves <= IDLE_SHARE * spans).all()):
                self._drops.add("idle", f"No value moves by {IDLE_SHARE:.0%} of what it does in all of the data.", name)
                continue
            yield PolicyWindow(
                name=name,
                text=episode.task.strip(),
                embodiment=self._name,
                views=tuple(view.cut(first, length + 1) for view in kept.views),
                layout=self._layout,
                fitted=kept.fitted,
                fps=self._data.info.fps,
                state=kept.state[first] if kept.state is not None and has_state else None,
                actions=kept.actions[first : first + length],
            )


def _title(index: int) -> str:
    return f"episode {index}"
