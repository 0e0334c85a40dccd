"""`python -m pocket.world --seed 3 --out folder`: look at an episode.

`--speed` measures how many a second there are, `--reading` how often the reader of pictures is right, `--fit` fits it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pocket.world.episode import HELD_OUT_FROM
from pocket.world.making import Settings, make_episode
from pocket.world.outline_fitting import fit_shapes, measure_reading
from pocket.world.previewing import write_preview
from pocket.world.streaming import episodes, measure_speed
from studio.errors import StudioError


def main() -> int:
    """Run the program. 0 when it is done, 1 when nothing can be drawn."""
    parser = argparse.ArgumentParser(prog="python -m pocket.world", description="Episodes of the pocket world.")
    parser.add_argument("--view", choices=("still", "clip", "policy"), default="clip")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--frames", type=int, default=Settings().num_frames, help="frames per video (default: %(default)s)"
    )
    parser.add_argument(
        "--fps", type=int, choices=(10, 15, 30), default=None, help="frame rate of videos (default: drawn by seed)"
    )
    parser.add_argument("--plain-arm", action="store_true", help="the arm of plain shapes")
    parser.add_argument("--out", type=Path, default=Path("episode"), help="folder to write to (default: %(default)s)")
    parser.add_argument("--speed", action="store_true", help="measure stills, videos, runs and tables per second")
    parser.add_argument("--seconds", type=float, default=10.0, help="of --speed, for each kind (default: 10)")
    parser.add_argument("--reading", type=int, metavar="N", help="how often the reader is right on N held-out stills")
    parser.add_argument("--fit", type=int, metavar="N", help="print weights of the shape reader, fitted on N stills")
    parser.add_argument("--workers", type=int, default=1, help="processes of --speed, --fit and --reading (default: 1)")
    said = parser.parse_args()
    settings = Settings(num_frames=said.frames, fps=said.fps, plain_arm=said.plain_arm)
    try:
        if said.fit or said.reading:
            first = said.seed if said.fit else HELD_OUT_FROM + said.seed
            stills = episodes("still", range(first, first + (said.fit or said.reading)), settings, said.workers)
            pictures = ((still.frames[0], still.things) for still in stills)
            sys.stdout.write((fit_shapes if said.fit else measure_reading)(pictures) + "\n")
        elif said.speed:
            sys.stdout.write(measure_speed(said.workers, said.seconds) + "\n")
        else:
            for path in write_preview(make_episode(said.view, said.seed, settings), said.out):
                sys.stdout.write(f"{path}\n")
    except StudioError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
