"""A page's modules as one script."""

import re
from pathlib import Path

import pytest

from frontend import packing, text
from frontend.packing import IMPORT, VENDORED, VENDORED_FILE, imported, page_texts, reachable, words_of
from frontend.places import FORMS, KEEPING, ROBOT, STYLES, Place


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(packing, "SOURCES", tmp_path)
    return tmp_path


def test_each_module_runs_once_after_those_that_it_imports_and_gives_what_it_exports(folder: Path):
    (folder / "room").mkdir()
    (folder / "page.js").write_text(
        'import "./room/two.js";\nimport { one, more as other } from "./room/one.js";\none(other);\n'
    )
    (folder / "room" / "two.js").write_text('import * as all from "../room/one.js";\nall.one();\n')
    (folder / "room" / "one.js").write_text(
        "// One.\n\n/**\n * More.\n */\nexport const more = 2; //-\nexport async function one() {}\n"
    )
    assert packing.packed("page.js") == (
        "const in_room_one = (() => {\n\nconst more = 2; //-\nasync function one() {}\n\nreturn { more, one };\n})();\n"
        "const in_room_two = (() => {\nconst all = in_room_one;\nall.one();\n\nreturn {  };\n})();\n"
        "const in_page = (() => {\n\nconst { one, more: other } = in_room_one;\none(other);\n\nreturn {  };\n})();\n"
        "export { in_room_one as room_one, in_room_two as room_two, in_page as page };\n"
    )


@pytest.mark.parametrize("line", ["export let changing = 1;", "export { a };", 'import x from "./one.js";'])
def test_what_cannot_be_packed_is_refused(folder: Path, line: str):
    (folder / "one.js").write_text("")
    (folder / "page.js").write_text(f"{line}\n")
    with pytest.raises(AssertionError, match="not known here"):
        packing.packed("page.js")


def test_modules_that_import_each_other_are_refused(folder: Path):
    (folder / "one.js").write_text('import "./two.js";\n')
    (folder / "two.js").write_text('import "./one.js";\n')
    with pytest.raises(AssertionError, match="imports itself"):
        packing.packed("one.js")


def test_a_page_has_every_module_that_it_reaches_and_all_its_style_sheets():
    for place in (*FORMS, ROBOT, *KEEPING):
        texts = {name: text.decode() for name, text in page_texts([place]).items()}
        script, sheet = texts[f"page-{Path(place.script).name}"], texts[f"page-{place.name}.css"]
        modules = reachable(place.script)
        names = list(modules)
        assert names[-1] == place.script
        for at, (name, source) in enumerate(modules.items()):
            assert {imported(name, path) for _, path in IMPORT.findall(source)} <= set(names[:at])
            if name != VENDORED:
                assert script.count(f"const in_{name.removesuffix('.js').replace('/', '_')} = (() => {{\n") == 1
        assert all(packing.source_of(f"{name}.css") in sheet for name in (*STYLES, *place.styles))


def test_a_page_has_the_modules_that_it_runs_and_no_others():
    assert "making/stage.js" in reachable("making/orrery.js")
    assert "making/stage.js" not in reachable("robot/robot.js")
    assert "robot/link.js" in reachable("robot/robot.js")
    assert "robot/link.js" not in reachable("making/orrery.js")


def test_what_is_vendored_stays_a_file_of_its_own_that_every_script_imports():
    texts = page_texts(KEEPING)
    assert texts[VENDORED_FILE] == packing.source_of(VENDORED).encode()
    scripts = [text.decode() for name, text in texts.items() if name.startswith("page-") and name.endswith(".js")]
    for script in scripts:
        assert script.count(f'import * as in_vendor_preact from "./{VENDORED_FILE}";\n') == 1


@pytest.mark.parametrize("place", [*FORMS, ROBOT, *KEEPING], ids=lambda place: place.name)
def test_a_page_has_the_words_that_its_scripts_say_and_few_others(place: Place):
    words = words_of(place.script, text.WORDS)
    named = set(re.findall(r"""["'`]([a-z_]+\.[a-z_.0-9]+)["'`]""", packing.packed(place.script)))
    assert named & text.WORDS.keys() <= words.keys()
    assert len(words) < len(text.WORDS) / 2
