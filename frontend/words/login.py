"""What the login page says."""

from __future__ import annotations

TITLE = "Orrery: log in"
TOKEN = "Token of this server"
WRONG = "That is not the token."
ENTER = "Log in"
