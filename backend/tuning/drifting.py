"""What training all of a reasoner does to images: the generator reads its keys and values, so they change."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from backend.comparisons.likeness import likeness
from backend.jobs.promised import PromisedJobs
from backend.media import DECODERS, MediaStore, run_apart
from studio.tuning.tunings import PictureDrift, Tuning, TuningSave

PROMPT = "A red cup and a blue bowl on a wooden table in daylight, photographed from above."
SEED = 0


class DriftMeasuring:
    """Has one image made by the checkpoint that a tuning began with and by a save, and measures how alike they are."""

    def __init__(self, jobs: PromisedJobs, store: MediaStore) -> None:
        self._jobs = jobs
        self._store = store

    async def measure(self, tuning: Tuning, save: TuningSave) -> TuningSave:
        """The save with its drift; unchanged where the reasoner that images are made with has stayed as it was.

        Raises:
            StudioError: why an image could not be made.
        """
        if tuning.recipe.task != "reasoner" or save.makes != "checkpoint":
            return save
        before = await self._picture(tuning, tuning.recipe.checkpoint)
        after = await self._picture(tuning, save.name)
        paths = self._store.file(after), self._store.file(before)
        measured = await DECODERS.beside(lambda: _psnr_db(*paths))
        return save.model_copy(update={"drift": PictureDrift(before=before, after=after, psnr_db=measured)})

    async def _picture(self, tuning: Tuning, checkpoint: str) -> str:
        """Its id. The job's follows from tuning and checkpoint, so that what was made once is found again."""
        job_id = hashlib.sha256(json.dumps((tuning.id, "drift", checkpoint)).encode()).hexdigest()[:12]
        asked = {"kind": "generate_image", "prompt": PROMPT, "checkpoint": checkpoint, "sampling": {"seed": SEED}}
        return (await self._jobs.succeeded(job_id, asked, priority="low")).results[0].id


def _psnr_db(made: Path, against: Path) -> float:
    measured = run_apart(likeness, made, against, ()).figure("psnr_db")
    assert measured is not None, "both are images of one size"
    return round(measured, 2)
