"""One arm with everything about it: what it is made of, its self-test, how well its loop keeps time."""

from robot.station.station import Station

__all__ = ["Station"]
