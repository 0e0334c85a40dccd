"""What a world is furnished with: which things there are, of what, and how room and light look."""

from __future__ import annotations

from dataclasses import dataclass

from robot.objects import Shape
from robot.simulation.arrangement import HALF_SIZES, SLOTS

Colour = tuple[float, float, float]

MASSES_KG: dict[Shape, float] = {"cube": 0.06, "cylinder": 0.06, "ball": 0.05, "bowl": 0.12}


@dataclass(frozen=True)
class ThingKind:
    """One thing, but for its colour and its place.

    Attributes:
        half_size: m, half of its extent along its own axes.
        specular, shininess: 0 to 1, as MuJoCo's materials have them; None leaves the thing without a material.
    """

    shape: Shape
    half_size: tuple[float, float, float]
    mass_kg: float
    specular: float | None = None
    shininess: float = 0.5


@dataclass(frozen=True)
class Light:
    """A light from far away.

    Attributes:
        direction: that it shines in.
        brightness: 0 to 1.
        casts_shadow: drawn where the renderer draws shadows.
    """

    direction: tuple[float, float, float]
    brightness: float
    casts_shadow: bool = False
    specular: float = 0.05


@dataclass(frozen=True)
class Look:
    """Room and light.

    Attributes:
        ambient, headlight: 0 to 1, light from everywhere and from the camera.
    """

    table: Colour = (0.66, 0.56, 0.44)
    floor: Colour = (0.55, 0.56, 0.58)
    wall: Colour = (0.80, 0.81, 0.82)
    lights: tuple[Light, ...] = (Light((0.3, -0.4, -1.0), 0.42), Light((-0.5, 0.6, -0.6), 0.2))
    ambient: float = 0.34
    headlight: float = 0.16


DEFAULT_LOOK = Look()

DEFAULT_THINGS = tuple(ThingKind(shape, HALF_SIZES[shape], MASSES_KG[shape]) for shape in SLOTS)
"""What the bridge's table holds."""
