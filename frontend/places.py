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
        kind: the request that its form makes; empty for a place that is no page of ours.
    """

    name: str
    group: str
    title: str
    path: str
    icon: str
    kind: str = ""


IMAGE = Place("image", "Make", "Image", "/", "image", "generate_image")
API = Place("api", "System", "API", "/docs", "braces")

PLACES: tuple[Place, ...] = (IMAGE, API)
