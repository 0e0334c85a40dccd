"""Importing Gradio without the type stubs that it writes beside its own sources, every time, in every process.

They are for its developers and take half of its import: 1.7 of 3.5 s on two cores. It leaves them out for a component
whose file cannot be told (`gradio.component_meta.create_or_modify_pyi`), so for the moment of the import none can.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any


def import_gradio() -> None:
    """Import Gradio, before anybody in this room does."""
    getfile = inspect.getfile

    def untold(of: Any) -> str:
        if isinstance(of, type) and of.__module__.startswith("gradio."):
            raise OSError("the file is not told while Gradio is imported")
        return getfile(of)

    inspect.getfile = untold
    try:
        importlib.import_module("gradio")
    finally:
        inspect.getfile = getfile
