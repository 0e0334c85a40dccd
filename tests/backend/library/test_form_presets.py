"""Values of forms under their names."""

from pathlib import Path

import pytest

from backend.library.form_presets import FormPresets
from studio.errors import Conflict, PresetNotFound
from studio.presets import SaveFormPreset


def asked(name: str = "Slow and wide", kind: str = "generate_video", **values: object) -> SaveFormPreset:
    return SaveFormPreset(kind=kind, name=name, values={"num_frames": 17, **values})


def test_what_is_saved_is_listed_by_name_and_by_kind(tmp_path: Path):
    shelf = FormPresets(tmp_path / "form-presets")
    assert shelf.listing().presets == ()
    for name in ("zebra", "Ant"):
        shelf.save(asked(name))
    shelf.save(asked("mouse", "transfer_video"))
    assert [preset.name for preset in shelf.listing().presets] == ["Ant", "mouse", "zebra"]
    assert [preset.name for preset in shelf.listing("transfer_video").presets] == ["mouse"]


def test_the_same_name_again_replaces_it(tmp_path: Path):
    shelf = FormPresets(tmp_path)
    first = shelf.save(asked(prompt="one"))
    second = shelf.save(asked("SLOW AND  WIDE", prompt="two"))
    assert first.id == second.id
    assert [preset.values["prompt"] for preset in shelf.listing().presets] == ["two"]


def test_a_deleted_one_is_gone_and_cannot_be_deleted_twice(tmp_path: Path):
    shelf = FormPresets(tmp_path)
    saved = shelf.save(asked())
    assert shelf.delete(saved.id) == saved
    assert shelf.listing().presets == ()
    with pytest.raises(PresetNotFound):
        shelf.delete(saved.id)


@pytest.mark.parametrize("name", ["../orrery", "..%2f", "", "0" * 17, "g" * 16])
def test_an_id_is_never_a_path(tmp_path: Path, name: str):
    (tmp_path / "orrery.json").write_text("{}")
    with pytest.raises(PresetNotFound):
        FormPresets(tmp_path / "form-presets").delete(name)
    assert (tmp_path / "orrery.json").exists()


def test_a_file_that_cannot_be_read_spoils_nothing(tmp_path: Path):
    shelf = FormPresets(tmp_path)
    shelf.save(asked())
    (tmp_path / f"{'a' * 16}.json").write_text("{half")
    assert len(shelf.listing().presets) == 1


def test_there_is_an_end_to_how_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("backend.library.form_presets.MAX_PRESETS", 2)
    shelf = FormPresets(tmp_path)
    shelf.save(asked("one"))
    shelf.save(asked("two"))
    shelf.save(asked("two"))
    with pytest.raises(Conflict):
        shelf.save(asked("three"))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kind": "paint"}, "kind is 'paint'"),
        ({"name": "  "}, "the name is empty"),
        ({"values": {"num_frame": 17}}, "Did you mean num_frames?"),
        ({"values": {"prompt": "x" * 300_000}}, "bytes"),
    ],
)
def test_what_is_no_form_is_refused(changes: dict[str, object], says: str):
    with pytest.raises(ValueError, match=says.replace("?", r"\?")):
        SaveFormPreset.model_validate({"kind": "generate_video", "name": "x", "values": {}, **changes})
