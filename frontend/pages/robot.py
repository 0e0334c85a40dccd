"""The robot page: what the policy sees, what the joints do, who is in control and what may be ordered.

Everything on it is a part that hears the robot's own socket; no order passes through Python here, so that none waits
for it. The stop stands in the served HTML (`frontend.shell`).
"""

# pyright: reportUnknownMemberType=false
# Gradio annotates its own functions only in part.

from __future__ import annotations

import gradio as gr

from frontend import element_ids, parts
from frontend.places import Place


def draw_robot_page(place: Place) -> None:
    """Draw it into the route that is open.

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
            draw("panel", "o-fill")
        with gr.Column(elem_classes=["o-a-joints"]):
            draw("joints", "o-fill")
        with gr.Column(elem_classes=["o-a-side"]):
            draw("standing")
            draw("control")
            draw("figures")
            draw("pace")
            draw("scene")
