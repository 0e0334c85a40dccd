"""The image page: a picture from a prompt."""

from __future__ import annotations

from frontend.panel import Panel
from frontend.places import IMAGE
from studio.requests import GenerateImage

IMAGE_PANEL = Panel(IMAGE, GenerateImage)
