"""What the pocket's policy sees of a robot's canvas: the table close by, twice, and the wrist's view, small.

On the canvas of the released policy (640 x 540 pixels) a cube of 4.5 cm on the table has 5 to 8 pixels in the exterior
views, and shrunk to 256 pixels across it has 2 to 3: too few for colours to survive a VAE. Everything that can be
picked up, on the table or 30 cm above it, is within the 104 x 104 pixels that are cut here from each exterior view.
"""

from __future__ import annotations

from studio.rules.view_layout import Rectangle, View, ViewLayout

POLICY_LAYOUT = ViewLayout(
    canvas=(640, 540),
    size=(256, 224),
    views=(
        View(
            cut=Rectangle(left=132, top=396, width=104, height=104),
            shown=Rectangle(left=0, top=0, width=128, height=128),
        ),
        View(
            cut=Rectangle(left=404, top=396, width=104, height=104),
            shown=Rectangle(left=128, top=0, width=128, height=128),
        ),
        View(
            cut=Rectangle(left=0, top=0, width=640, height=360),
            shown=Rectangle(left=43, top=128, width=170, height=96),
        ),
    ),
)
"""The exteriors above, 1.2 times as large as they come, the wrist below."""
