"""The middleware that writes head, rail and header into our own pages."""

import json
import re

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from frontend import element_ids
from frontend.gradio_files import Opening, opening_of
from frontend.places import IMAGE, KEEPING, PLACES, ROBOT
from frontend.shell import Pieces, Shell, head_end_of, head_of, shell_of

PAGE = '<!doctype html><html><head><meta charset="utf-8" /></head><body class="x"><p>page</p></body></html>'


OPENING = Opening(linked=("a.js",), scripts=("a.js", "b.js"), styles=())


def client(answer: Response) -> TestClient:
    async def reply(_request: object) -> Response:
        return answer

    app = Starlette(routes=[Route("/", reply), Route("/other", reply)])
    return TestClient(Shell(app, {"/": Pieces("<!--head-->", "<!--end-->", "<!--body-->")}), follow_redirects=False)


def test_our_page_gets_the_head_and_the_shell():
    answer = client(HTMLResponse(PAGE)).get("/")
    assert '<meta charset="utf-8" /><!--head--><!--end--></head><body class="x"><!--body--><p>' in answer.text
    assert int(answer.headers["content-length"]) == len(answer.content)


@pytest.mark.parametrize(
    "answer",
    [JSONResponse({"a": 1}), PlainTextResponse("plain"), RedirectResponse("/login", 303), HTMLResponse("bare")],
)
def test_other_replies_pass_unchanged(answer: Response):
    assert client(answer).get("/").content == answer.body


def test_other_paths_and_methods_pass_unchanged():
    assert client(HTMLResponse(PAGE)).get("/other").text == PAGE
    assert client(HTMLResponse(PAGE)).head("/").headers["content-length"] == str(len(PAGE))


def test_the_rail_lists_every_place_and_marks_this_one():
    shell = shell_of(IMAGE)
    for place in PLACES:
        assert f'href="{place.path}"' in shell
    assert shell.count("aria-current") == 1


def test_the_facts_are_json_that_cannot_end_their_script():
    head = head_of(IMAGE, "/ui/x", OPENING)
    found = re.search(rf'<script type="application/json" id="{element_ids.FACTS}">(.*?)</script>', head)
    assert found is not None
    facts = json.loads(found.group(1))
    assert facts["kind"] == "generate_image"
    assert facts["canvases"]["256"]["16:9"] == [320, 192]
    assert "<" not in found.group(1)


def test_the_facts_say_whether_there_is_a_token_and_never_what_it_is():
    assert '"has_token": true' in head_of(IMAGE, "/ui/x", OPENING, has_token=True)
    assert '"has_token": false' in head_of(IMAGE, "/ui/x", OPENING)


def test_a_page_asks_for_one_script_and_one_style_sheet_and_announces_what_it_imports_and_gradios():
    head = head_of(ROBOT, "/ui/x", OPENING)
    assert re.findall(r'<link rel="stylesheet" href="(.*?)">', head) == ["/ui/x/page-robot.css"]
    assert re.findall(r'<script type="module" src="(.*?)">', head) == ["/ui/x/page-robot.js"]
    announced = re.findall(r'<link rel="modulepreload" (?:crossorigin )?href="(.*?)">', head)
    assert announced == ["/ui/x/page-robot.js", "/ui/x/preact.js", "/assets/a.js", "/assets/b.js"]


def test_gradios_style_sheets_are_asked_for_as_one_and_stand_there_switched_off():
    opening = Opening(linked=(), scripts=(), styles=opening_of({"html"}).styles[:2])
    end = head_end_of(opening, "digest")
    assert re.findall(r'<link rel="stylesheet" disabled href="/assets/(.*?)">', end) == list(opening.styles)
    assert re.findall(r'<link rel="stylesheet" href="/assets/(.*?)">', end) == [opening.sheet]
    assert '<link rel="preload" as="style" href="/theme.css?v=digest">' in end


def test_the_robots_stop_stands_in_the_shell_of_its_page_alone():
    assert "<o-robot-stop" in shell_of(ROBOT)
    assert "<o-robot-stop" not in shell_of(IMAGE)


def test_the_keys_listed_are_those_of_the_page():
    assert "STOP, except while typing" in shell_of(ROBOT)
    assert "Generate, also while typing" in shell_of(IMAGE)


def test_every_place_has_its_keys_in_the_help_and_its_page_in_the_facts():
    for place in KEEPING:
        assert "Show this list" in shell_of(place)
        assert f'"{place.name}": {{"title": "{place.title}", "path": "{place.path}"}}' in head_of(
            place, "/ui/x", OPENING
        )


def test_the_header_holds_the_queue_as_a_link_the_guardrail_and_the_banner():
    shell = shell_of(KEEPING[0])
    assert 'data-pill="queue" href="/queue"' in shell
    assert 'data-pill="guardrail" hidden' in shell
    assert 'class="o-lost" role="alert" hidden' in shell
