"""The simulated cameras: three views of a simulated world, drawn on a thread of their own or when asked."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from robot.clock import Clock, MonotonicClock, Pace
from robot.faults import CameraLost, NotInstalled
from robot.observation import EXTERIOR_SIZE, ROWS_PER_SECOND, WRIST_SIZE, Views
from robot.simulation.library import GRAPHICS
from robot.simulation.renderer import CanvasRenderer
from robot.simulation.world import World

STALE_AFTER_S = 1.0
FIRST_PICTURE_TIMEOUT_S = 20.0
"""OpenGL may compile its shaders first."""


class SimulatedCameras:
    """`Cameras` that draw the world fifteen times a second.

    Args:
        world: what they look at.
        clock: the world's.

    Raises:
        NotInstalled: there is no OpenGL; the message names the packages.
        CameraLost: the first picture did not come.
    """

    def __init__(self, world: World, clock: Clock | None = None) -> None:
        if not GRAPHICS.can_draw:
            raise NotInstalled(GRAPHICS.problem)
        self._world = world
        self._clock = clock or MonotonicClock()
        self._newest: Views | None = None
        self._has_begun = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._draw_on, name="simulated-cameras", daemon=True)
        self._thread.start()
        if not self._has_begun.wait(FIRST_PICTURE_TIMEOUT_S) or self._newest is None:
            self.close()
            raise CameraLost("The simulated cameras did not render an image.", hint="See the log for OpenGL's error.")

    def views(self) -> Views:
        """The newest pictures.

        Raises:
            CameraLost: they are older than a second.
        """
        views = self._newest
        assert views is not None
        age_s = self._clock.now() - views.captured_at_s
        if age_s > STALE_AFTER_S:
            raise CameraLost(
                f"The simulated cameras' images are {age_s:.1f} s old; expected {STALE_AFTER_S:.0f} s at most.",
                hint="The machine may be overloaded. If not, restart the robot program.",
            )
        return views

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        self._thread.join(timeout=5.0)

    def _draw_on(self) -> None:
        try:
            renderer = CanvasRenderer(self._world.scene)
            pace = Pace(self._clock, 1 / ROWS_PER_SECOND)
            drawn = self._world.snapshot()
            views = draw_views(renderer, self._world)
            while not self._closing.is_set():
                self._newest = views
                self._has_begun.set()
                pace.wait(self._closing)
                snapshot = self._world.snapshot()
                if snapshot is drawn:  # a world that stands still looks as it looked
                    views = replace(views, captured_at_s=self._world.moment_s(snapshot))
                else:
                    views, drawn = draw_views(renderer, self._world), snapshot
            renderer.close()
        finally:
            self._has_begun.set()


class SteppedCameras:
    """`Cameras` that draw when they are asked, on the thread that asks: for a world that is stepped by hand."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._renderer = CanvasRenderer(world.scene)

    def views(self) -> Views:
        """The world as it is."""
        return draw_views(self._renderer, self._world)

    def close(self) -> None:
        """Give OpenGL back, on the thread that drew."""
        self._renderer.close()


def draw_views(renderer: CanvasRenderer, world: World) -> Views:
    """The three pictures of the world's newest moment."""
    snapshot = world.snapshot()
    return split_canvas(renderer.draw(snapshot), captured_at_s=world.moment_s(snapshot))


def split_canvas(canvas: NDArray[np.uint8], captured_at_s: float) -> Views:
    """The three views of a canvas, uint8 [540, 640, 3], as views into it."""
    assert canvas.shape == (WRIST_SIZE[1] + EXTERIOR_SIZE[1], WRIST_SIZE[0], 3), canvas.shape
    below = canvas[WRIST_SIZE[1] :]
    return Views(
        captured_at_s=captured_at_s,
        wrist=canvas[: WRIST_SIZE[1]],
        exterior_1=below[:, : EXTERIOR_SIZE[0]],
        exterior_2=below[:, EXTERIOR_SIZE[0] :],
    )
