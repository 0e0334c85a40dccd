"""What a person keeps beside the library goes out with an export and comes in elsewhere, where what is there stays."""

import io
import json
import struct
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from backend.adapter_rack import AdapterRack
from backend.form_shelf import FormShelf
from backend.library.export_file import ExportFile
from backend.library.own_files import MAX_TEXT_BYTES, own_files, own_kind
from backend.library.own_importing import OwnCounts, OwnImporter
from backend.library.zip_stream import Entry, zip_stream
from studio.data_folder import DataFolder
from studio.errors import BadInput
from studio.form_presets import SaveFormPreset
from studio.presets import load_presets
from studio.prompting import load_tasks

VARIANT = 'id = "my-nano"\ntitle = "Mine"\nsummary = "Mine."\nvariant_of = "my-base"\n'
BASE = 'id = "my-base"\ntitle = "Base"\nsummary = "Base."\n'
TASK = 'id = "count"\ntitle = "Count"\nsummary = "Counts."\nmedia = ["image"]\nprompt = "How many?"\nparser = "prose"\n'
NIGHT = SaveFormPreset(kind="generate_image", name="night", values={"prompt": "snow"})


def weights(payload: bytes = b"\0\0\0\0") -> bytes:
    header = json.dumps({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    return struct.pack("<Q", len(header)) + header + payload


def write(folder: DataFolder, **files: bytes | str) -> None:
    for name, content in files.items():
        path = folder.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.fixture
def old(tmp_path: Path) -> DataFolder:
    """A data folder with something of everything, also of what does not travel."""
    folder = DataFolder(tmp_path / "old")
    FormShelf(folder.form_presets).save(NIGHT)
    travels: dict[str, bytes | str] = {
        "presets/a variant é.toml": VARIANT,
        "presets/base.toml": BASE,
        "presets/tasks/count.toml": TASK,
        "presets/templates/mine.toml": 'analysis = "x"',
        "adapters/style.safetensors": weights(),
        "adapters/warm/adapter_model.safetensors": weights(),
        "adapters/warm/adapter_config.json": '{"r": 4}',
    }
    stays: dict[str, bytes | str] = {
        "reasoners.toml": 'key = "secret"',
        "server.json": "{}",
        "active-checkpoint": "speck",
        "checkpoints/speck/x.json": "{}",
        "presets/.hidden.toml": BASE,
        "presets/long.toml": "#" * (MAX_TEXT_BYTES + 1),
        "adapters/0123456789abcdef.part": "x",
        "adapters/warm/notes.txt": "x",
    }
    write(folder, **travels, **stays)
    return folder


@pytest.fixture
def new(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "new")


def bring_in(folder: DataFolder, *entries: Entry) -> OwnCounts:
    with zipfile.ZipFile(io.BytesIO(b"".join(zip_stream(entries)))) as archive:
        export = ExportFile(archive, cast(Any, SimpleNamespace()))
        return OwnImporter(folder, folder.media / "incoming").bring_in(export)


def files_of(folder: DataFolder) -> dict[str, bytes]:
    found = folder.root.rglob("*")
    return {path.relative_to(folder.root).as_posix(): path.read_bytes() for path in found if path.is_file()}


def test_everything_of_a_persons_own_comes_in_elsewhere_and_nothing_secret(old: DataFolder, new: DataFolder):
    sent = list(own_files(old))

    assert bring_in(new, *sent) == OwnCounts(added=7)

    assert files_of(new) == {entry.name: (old.root / entry.name).read_bytes() for entry in sent}
    assert len(sent) == 8
    assert not any(b"secret" in content for content in files_of(new).values())
    assert [preset.name for preset in FormShelf(new.form_presets).listing().presets] == ["night"]
    assert [adapter.name for adapter in AdapterRack(new.adapters).listing().adapters] == ["style", "warm"]
    assert load_presets(new.presets)["my-nano"].lies_under == "my-base"
    assert load_tasks(new.tasks)["count"].title == "Count"
    assert bring_in(new, *sent) == OwnCounts(known=7)


def test_what_is_here_stays_as_it_is(old: DataFolder, new: DataFolder):
    write(new, **{"presets/other-name.toml": BASE.replace("Base.", "Here."), "adapters/warm.safetensors": weights()})
    shelf = FormShelf(new.form_presets)
    shelf.save(NIGHT.model_copy(update={"values": {"prompt": "rain"}}))

    counts = bring_in(new, *own_files(old))

    assert counts == OwnCounts(added=4, known=3)
    assert shelf.listing().presets[0].values == {"prompt": "rain"}
    assert load_presets(new.presets)["my-base"].summary == "Here."
    assert not (new.adapters / "warm").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("presets/x.toml", "id = "),
        ("presets/x.toml", VARIANT),
        ("presets/x.toml", BASE + "strange = 1\n"),
        ("presets/tasks/x.toml", BASE),
        ("presets/templates/refine.toml", 'image = "x"'),
        ("presets/templates/x.toml", b"\xff"),
        ("adapters/x.safetensors", b"no weights"),
        ("adapters/x.safetensors", weights(b"")),
        ("adapters/x/adapter_config.json", "{}"),
        ("form-presets/0123456789abcdef.json", "{}"),
        ("form-presets/0123456789abcdef.json", '{"kind": "generate_image", "name": "n", "values": {}, '
         '"id": "0123456789abcdef", "saved_at": "2026-01-02T03:04:05Z"}'),
    ],
)  # fmt: skip
def test_what_cannot_be_used_stays_out_and_leaves_nothing(new: DataFolder, name: str, content: bytes | str):
    data = content.encode() if isinstance(content, str) else content

    assert bring_in(new, Entry(name, data)) == OwnCounts(refused=1)
    assert files_of(new) == {}


def test_an_adapter_is_whole_or_not_there(new: DataFolder):
    config = Entry("adapters/x/adapter_config.json", b"{}")

    assert bring_in(new, config, Entry("adapters/x/adapter_model.safetensors", weights(b"\0"))).refused == 1
    assert files_of(new) == {}


def test_what_a_killed_import_left_goes_with_the_next_one(old: DataFolder, new: DataFolder):
    write(new, **{"adapters/0123456789abcdef.part": "x", "media/incoming/presets-x/presets/a.toml": "x"})
    write(new, **{"adapters/download.part": "somebody else's"})

    bring_in(new)

    assert list(files_of(new)) == ["adapters/download.part"]


@pytest.mark.parametrize(
    "name",
    [
        *("reasoners.toml", "server.json", "active-checkpoint", "checkpoints/x.toml", "presets/x.json"),
        *("presets/.toml", "presets/../x.toml", "presets/tasks/../x.toml", "presets//x.toml"),
        *("presets/other/x.toml", "/presets/x.toml", "presets/a\\b.toml"),
        *("presets/..\\x.toml", "presets/\ud800.toml", "presets/a\nb.toml", f"presets/{'é' * 120}.toml"),
        *("adapters/../x.safetensors", "adapters/../../x.json", "adapters/x/y/z.json", "adapters/.x/a.json"),
        *("adapters/x.json", "adapters/x/run.py", "form-presets/x.json", "form-presets/../0123456789abcdef.json"),
    ],
)  # fmt: skip
def test_a_name_that_has_no_place_in_a_data_folder_is_none(name: str):
    assert own_kind(name, 1) is None


def test_a_text_is_bounded_and_weights_are_not():
    assert own_kind("presets/x.toml", MAX_TEXT_BYTES) == "preset"
    assert own_kind("presets/x.toml", MAX_TEXT_BYTES + 1) is None
    assert own_kind("adapters/x.safetensors", 2**34) == "adapter"


def test_an_entry_that_breaks_off_is_said(new: DataFolder):
    content = bytearray(b"".join(zip_stream([Entry("presets/x.toml", BASE.encode())])))
    content[content.index(b"Base.")] ^= 1
    with zipfile.ZipFile(io.BytesIO(bytes(content))) as archive, pytest.raises(BadInput, match="breaks off"):
        OwnImporter(new, new.media).bring_in(ExportFile(archive, cast(Any, SimpleNamespace())))
    assert files_of(new) == {}
