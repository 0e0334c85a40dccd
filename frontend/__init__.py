"""The page: forms, stage and strip. It draws what the public API says and asks it for everything; it holds no state."""

from frontend.gradio_import import import_gradio

import_gradio()
