"""The pages that keep: library, queue, checkpoints and the questions to the reasoner.

Each is one part, which asks the server itself and hears the page's socket; nothing on it passes through Python here.
"""

# pyright: reportUnknownMemberType=false
# Gradio annotates its own functions only in part.

from __future__ import annotations

import gradio as gr

from frontend import element_ids, parts
from frontend.places import Place


def draw_keeping_page(place: Place) -> None:
    """Draw it into the route that is open.

    Args:
        place: its entry in the rail, whose name is also the part's: `library` gives `<o-library>`.
    """
    with gr.Column(elem_id=element_ids.MAIN, elem_classes=["o-page", "o-keeping"]):
        parts.part(f"o-{place.name}", elem_id=element_ids.part(place.name, "page"), elem_classes=["o-fill"])
