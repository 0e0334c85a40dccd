"""The places without a form. Each is made of parts, which ask the server themselves and hear the page's sockets.

Nothing on them passes through Python here, so that no order to an arm waits for it; the robot's stop stands in the
served HTML (`frontend.shell`).
"""

# pyright: reportUnknownMemberType=false
# Gradio annotates its own functions only in part.

from __future__ import annotations

import gradio as gr

from frontend import element_ids, parts
from frontend.places import Place


def draw_keeping_page(place: Place) -> None:
    """Draw a place that is one part into the route that is open.

    Args:
        place: its entry in the rail, whose name is also the part's: `library` gives `<o-library>`.
    """
    with gr.Column(elem_id=element_ids.MAIN, elem_classes=["o-page", "o-keeping"]):
        parts.part(f"o-{place.name}", elem_id=element_ids.part(place.name, "page"), elem_classes=["o-fill"])


def draw_robot_page(place: Place) -> None:
    """Draw the robot's place into the route that is open: what the policy sees, what the joints do, who is in control.

    Args:
        place: its entry in the rail.
    """

    def draw(name: str, *elem_classes: str) -> None:
        parts.part(f"o-robot-{name}", elem_id=element_ids.part(place.name, name), elem_classes=elem_classes)

    with gr.Column(elem_id=element_ids.MAIN, elem_classes=["o-page"]), gr.Row(elem_classes=["o-cockpit"]):
        with gr.Column(elem_classes=["o-a-task"]):
            draw("task")
        with gr.Column(elem_classes=["o-a-view"]):
            draw("view")
            draw("fan")
            draw("panel", "o-fill")
        with gr.Column(elem_classes=["o-a-joints"]):
            draw("joints", "o-fill")
        with gr.Column(elem_classes=["o-a-side"]):
            draw("standing")
            draw("control")
            draw("figures")
            draw("pace")
            draw("scene")
