"""Where in a JSON text one is, read byte by byte."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Place:
    """Where in a JSON text one is.

    Attributes:
        open: the brackets that are open, as in `{[`.
        in_string: behind its first quote.
        escaped: behind a backslash.
        awaits_key: in an object, before or in a key.
        key: what of that key is there.
    """

    open: bytes = b""
    in_string: bool = False
    escaped: bool = False
    awaits_key: bool = False
    key: bytes = b""

    def after(self, text: bytes) -> Place:
        """The place behind more text."""
        place = self
        for value in text:
            place = place._step(value)
        return place

    def _step(self, value: int) -> Place:
        if self.in_string:
            key = self.key + bytes([value]) if self.awaits_key else b""
            if self.escaped:
                return replace(self, escaped=False, key=key)
            if value == ord('"'):
                return replace(self, in_string=False, key=b"")
            return replace(self, escaped=value == ord("\\"), key=key)
        match chr(value):
            case '"':
                return replace(self, in_string=True)
            case "{" | "[":
                return Place(self.open + bytes([value]), awaits_key=value == ord("{"))
            case "}" | "]":
                return Place(self.open[:-1])
            case ",":
                return replace(self, awaits_key=self.open.endswith(b"{"))
            case ":":
                return replace(self, awaits_key=False)
            case _:
                return self
