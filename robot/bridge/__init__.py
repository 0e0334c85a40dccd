"""Between a station and the server where people sit: messages, commands, pictures and files over websockets."""

from robot.bridge.bridge import Bridge

__all__ = ["Bridge"]
