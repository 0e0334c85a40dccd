"""Gradio is imported without writing beside its sources."""

import subprocess
import sys

PROBE = """
import inspect, pathlib
getfile = inspect.getfile
written = []
write_text = pathlib.Path.write_text
pathlib.Path.write_text = lambda path, *rest, **more: written.append(path) or write_text(path, *rest, **more)
import frontend
import gradio
print(written, inspect.getfile is getfile, gradio.Textbox.__name__)
"""


def test_no_stub_is_written_and_nothing_stays_changed():
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.strip() == "[] True Textbox"
