"""Runs a study on a server, written down after every step, so that a killed one is gone on with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from studio.captions.caption_files import write_text
from studio.client import StudioClient
from studio.errors import BadInput, EngineError, RefinementNotFound, ServerUnreachable, StudioError, Unauthorized
from studio.jobs import Failure
from studio.refine_study.report import contrasts_of, markdown_of
from studio.refine_study.trials import Picture, Plan, Spent, Study, Trial
from studio.refinements import Refinement, RefinementNode
from studio.requests.refine_image import MAX_CANDIDATES

STATE, REPORT = "study.json", "study.md"
SEED_STRIDE = 100
"""Between the seeds of two prompts: the candidates of one never share a seed with the next one's."""
AT_ONCE = 2
"""Loops at a time: the generator works on one while the other's picture is judged or its prompt rewritten."""
LOOK_S = 0.5
"""Between two looks at a loop whose rounds take seconds."""

_END_IT = (ServerUnreachable, Unauthorized)
"""What would happen to every further prompt too."""


@dataclass(frozen=True)
class Rules:
    """Who says by rule what a picture follows.

    Attributes:
        words: what they are, for the report.
        headline: the mark that answers whether refining helps.
        marks: of a prompt's index and a picture's PNG; always the same names.
    """

    words: str
    headline: str
    marks: Callable[[int, bytes], Mapping[str, bool]]


class StudyRun:
    """One study in one folder, which the caller holds alone.

    Args:
        folder: where `study.json` (plan, trials, figures) and `study.md` are kept; what is there is gone on with.
        rules: must be those that `plan.rules` tells of.
        told: called with a line whenever a prompt is done or has failed.

    Raises:
        BadInput: the folder holds another study, or something that is none.
    """

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        rules: Rules | None,
        told: Callable[[str], None],
        *,
        look_s: float = LOOK_S,
    ) -> None:
        assert plan.rules == (rules.words if rules else "")
        self._plan = plan
        self._folder = folder
        self._rules = rules
        self._told = told
        self._look_s = look_s
        self._writing = asyncio.Lock()
        self._trials = list(self._left() or (Trial(prompt=prompt) for prompt in plan.prompts))

    @property
    def study(self) -> Study:
        """As it is now."""
        return Study(plan=self._plan, trials=tuple(self._trials), contrasts=contrasts_of(self._trials))

    async def run(self, client: StudioClient) -> Study:
        """Do what is left to do. A prompt that fails is told of in the study and holds up no other.

        Raises:
            ServerUnreachable, Unauthorized: nothing more can be asked; what is there is written down.
            StorageError: it cannot be.
        """
        left = iter([index for index, trial in enumerate(self._trials) if not trial.done])
        hands = [asyncio.create_task(self._work(client, left)) for _ in range(AT_ONCE)]
        try:
            await asyncio.gather(*hands)
        finally:
            for hand in hands:
                hand.cancel()
            await asyncio.gather(*hands, return_exceptions=True)
        await self._write()
        return self.study

    async def _work(self, client: StudioClient, left: Iterator[int]) -> None:
        for index in left:
            try:
                await self._put(index, error=None)
                await self._try(client, index)
            except _END_IT:
                raise
            except StudioError as error:
                await self._put(index, error=Failure.of(error))
            self._told(self._line(index))

    async def _try(self, client: StudioClient, index: int) -> None:
        plan, trial = self._plan, self._trials[index]
        seed = plan.seed + index * SEED_STRIDE
        given = {"kind": "generate_image", **plan.generate, "prompt": trial.prompt}
        given["sampling"] = {**plan.generate.get("sampling", {}), "seed": seed}
        loop = await self._grown(
            client,
            index,
            "loop_id",
            {"generate": given, "max_rewrites": plan.max_rewrites, "good_enough": plan.good_enough},
        )
        judged = [node for node in loop.nodes if node.critique]
        first = loop.nodes[0].request
        assert first is not None
        # The first picture's own recipe, caption and all: the seeds differ in nothing but the seed.
        control = await self._grown(
            client,
            index,
            "control_id",
            {
                "generate": first.model_dump(mode="json"),
                "num_candidates": min(len(judged), MAX_CANDIDATES),
                "max_rewrites": 0,
                "good_enough": 10,
            },
        )
        assert loop.best is not None
        assert control.best is not None
        again = control.nodes[0].critique
        shown = {
            "first": judged[0],
            "last": judged[-1],
            "kept": loop.nodes[loop.best.node],
            "chosen": control.nodes[control.best.node],
        }
        pictures = {side: await self._picture(client, index, node) for side, node in shown.items()}
        await self._put(
            index,
            **pictures,
            first_again=again.overall_score if again else None,
            num_pictures=len(judged),
            loop_spent=Spent.of(loop),
            control_spent=Spent.of(control),
        )

    async def _grown(
        self, client: StudioClient, index: int, name: Literal["loop_id", "control_id"], body: Mapping[str, Any]
    ) -> Refinement:
        """A refinement once it has ended: the one that was begun before, or one that is begun now."""
        known = self._trials[index].loop_id if name == "loop_id" else self._trials[index].control_id
        tree: Refinement | None = None
        if known is not None:
            with suppress(RefinementNotFound):
                tree = await client.refinements.get(known)
        if tree is None:
            tree = await client.refinements.begin(body)
            await self._put(index, **{name: tree.id})
        elif tree.state in ("failed", "stopped"):
            tree = await client.refinements.resume(tree.id)
        while tree.state == "running":
            await asyncio.sleep(self._look_s)
            tree = await client.refinements.get(tree.id)
        if tree.error is not None:
            raise tree.error.error()
        if tree.state == "stopped":
            raise EngineError(f"Refinement {tree.id} was stopped.", hint="Run the study again to continue.")
        return tree

    async def _picture(self, client: StudioClient, index: int, node: RefinementNode) -> Picture:
        assert node.media is not None
        assert node.critique is not None
        marks: Mapping[str, bool] = self._rules.marks(index, await client.media(node.media)) if self._rules else {}
        return Picture(node=node.number, media_id=node.media.id, score=node.critique.overall_score, marks=dict(marks))

    async def _put(self, index: int, **changes: Any) -> None:
        self._trials[index] = self._trials[index].model_copy(update=changes)
        await self._write()

    async def _write(self) -> None:
        async with self._writing:
            study = self.study
            await write_text(self._folder / STATE, study.model_dump_json(indent=1) + "\n")
            headline = self._rules.headline if self._rules else None
            report = markdown_of(study.plan, study.trials, study.contrasts, headline)
            await write_text(self._folder / REPORT, report)

    def _left(self) -> tuple[Trial, ...] | None:
        """The trials that are there already."""
        path = self._folder / STATE
        try:
            study = Study.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not a study"
            raise BadInput(f"{path} cannot be read: {reason}.", param="output", hint="Use another folder.") from None
        if study.plan != self._plan:
            raise BadInput(
                f"{path} is a study of other prompts or settings.",
                param="output",
                hint="Use another folder for this study.",
            )
        return study.trials

    def _line(self, index: int) -> str:
        """As in `3/40  first 5.0, kept 7.5, seeds 6.0  a red cube`."""
        trial = self._trials[index]
        counted = f"{index + 1}/{len(self._trials)}"
        if trial.error is not None:
            return f"{counted}  {trial.error.message}"
        sides = {"first": trial.first, "kept": trial.kept, "seeds": trial.chosen}
        scores = ", ".join(f"{name} {picture.score:.1f}" for name, picture in sides.items() if picture)
        return f"{counted}  {scores}  {trial.prompt[:60]}"
