"""What the demonstrations share: where they run, how much of it, and a world with one colour more."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pocket.world.reading import HUES
from robot.simulation.arrangement import COLOURS
from studio.tuning import Recipe, Saved, Stepped, TuningEvent, TuningWork
from tuning_process import train

NEW = "cyan"
"""A colour that the pocket has not seen: between its green and its blue, where its reader of pictures knows none."""

NEW_RGB, NEW_HUES = (0.05, 0.70, 0.78), (175.0, 195.0)


@dataclass(frozen=True)
class Setting:
    """Where and how much.

    Attributes:
        checkpoint: the pocket's folder.
        out: where curves and pictures go.
        scratch: for what is of no more use afterwards.
        steps, learning_rate: of the training; none is the demonstration's own.
        asked: how many are tried at each save.
    """

    checkpoint: Path
    out: Path
    scratch: Path
    device: str
    asked: int
    steps: int | None = None
    learning_rate: float | None = None

    def how(self, **own: float) -> dict[str, float]:
        """Fields of `Optimisation`: the demonstration's own, and what was asked for in their place."""
        asked = {"steps": self.steps, "learning_rate": self.learning_rate}
        how = own | {name: value for name, value in asked.items() if value is not None}
        return how | {"save_every": min(own["save_every"], how["steps"])}

    def train(self, recipe: Recipe, data: dict[str, Path], told: Callable[[str], None]) -> list[tuple[int, Path]]:
        """Train in a process of its own; returns each save's step and folder."""
        out = self.scratch / "tuned" / recipe.name
        saves: list[tuple[int, Path]] = []

        def tell(event: TuningEvent) -> None:
            match event:
                case Stepped():
                    told(f"step {event.step}: loss {event.loss:.4f}, {event.seconds_per_step:.2f} s a step")
                case Saved():
                    saves.append((event.step, out / event.folder))
                case _:
                    pass

        work = TuningWork(
            recipe=recipe,
            checkpoint=self.checkpoint,
            data=data,
            out=out,
            cache=self.scratch / "latents",
            device=self.device,
        )
        train(work, tell)
        (self.out / f"{recipe.name}_losses.jsonl").write_text(_losses(out / "curves.jsonl"))
        return saves


def _losses(path: Path) -> str:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return "".join(
        json.dumps({name: line[name] for name in ("step", "loss", "seconds_per_step")}) + "\n" for line in lines
    )


def add_colour() -> None:
    """Let the world of this process have `NEW` too, and its reader of pictures know it."""
    COLOURS[NEW], HUES[NEW] = NEW_RGB, NEW_HUES
