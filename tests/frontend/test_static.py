"""The page's own files: they ask nobody else, and they say only what `frontend.text` holds."""

import re
from pathlib import Path

import pytest

from frontend import text
from frontend.places import PLACES, STYLES
from frontend.static_files import FOLDER, static_path

SCRIPTS = sorted(FOLDER.glob("*.js"))
WRITTEN = sorted(file for file in FOLDER.iterdir() if file.suffix not in (".png", ".mp4"))
OUTSIDE = re.compile(r"(?:https?:)?//[a-z0-9-]+\.[a-z]{2,}", re.IGNORECASE)
KEYS = re.compile(r"""say\(\s*(?:[^()"`]*\?\s*)?(["`])([a-z_.]+)\1""")
COUNTED = re.compile(r'counted\("([a-z_.]+)"')
ANY_KEY = re.compile(r"""["`]([a-z]+\.[a-z_]+)["`]""")


@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: file.name)
def test_a_file_names_no_address_outside_and_stays_short(file: Path):
    found = [address for address in OUTSIDE.findall(file.read_text()) if "w3.org" not in address]
    assert found == []
    assert len(file.read_text().splitlines()) <= 600


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_a_script_imports_only_its_neighbours(file: Path):
    for name in re.findall(r'(?:from|import) "([^"]+)"', file.read_text()):
        assert (FOLDER / name).is_file(), name


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_a_script_never_writes_markup(file: Path):
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", file.read_text()
    )


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_every_word_that_a_script_says_is_in_the_text(file: Path):
    for _, key in KEYS.findall(file.read_text()):
        assert key in text.WORDS, key
    for key in COUNTED.findall(file.read_text()):
        assert {key, f"{key}_one"} <= text.WORDS.keys(), key


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_nothing_is_put_in_the_order_of_a_clock_which_may_go_back(file: Path):
    assert not re.search(r"sort\([^;]*?(?:_at\b|\btime\(|\bwhen\(|\bDate\b)", file.read_text())


def test_every_word_of_the_text_is_said_somewhere():
    source = "\n".join(file.read_text() for file in SCRIPTS)
    built = set(re.findall(r"say\(`([a-z_]+)\.[a-z_]*\$\{", source))
    of_one = {f"{key}_one" for key in COUNTED.findall(source)}
    unsaid = {
        key
        for key in text.WORDS
        if f'"{key}"' not in source and key.partition(".")[0] not in built and key not in {*of_one, "drop.here"}
    }
    assert unsaid == set()


def test_every_style_sheet_is_linked():
    assert {file.stem for file in FOLDER.glob("*.css")} == {
        *STYLES,
        *(name for place in PLACES for name in place.styles),
    }


def test_the_path_names_the_content():
    assert re.fullmatch(r"/ui/[0-9a-f]{8}", static_path({}))
    assert static_path({"page.js": b"a"}) == static_path({"page.js": b"a"})
    assert len({static_path({}), static_path({"page.js": b"a"}), static_path({"page.js": b"b"})}) == 3
