"""A page's modules as one script."""

import re
from pathlib import Path

import pytest

from frontend import packing
from frontend.packing import page_texts, reachable
from frontend.places import FORMS, KEEPING, ROBOT, STYLES, Place
from frontend.static_files import FOLDER

IMPORTS = re.compile(r'^import .*?"\./([a-z_]+\.js)";$', re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(packing, "FOLDER", tmp_path)
    return tmp_path


def test_each_module_runs_once_after_those_that_it_imports_and_gives_what_it_exports(folder: Path):
    (folder / "page.js").write_text('import "./two.js";\nimport { one, more as other } from "./one.js";\none(other);\n')
    (folder / "two.js").write_text('import * as all from "./one.js";\nall.one();\n')
    (folder / "one.js").write_text("export const more = 2;\nexport async function one() {}\n")
    assert packing.packed("page.js") == (
        "const in_one = (() => {\nconst more = 2;\nasync function one() {}\n\nreturn { more, one };\n})();\n"
        "const in_two = (() => {\nconst all = in_one;\nall.one();\n\nreturn {  };\n})();\n"
        "const in_page = (() => {\n\nconst { one, more: other } = in_one;\none(other);\n\nreturn {  };\n})();\n"
        "export { in_one as one, in_two as two, in_page as page };\n"
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


@pytest.mark.parametrize("place", [*FORMS, ROBOT, *KEEPING], ids=lambda place: place.name)
def test_a_page_has_every_module_that_it_reaches_and_all_its_style_sheets(place: Place):
    texts = {name: text.decode() for name, text in page_texts([place]).items()}
    script, sheet = texts[f"page-{place.script}"], texts[f"page-{place.name}.css"]
    modules = list(reachable(place.script))
    assert modules[-1] == place.script
    for at, name in enumerate(modules):
        assert set(IMPORTS.findall((FOLDER / name).read_text())) <= set(modules[:at])
        assert script.count(f"const in_{name.removesuffix('.js')} = (() => {{\n") == 1
    assert all((FOLDER / f"{name}.css").read_text() in sheet for name in (*STYLES, *place.styles))


def test_a_page_has_the_modules_that_it_runs_and_no_others():
    assert "stage.js" in reachable("orrery.js")
    assert "stage.js" not in reachable("robot.js")
    assert "robot_link.js" in reachable("robot.js")
    assert "robot_link.js" not in reachable("orrery.js")
