"""What a person keeps beside the library goes out with an export and comes in elsewhere, where what is there stays."""

import json
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.checkpoints.adapters import AdapterFolder
from backend.library.backup import is_own_file
from backend.library.form_presets import FormPresets, preset_id
from shelves import Shelf, export_of, shelf_at
from studio.data_folder import DataFolder
from studio.library import ImportReport
from studio.presets import SaveFormPreset, load_presets
from studio.prompting import load_tasks

VARIANT = 'id = "my-nano"\ntitle = "Mine"\nsummary = "Mine."\nvariant_of = "my-base"\n'
BASE = 'id = "my-base"\ntitle = "Base"\nsummary = "Base."\n'
TASK = 'id = "count"\ntitle = "Count"\nsummary = "Counts."\nmedia = ["image"]\nprompt = "How many?"\nparser = "prose"\n'
NIGHT = SaveFormPreset(kind="generate_image", name="night", values={"prompt": "snow"})


def weights(payload: bytes = b"\0\0\0\0") -> bytes:
    header = json.dumps({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    return struct.pack("<Q", len(header)) + header + payload


TRAVELS: dict[str, bytes | str] = {
    "presets/a variant é.toml": VARIANT,
    "presets/base.toml": BASE,
    "presets/tasks/count.toml": TASK,
    "presets/templates/mine.toml": 'analysis = "x"',
    "adapters/style.safetensors": weights(),
    "adapters/warm/adapter_model.safetensors": weights(),
    "adapters/warm/adapter_config.json": '{"r": 4}',
}
STAYS: dict[str, bytes | str] = {
    "reasoners.toml": 'key = "secret"',
    "server.json": "{}",
    "active-checkpoint": "speck",
    "checkpoints/speck/x.json": "{}",
    "presets/.hidden.toml": BASE,
    "adapters/0123456789abcdef.part": "x",
    "adapters/warm/notes.txt": "x",
}


def write(shelf: Shelf, **files: bytes | str) -> None:
    for name, content in files.items():
        path = shelf.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Shelf]:
    """A data folder with something of everything, also of what does not travel."""
    with shelf_at(tmp_path / "old") as shelf:
        FormPresets(DataFolder(shelf.folder).form_presets).save(NIGHT)
        write(shelf, **TRAVELS, **STAYS)
        yield shelf


@pytest.fixture
def new(tmp_path: Path) -> Iterator[Shelf]:
    with shelf_at(tmp_path / "new") as shelf:
        yield shelf


def files_of(shelf: Shelf) -> dict[str, bytes]:
    """What a person keeps there."""
    found = (path for folder in ("adapters", "presets", "form-presets") for path in shelf.folder.glob(f"{folder}/**/*"))
    return {path.relative_to(shelf.folder).as_posix(): path.read_bytes() for path in found if path.is_file()}


def told(report: ImportReport) -> tuple[int, int, int]:
    return report.num_own_files, report.num_known_own_files, report.num_refused_own_files


def test_everything_of_a_persons_own_comes_in_elsewhere_and_nothing_secret(old: Shelf, new: Shelf):
    content = export_of(old)
    folder = DataFolder(new.folder)

    assert told(new.bring_in(content)) == (7, 0, 0)

    assert files_of(new).keys() == TRAVELS.keys() | {f"form-presets/{preset_id(NIGHT)}.json"}
    assert all(content == (old.folder / name).read_bytes() for name, content in files_of(new).items())
    assert not any(b"secret" in content for content in files_of(new).values())
    assert [preset.name for preset in FormPresets(folder.form_presets).listing().presets] == ["night"]
    assert [adapter.name for adapter in AdapterFolder(folder.adapters).listing().adapters] == ["style", "warm"]
    assert load_presets(folder.presets)["my-nano"].lies_under == "my-base"
    assert load_tasks(folder.tasks)["count"].title == "Count"
    assert told(new.bring_in(content)) == (0, 7, 0)


def test_what_is_here_stays_as_it_is(old: Shelf, new: Shelf):
    write(new, **{"presets/base.toml": BASE.replace("Base.", "Here."), "adapters/warm.safetensors": weights()})
    shelf = FormPresets(DataFolder(new.folder).form_presets)
    shelf.save(NIGHT.model_copy(update={"values": {"prompt": "rain"}}))

    assert told(new.bring_in(export_of(old))) == (4, 3, 0)

    assert shelf.listing().presets[0].values == {"prompt": "rain"}
    assert load_presets(new.folder / "presets")["my-base"].summary == "Here."
    assert not (new.folder / "adapters" / "warm").exists()


def test_presets_that_cannot_be_read_here_stay_out_and_the_rest_comes_in(old: Shelf, new: Shelf):
    write(old, **{"presets/x.toml": BASE + "strange = 1\n"})

    assert told(new.bring_in(export_of(old))) == (3, 0, 5)

    assert not list(new.folder.glob("presets/**/*.toml"))
    assert (new.folder / "adapters" / "style.safetensors").is_file()


@pytest.mark.parametrize(
    "name",
    [
        *("reasoners.toml", "server.json", "active-checkpoint", "checkpoints/x.toml", "presets/x.json"),
        *("presets/.toml", "presets/../x.toml", "presets/tasks/../x.toml", "presets/other/x.toml", "/presets/x.toml"),
        *("adapters/../x.safetensors", "adapters/../../x.json", "adapters/x/y/z.json", "adapters/.x/a.json"),
        *("adapters/x.json", "adapters/x/run.py", "form-presets/../0123456789abcdef.json", "x/presets/a.toml"),
    ],
)  # fmt: skip
def test_a_name_that_has_no_place_in_a_data_folder_is_none(name: str):
    assert not is_own_file(name)
