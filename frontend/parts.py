"""Custom elements as Gradio components.

The template of a part is constant: Gradio runs a template as a JavaScript literal, so that a person's text inside
one would be executed. What a part shows comes over the page's own socket, or as `value` handed to the element in
JavaScript. They are functions because a subclass of gr.HTML makes Gradio write a stub file beside it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any

import gradio as gr

_LITERAL = {ord(mark): f"&#{ord(mark)};" for mark in "{}$`\\"}

_TAKE = """
const part = element.firstElementChild;
const give = () => { part.value = props.value; };
watch('value', give);
part.addEventListener('o-pick', (event) => { props.value = event.detail; give(); trigger('input'); });
customElements.whenDefined(part.localName).then(give);
"""


def attribute(data: object) -> str:
    """JSON as the value of an attribute in a template that Handlebars and a JavaScript literal both read."""
    return html.escape(json.dumps(data)).translate(_LITERAL)


def part(tag: str, *, elem_id: str, elem_classes: Sequence[str] = (), spec: object = None) -> gr.HTML:
    """An element that shows something; `spec` is what it is told once, constant and never a person's text."""
    told = "" if spec is None else f' data-spec="{attribute(spec)}"'
    return gr.HTML(
        html_template=f"<{tag}{told}></{tag}>",
        js_on_load=None,
        apply_default_css=False,
        elem_id=elem_id,
        elem_classes=list(elem_classes),
    )


def relay(event: str) -> gr.HTML:
    """Nothing to see: what a page's script sends as `event` arrives as `said` of a Python event of the same name."""
    name = event.replace("-", "_")
    return gr.HTML(
        html_template="<span hidden></span>",
        js_on_load=f"document.addEventListener('{event}', (sent) => trigger('{name}', {{ said: sent.detail }}));",
        apply_default_css=False,
    )


def chips(
    options: Sequence[tuple[str, Any]],
    *,
    path: str,
    label: str,
    value: Any,
    info: str,
    elem_id: str,
    elem_classes: Sequence[str] = (),
    beside: str = "",
    tag: str = "o-chips",
) -> gr.HTML:
    """A choice as chips; those that the checkpoint refuses are struck through by the element itself.

    Args:
        options: (shown, value).
        path: of the field, by which the checkpoint's choices are looked up.
        label, info: title and help.
        value: the one that is chosen.
        elem_id, elem_classes: as everywhere.
        beside: the tag of an element that stands beside the title.
        tag: `o-select` is the browser's own list, for a choice among many.
    """
    spec = {"label": label, "help": info, "path": path, "options": list(options), "beside": beside}
    return holder(tag, value=value, label=label, spec=spec, elem_id=elem_id, elem_classes=elem_classes)


def switch(*, path: str, label: str, value: bool, info: str, elem_id: str, elem_classes: Sequence[str] = ()) -> gr.HTML:
    """On or off; the arguments are those of `chips`."""
    spec = {"label": label, "help": info, "path": path}
    return holder("o-switch", value=value, label=label, spec=spec, elem_id=elem_id, elem_classes=elem_classes)


def holder(
    tag: str, *, value: Any, label: str, spec: object, elem_id: str, elem_classes: Sequence[str] = ()
) -> gr.HTML:
    """An element with a value: it is given `value`, and says `o-pick` with another one.

    Args:
        tag: of the element.
        value: JSON; the first one.
        label: for Gradio's own messages.
        spec: what the element is told once, in its attribute; constant, and never a person's text.
        elem_id, elem_classes: as everywhere.
    """
    return gr.HTML(
        value=value,
        label=label,
        html_template=f'<{tag} data-spec="{attribute(spec)}"></{tag}>',
        js_on_load=_TAKE,
        apply_default_css=False,
        elem_id=elem_id,
        elem_classes=list(elem_classes),
    )


def seed_tools(*, elem_id: str) -> gr.HTML:
    """ "New", "+1" and "lock": the value is whether it is locked, `fresh` and `next` ask for another seed."""
    return gr.HTML(
        value=False,
        html_template="<o-seed></o-seed>",
        js_on_load=_TAKE
        + "part.addEventListener('o-fresh', () => trigger('fresh'));"
        + "part.addEventListener('o-next', () => trigger('next'));",
        apply_default_css=False,
        elem_id=elem_id,
        elem_classes=["o-seed-tools"],
    )
