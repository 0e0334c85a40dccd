"""`orrery annotate`: videos in, a label file for each out, bound to a schema; its values become tags of the library."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from cli.answering import OWN, Answering, answering, refuse_without_endpoint
from cli.flags import EndpointOption, ModelOption, TargetFlags, with_flags
from cli.job_run import counted
from cli.printed import SOME_FAILED, print_table
from cli.request_flags import Said, request_flags
from cli.target import Target, connected
from studio.captions import UnusableAnswer
from studio.captions.caption_files import WorkItem, read_work, write_text
from studio.errors import BadInput, StudioError
from studio.evaluation import AnnotationSchema, Benchmark, Item, Settings, load_schema
from studio.evaluation.forms.fields import FIELDS
from studio.library import ItemsChange
from studio.prompting.question import MediaPart, first_usable
from studio.prompting.templates import caption_texts

FOLDER, SUFFIX = "metas", ".label.json"
"""As the layout of label files has them: `videos/ID.mp4` and `metas/ID.label.json`."""

Outcome = Literal["written", "skipped", "failed"]


@with_flags
def annotate(
    *,
    videos: Annotated[Path, typer.Argument(metavar="VIDEO|FOLDER", help="A video, or a folder of videos.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", envvar="ORRERY_OUTPUT", metavar="FOLDER", help="Folder that gets metas/NAME.label.json."
        ),
    ],
    schema: Annotated[
        str, typer.Option(envvar="ORRERY_SCHEMA", metavar="NAME|FILE", help="Annotation schema; av is for driving.")
    ] = "av",
    fps: Annotated[float, typer.Option(envvar="ORRERY_FPS", min=0.1, help="Frames per second to sample.")] = 2.0,
    temperature: Annotated[
        float, typer.Option(envvar="ORRERY_TEMPERATURE", min=0, max=2, help="0 always takes the most likely token.")
    ] = 0.0,
    max_tokens: Annotated[
        int, typer.Option(envvar="ORRERY_MAX_TOKENS", min=16, help="Maximum number of tokens per answer.")
    ] = 4096,
    attempts: Annotated[
        int, typer.Option(envvar="ORRERY_ATTEMPTS", min=1, max=10, help="Maximum number of attempts per video.")
    ] = 3,
    jobs: Annotated[
        int, typer.Option(envvar="ORRERY_JOBS", min=1, max=256, help="Number of videos to annotate at the same time.")
    ] = 8,
    tags: Annotated[
        bool,
        typer.Option(
            "--tags/--no-tags", envvar="ORRERY_TAGS", help="Tag the videos in the library, as in 'Weather: Heavy rain'."
        ),
    ] = True,
    said: Annotated[Said, request_flags("checkpoint", "adapter")],
    endpoint: EndpointOption = None,
    model: ModelOption = None,
    by_path: Annotated[
        bool, typer.Option("--by-path", envvar="ORRERY_BY_PATH", help="The endpoint reads videos by their paths.")
    ] = False,
    target: TargetFlags,
) -> None:
    """Annotate videos: every field of a schema, as one JSON file per video.

    Annotated videos are skipped on the next run. `orrery annotate set/videos -o set` makes a set that orrery evaluate
    reads. The exit status is 1 if a video failed.
    """
    items = read_work(video=videos.expanduser())
    output = output.expanduser()
    if output.exists() and not output.is_dir():
        raise BadInput(f"{output} is a file; expected a folder.", param="output")
    if endpoint is None:
        refuse_without_endpoint({"--model": model, "--by-path": by_path})
    asked = Benchmark(
        name="annotate",
        form="fields",
        annotation=load_schema(schema),
        settings=Settings(fps=fps, temperature=temperature, max_tokens=max_tokens),
        items=(Item(id="video", reference={}),),
    )
    outcomes: Counter[Outcome] = Counter()
    failed: list[tuple[str, str]] = []

    async def run() -> None:
        async with answering(
            target,
            endpoint,
            model,
            by_path=by_path,
            checkpoint=said["checkpoint"],
            adapter=said["adapter"],
        ) as reasoner:
            with counted(len(items), "videos") as count:
                waiting = iter(items)

                async def worker() -> None:
                    for item in waiting:
                        outcomes[await one(reasoner, item)] += 1
                        count()

                await asyncio.gather(*(worker() for _ in range(min(jobs, len(items)))))

    async def one(reasoner: Answering, item: WorkItem) -> Outcome:
        path = output / FOLDER / f"{item.name}{SUFFIX}"
        if path.is_file():
            return "skipped"
        try:
            medium = await reasoner.attach(item.video)
            annotation = await _annotated(reasoner, asked, medium, attempts)
            path.parent.mkdir(parents=True, exist_ok=True)
            await write_text(path, json.dumps(annotation, indent=1, ensure_ascii=False) + "\n")
            if tags and endpoint is None:
                await _tag(target, medium, asked.annotation, annotation)
        except StudioError as error:
            failed.append((item.name, error.message))
            return "failed"
        return "written"

    asyncio.run(run())
    if failed:
        print_table(("failed", "why"), failed)
    print(f"{output}  {outcomes['written']} written, {outcomes['skipped']} skipped, {outcomes['failed']} failed")
    raise typer.Exit(SOME_FAILED if failed else 0)


async def _annotated(reasoner: Answering, asked: Benchmark, medium: MediaPart, attempts: int) -> Mapping[str, Any]:
    """What is said of a video. Raises StudioError."""
    question = FIELDS.question(asked.items[0], asked, [medium], 0)
    retry = caption_texts().retry

    def read(text: str) -> Any:
        return FIELDS.read(asked.items[0], asked, text)

    try:
        return (await first_usable(reasoner.ask, question, read, attempts=attempts, retry=retry)).said
    except UnusableAnswer as error:
        raise BadInput(f"No usable annotation in {attempts} attempts: {error.why}") from None


async def _tag(
    target: Target, medium: MediaPart, schema: AnnotationSchema | None, annotation: Mapping[str, Any]
) -> None:
    assert schema is not None
    change = ItemsChange(ids=(medium.url.removeprefix(OWN),), add_tags=schema.tags(annotation))
    if change.add_tags:
        async with connected(target) as client:
            await client.library.change_many(change)
