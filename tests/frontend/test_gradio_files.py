"""What is read out of Gradio's scripts: all that a page needs, and nothing that is not there."""

import re
from pathlib import Path

import pytest

from frontend import gradio_files
from frontend.gradio_files import ASSETS, Opening, opening_of

FORM = ("accordion", "button", "column", "form", "html", "number", "row", "slider", "textbox")
STATIC_IMPORT = re.compile(r"""(?:from|import)["'`]\./([\w.-]+\.js)["'`]""")


@pytest.mark.parametrize("components", [("html",), FORM], ids=["part", "form"])
def test_every_script_that_another_one_imports_is_among_them_and_there(components: tuple[str, ...]):
    opening = opening_of(components)
    for name in opening.scripts:
        assert set(STATIC_IMPORT.findall((ASSETS / name).read_text())) <= set(opening.scripts), name
    assert all((ASSETS / name).is_file() for name in (*opening.linked, *opening.scripts, *opening.styles))
    assert len(set(opening.scripts)) == len(opening.scripts)


def test_the_chain_is_followed_to_the_components_and_no_further():
    part, form = opening_of(["html"]), opening_of(FORM)
    stems = {name.partition("-")[0] for name in part.scripts}
    assert stems >= {"index", "Index", "core", "Blocks", "HTML"}
    assert not stems & {"Login", "ApiDocs", "Settings"}
    assert set(part.scripts) < set(form.scripts)
    assert set(part.styles) < set(form.styles)


def test_all_styles_are_one_sheet_whose_name_is_its_content():
    part, form = opening_of(["html"]), opening_of(FORM)
    assert part.sheet != form.sheet
    texts = part.texts()
    assert set(texts) == {*part.linked, *part.scripts, part.sheet}
    assert all((ASSETS / name).read_bytes() in texts[part.sheet] for name in part.styles)


def test_no_style_of_them_leads_to_a_file_by_a_path_of_its_own():
    assert not [name for name in opening_of(FORM).styles if "url(" in (ASSETS / name).read_text()]


@pytest.mark.parametrize(
    "source", ["import('./page.js')", "v(__vite__mapDeps([0,1]))", "m.f=[]v(__vite__mapDeps([3]))"]
)
def test_where_gradio_looks_otherwise_a_page_begins_with_what_is_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "new-1.js").write_text(source)
    (tmp_path / "index.html").write_text('<script src="./assets/new-1.js"></script>')
    monkeypatch.setattr(gradio_files, "_TEMPLATES", tmp_path)
    monkeypatch.setattr(gradio_files, "ASSETS", tmp_path / "assets")
    assert opening_of(["html"]) == Opening(linked=("new-1.js",), scripts=("new-1.js",), styles=())
