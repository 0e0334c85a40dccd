"""Presets that are variants of others: the same files under another name, and what they say of their own."""

from pathlib import Path

import pytest

from studio.catalogue import list_checkpoints
from studio.checkpoints import find_checkpoint
from studio.errors import BadInput
from studio.presets import CheckpointPreset, load_presets

VARIANT = 'id = "eight"\ntitle = "Eight"\nsummary = "s"\nvariant_of = "speck"\nprecision = "fp8"\n'


def presets_with(folder: Path, *files: str) -> dict[str, CheckpointPreset]:
    for number, text in enumerate(files):
        (folder / f"{number}.toml").write_text(text)
    return load_presets(folder)


def test_a_variant_says_what_the_other_says_and_what_it_says_itself_wins(tmp_path: Path):
    steps = "[defaults.generate_image.sampling]\nnum_inference_steps = 3\n"
    found = presets_with(tmp_path, VARIANT + steps)
    eight, speck = found["eight"], found["speck"]

    assert (eight.title, eight.precision, speck.precision) == ("Eight", "fp8", None)
    assert (eight.random_weights, eight.built_here) == (speck.random_weights, speck.built_here)
    assert eight.capabilities == speck.capabilities
    assert eight.defaults["generate_video"] == speck.defaults["generate_video"]
    sampling = speck.defaults["generate_image"]["sampling"]
    assert eight.defaults["generate_image"]["sampling"] == {**sampling, "num_inference_steps": 3}


def test_a_variant_lies_where_the_other_lies_and_the_list_says_whose_weights_it_has(tmp_path: Path):
    found, built = presets_with(tmp_path, VARIANT), tmp_path / "built"
    (built / "speck" / "transformer").mkdir(parents=True)
    (built / "speck" / "transformer" / "config.json").write_text("{}")
    (built / "speck" / "model_index.json").write_text("{}")

    eight = find_checkpoint("eight", found, built)

    assert (eight.id, eight.folder, eight.installed) == ("eight", built / "speck", True)
    assert eight.capabilities().checkpoint == "eight"
    listed = {info.id: info for info in list_checkpoints(found, built).checkpoints}
    assert (listed["eight"].variant_of, listed["eight"].precision) == ("speck", "fp8")
    assert (listed["speck"].variant_of, listed["speck"].precision) == ("", None)


def test_a_variant_may_be_another_revision_of_the_repository_whose_size_nobody_said():
    found = load_presets()
    nano, eight = found["cosmos3-nano"], found["cosmos3-nano-fp8"]

    assert (eight.repository, eight.revision, eight.precision) == (nano.repository, "fp8", "fp8")
    assert (nano.revision, nano.weights_gb is None, eight.weights_gb) == ("", False, None)
    assert eight.defaults == nano.defaults
    listed = {info.id: info for info in list_checkpoints(found, Path("nowhere")).checkpoints}
    assert (listed["cosmos3-nano-fp8"].revision, listed["cosmos3-nano"].revision) == ("fp8", "")


def test_a_variant_that_says_no_revision_has_that_of_the_other(tmp_path: Path):
    base = 'id = "far"\ntitle = "Far"\nsummary = "s"\nrepository = "a/b"\nrevision = "v2"\nweights_gb = 3.0\n'
    found = presets_with(tmp_path, base, VARIANT.replace('"speck"', '"far"'))
    assert (found["eight"].revision, found["eight"].weights_gb) == ("v2", 3.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (VARIANT.replace('"speck"', '"spek"'), "is a variant of spek, which has no preset"),
        (VARIANT.replace('"speck"', '"eight"'), "is a variant of eight, which is itself a variant"),
        (VARIANT + 'repository = "a/b"\nbuilt_here = false\n', "cannot set built_here, repository"),
        (VARIANT.replace("fp8", "fp4"), "precision"),
        (VARIANT + 'revision = "fp8"\n', "has the revision fp8 and no repository"),
        (VARIANT + "[defaults.generate_image]\nresolution = 7\n", "resolution"),
    ],
)
def test_a_variant_of_nothing_or_with_files_of_its_own_is_refused(tmp_path: Path, text: str, said: str):
    with pytest.raises(BadInput, match=said):
        presets_with(tmp_path, text)
