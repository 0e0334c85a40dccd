"""The composition that every making page shares: the form column, the stage, the job's card and the strip."""

# pyright: reportUnknownMemberType=false
# Gradio annotates its own functions only in part.

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

import gradio as gr
from gradio.components import Component

from frontend import element_ids, parts, text
from frontend.draft import SEED, defaults_of, is_locked, picked_in, taken, usable, with_pick, with_preset
from frontend.events import listener
from frontend.fields import flatten
from frontend.form import draw_form
from frontend.panel import HOLDS, TOP, FormPart, Panel, gathered
from studio.catalogue import CheckpointInfo
from studio.client import StudioClient
from studio.errors import StudioError
from studio.prompting import is_upsampled, uncaptioned

LOCK = "seed_lock"
"""Not a field of the request: whether the seed stays for the next submission."""
PRIORITY = "priority"
"""Nor is this: before which jobs it runs."""

Connect = Callable[[gr.Request], StudioClient]

QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}


def draw_bench(blocks: gr.Blocks, panel: Panel, connect: Connect) -> None:
    """Draw a whole making page into the route that is open.

    Args:
        blocks: the application that the route belongs to.
        panel: the page.
        connect: makes a client of the server for a caller.
    """
    page = panel.place.name
    with gr.Column(elem_id=element_ids.MAIN, elem_classes=["o-page"]), gr.Row(elem_classes=["o-bench"]):
        with gr.Column(elem_classes=["o-card", "o-form"]):
            fields, generate = _draw_form_column(panel)
        with gr.Column(elem_classes=["o-stage-column"]):
            parts.part("o-stage", elem_id=element_ids.stage(page), elem_classes=["o-fill"])
            parts.part("o-progress", elem_id=element_ids.progress(page))
            parts.part("o-strip", elem_id=element_ids.strip(page))
            for tag in panel.tools:
                parts.part(tag, elem_id=element_ids.part(page, tag.removeprefix("o-")))
    _wire_submission(fields, generate)
    _wire_restoring(panel, connect, fields)
    _wire_draft(blocks, panel, connect, fields)


def _draw_form_column(panel: Panel) -> tuple[dict[str, Component], gr.Button]:
    page = panel.place.name
    beside: dict[str, Component] = {}

    def with_tools(draw: Callable[[], Component]) -> Component:
        with gr.Row(elem_classes=["o-seed-row"]):
            seed = draw()
            tools = beside[LOCK] = parts.seed_tools(elem_id=element_ids.seed_tools(page))
        listener(tools, "fresh")(
            None, None, [seed, tools], js="() => [Math.floor(Math.random() * 4294967296), true]", **QUIET
        )
        listener(tools, "next")(None, seed, [seed, tools], js="(seed) => [Number(seed) + 1, true]", **QUIET)
        listener(seed, "input")(None, None, tools, js="() => true", **QUIET)
        return seed

    def draw_parts(path: str) -> Callable[[], None]:
        def draw() -> None:
            if path == "prompt":
                refused = uncaptioned(panel.place.kind)
                parts.part("o-prompt-tools", elem_id=element_ids.prompt_tools(page), spec={"refused": refused})
                parts.part("o-examples", elem_id=element_ids.examples(page))
            for part in panel.every_part:
                if part.below == path:
                    beside[part.name] = _draw_part(page, part)

        return draw

    if panel.tabs:
        tabs = {place.path: name for place, name in panel.tabs}
        parts.part("o-tabs", elem_id=element_ids.tabs(page), spec={"here": panel.place.path, "tabs": tabs})
    draw_parts(TOP)()
    parts.part("o-notice", elem_id=element_ids.notice(page))
    fields = draw_form(
        panel.model,
        page,
        around={SEED: with_tools},
        after={path: draw_parts(path) for path in {"prompt", *(part.below for part in panel.every_part)}},
        beside={"resolution": "o-canvas"},
        early=panel.early,
        rare=panel.rare,
        without=panel.held,
    )
    with gr.Column(elem_classes=["o-foot"]):
        with gr.Row(elem_classes=["o-go-row"]):
            generate = gr.Button(
                text.GENERATE,
                variant="primary",
                size="lg",
                elem_id=element_ids.generate(page),
                elem_classes=["o-go", "o-hot-submit"],
            )
            beside[PRIORITY] = parts.holder(
                "o-order", value="normal", label=PRIORITY, spec={}, elem_id=element_ids.order(page)
            )
        parts.part("o-estimate", elem_id=element_ids.estimate(page))
    parts.part("o-errors", elem_id=element_ids.outcome(page))
    return {**fields, **beside}, generate


def _draw_part(page: str, part: FormPart) -> gr.HTML:
    return parts.holder(
        part.tag,
        value={},
        label=part.name.removeprefix(HOLDS),
        spec={"name": part.name, "paths": part.paths, **part.spec},
        elem_id=element_ids.field(page, part.name),
        elem_classes=["o-field"],
    )


def _wire_submission(fields: Mapping[str, Component], generate: gr.Button) -> None:
    post = f"(...values) => window.orrery.submit({json.dumps(list(fields))}, values)"
    generate.click(None, list(fields.values()), fields[SEED], js=post, trigger_mode="multiple", **QUIET)


def _wire_restoring(panel: Panel, connect: Connect, fields: Mapping[str, Component]) -> None:
    names = list(fields)

    def flat(said: Any) -> dict[str, Any]:
        return flatten(cast("dict[str, Any]", said or {}), whole=panel.held)

    def filled(values: Mapping[str, Any], lock: Mapping[str, bool]) -> list[Any]:
        given: dict[str, Any] = {**gathered(panel, values), **lock}
        return [given.get(name, gr.skip()) for name in names]

    def use(event: gr.EventData) -> list[Any]:
        said = flat(event.said)
        lock = {LOCK: said.pop(LOCK)} if LOCK in said else {}
        # Size and length stand in a caption; plain words that take its place get their sentences back.
        if (prompt := said.get("prompt")) and not is_upsampled(prompt):
            said = {"use_resolution_template": True, "use_duration_template": True, **said}
        return filled(taken(panel, said), lock)

    async def load(event: gr.EventData, caller: gr.Request) -> list[Any]:
        served, _ = await _checkpoints(connect(caller), event.said["checkpoint"])
        values = with_preset(flat(event.said["values"]), panel, served)
        return filled(values, {LOCK: True} if values.get(SEED) is not None else {})

    listener(parts.relay("o-use"), "o_use")(use, None, list(fields.values()), queue=False, **QUIET)
    listener(parts.relay("o-preset"), "o_preset")(load, None, list(fields.values()), queue=False, **QUIET)


def _wire_draft(blocks: gr.Blocks, panel: Panel, connect: Connect, fields: Mapping[str, Component]) -> None:
    names, components = list(fields), list(fields.values())
    draft = gr.BrowserState(None, storage_key=f"orrery.draft.{panel.place.name}", secret="orrery")

    def filled(kept: Any, served: CheckpointInfo | None, known: tuple[CheckpointInfo, ...]) -> list[Any]:
        values = {**defaults_of(panel, served), **usable(kept, panel, served, known)}
        shown = {**gathered(panel, values), LOCK: is_locked(kept), PRIORITY: "normal"}
        return [shown[name] if name in shown else gr.skip() for name in names]

    async def restore(kept: Any, caller: gr.Request) -> list[Any]:
        return filled(kept, *await _checkpoints(connect(caller), picked_in(kept)))

    async def switch(event: gr.EventData, caller: gr.Request) -> list[Any]:
        """Another checkpoint for this page: its own defaults, and over them what the person has set."""
        served, known = await _checkpoints(connect(caller), event.said["checkpoint"])
        return filled(with_pick(event.said["draft"], event.said["checkpoint"]), served, known)

    remember = f"(...values) => window.orrery.remember({json.dumps(names)}, values)"
    gr.on([listener(component, "change") for component in components], None, components, draft, js=remember, **QUIET)
    listener(parts.relay("o-switch"), "o_switch")(switch, None, components, queue=False, **QUIET)
    blocks.load(restore, draft, components, queue=False, **QUIET).then(None, components, draft, js=remember, **QUIET)


async def _checkpoints(
    client: StudioClient, picked: str | None
) -> tuple[CheckpointInfo | None, tuple[CheckpointInfo, ...]]:
    """The checkpoint that the page's requests go to, in memory or not, and all of them.

    Args:
        picked: what was selected on the page; none, and what is not here any more, is the default checkpoint.
    """
    try:
        async with client:
            found = (await client.checkpoints()).checkpoints
    except StudioError:
        return None, ()  # The form stands on the request's own defaults; the header says what is wrong.
    by_id = {entry.id: entry for entry in found if entry.installed or entry.built_here}
    return by_id.get(picked or "") or next((entry for entry in found if entry.active), None), found
