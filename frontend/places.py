"""The places of the studio, as the rail lists them. A place is listed on the day it exists."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """One entry of the rail.

    Attributes:
        name: also the prefix of the page's element ids.
        group: the heading it stands under.
        title: as read.
        path: on this server.
        icon: a name in `frontend.icons`.
        kind: the request that its form makes; empty for a place without one.
        script: the module that the page begins with, in `frontend/static`.
    """

    name: str
    group: str
    title: str
    path: str
    icon: str
    kind: str = ""
    script: str = "orrery.js"


IMAGE = Place("image", "Make", "Image", "/", "image", "generate_image")
ROBOT = Place("robot", "Act", "Robot", "/robot", "robot", script="robot.js")
API = Place("api", "System", "API", "/docs", "braces")

PLACES: tuple[Place, ...] = (IMAGE, ROBOT, API)
