"""The page's own files: they ask nobody else, say only what `frontend.text` holds, and stand on the rooms below."""

import re

from frontend import text
from frontend.packing import IMPORT, SOURCES, VENDORED, imported
from frontend.places import PLACES, STYLES
from frontend.static_files import static_path

SCRIPTS = {path.relative_to(SOURCES).as_posix(): path.read_text() for path in sorted(SOURCES.glob("*/*.js"))}
OURS = {name: source for name, source in SCRIPTS.items() if name != VENDORED}
SHEETS = {path.relative_to(SOURCES).as_posix(): path.read_text() for path in sorted(SOURCES.glob("*/*.css"))}

FLOORS = (
    {"vendor"},
    {"data"},
    {"parts"},
    {"frame", "media"},
    {"playhead", "form", "hue", "blind"},
    {"imagining"},
    {"making", "ask", "arena", "checkpoints", "compare", "evaluate", "library", "queue", "refine", "robot", "tune"},
    {"transfer", "world"},
)
"""The rooms, lowest first: a script imports its neighbours and what lies on a lower floor."""

MAX_LINES, MAX_FILES = 600, 30
OUTSIDE = re.compile(r"(?:https?:)?//[a-z0-9-]+\.[a-z]{2,}", re.IGNORECASE)
MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
BY_CLOCK = re.compile(r"sort\([^;]*?(?:_at\b|\btime\(|\bwhen\(|\bDate\b)")
KEYS = re.compile(r"""say\(\s*(?:[^()"`]*\?\s*)?(["`])([a-z_.]+)\1""")
COUNTED = re.compile(r'counted\(\s*"([a-z_.]+)"')


def floor_of(script: str) -> int:
    [floor] = [at for at, rooms in enumerate(FLOORS) if script.partition("/")[0] in rooms]
    return floor


def test_a_script_imports_its_neighbours_and_rooms_of_lower_floors():
    for name, source in SCRIPTS.items():
        for _, path in IMPORT.findall(source):
            target = imported(name, path)
            assert target in SCRIPTS, (name, path)
            assert target.partition("/")[0] == name.partition("/")[0] or floor_of(target) < floor_of(name), (name, path)


def test_a_room_has_at_most_30_files_and_none_of_them_is_long():
    for room in set().union(*FLOORS):
        assert len([file for file in (SOURCES / room).iterdir() if file.is_file()]) <= MAX_FILES, room
    for name, source in {**OURS, **SHEETS}.items():
        assert source.count("\n") <= MAX_LINES, name


def test_no_file_names_an_address_outside():
    for name, source in {**OURS, **SHEETS}.items():
        assert [found for found in OUTSIDE.findall(source) if "w3.org" not in found] == [], name


def test_no_script_writes_markup():
    for name, source in OURS.items():
        assert not MARKUP.search(source), name


def test_nothing_is_put_in_the_order_of_a_clock_which_may_go_back():
    for name, source in SCRIPTS.items():
        assert not BY_CLOCK.search(source), name


def test_every_word_that_a_script_says_is_in_the_text():
    for name, source in SCRIPTS.items():
        for _, key in KEYS.findall(source):
            assert key in text.WORDS, (name, key)
        for key in COUNTED.findall(source):
            assert {key, f"{key}_one"} <= text.WORDS.keys(), (name, key)


def test_every_word_of_the_text_is_said_somewhere():
    source = "\n".join(OURS.values())
    built = set(re.findall(r"(?:say|counted)\(`([a-z_]+)\.[a-z_]*\$\{", source))
    of_one = {f"{key}_one" for key in COUNTED.findall(source)}
    unsaid = {
        key
        for key in text.WORDS
        if f'"{key}"' not in source and key.partition(".")[0] not in built and key not in {*of_one, "drop.here"}
    }
    assert unsaid == set()


def test_every_style_sheet_is_used():
    used = {*STYLES, *(name for place in PLACES for name in place.styles)}
    assert {name.removesuffix(".css") for name in SHEETS} == used


def test_the_path_names_the_content():
    assert re.fullmatch(r"/ui/[0-9a-f]{8}", static_path({}))
    assert static_path({"page.js": b"a"}) == static_path({"page.js": b"a"})
    assert len({static_path({}), static_path({"page.js": b"a"}), static_path({"page.js": b"b"})}) == 3
