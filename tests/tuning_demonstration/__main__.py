"""Three trainings of the pocket, shown: `python -m tuning_demonstration colours|questions|policy`.

Each begins with what the pocket does not know, trains by `python -m tuning` as the server does, and has the ordinary
engine show what has changed at every save. Curves (JSON lines and SVG) and pictures are written to --out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import presets
from tuning_demonstration import colours, policy, questions
from tuning_demonstration.setting import Setting

ASKED = {"colours": 50, "questions": 100, "policy": 40}
"""How many are tried at each save."""


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=ASKED)
    parser.add_argument("--out", type=Path, default=Path("docs/tuning"))
    parser.add_argument("--checkpoint", type=Path, default=Path(presets.__file__).parent / "pocket")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--kind", choices=questions.KINDS, default="outermost", help="of questions")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--asked", type=int, help="how many are tried at each save")
    said = parser.parse_args()
    said.out.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()

    def say(words: str) -> None:
        sys.stderr.write(f"{time.monotonic() - begun:6.0f} s  {words}\n")

    for name in said.names:
        with tempfile.TemporaryDirectory() as scratch:
            setting = Setting(
                said.checkpoint,
                said.out,
                Path(scratch),
                said.device,
                said.asked or ASKED[name],
                said.steps,
                said.learning_rate,
            )
            match name:
                case "colours":
                    found = colours.demonstrate(setting, say)
                case "questions":
                    found = questions.demonstrate(setting, say, said.kind)
                case _:
                    found = policy.demonstrate(setting, say)
        (said.out / f"{name}.md").write_text(found)
        sys.stdout.write(f"{name}\n\n{found}\n")


if __name__ == "__main__":
    main()
