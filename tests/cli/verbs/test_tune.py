"""`orrery tune`: what flags mean, against a server that notes what it is asked."""

from pathlib import Path
from typing import Any

import pytest

from cli.verbs import tune
from studio.errors import BadInput


def said(**flags: Any) -> dict[str, Any]:
    rank = flags.pop("lora", None)
    return tune._said({}, flags, rank, {})


def test_flags_become_the_fields_of_the_recipe():
    assert said(steps=60, lora=8) == {"optimisation": {"steps": 60}, "lora": {"rank": 8}}
    assert said(lora=0) == {"lora": None}
    assert said() == {}


def test_an_adapter_s_flags_without_an_adapter_are_refused():
    with pytest.raises(BadInput, match="trains all weights"):
        tune._said({}, {}, 0, {"alpha": 4.0})


def test_every_plain_field_has_a_flag():
    assert {"steps", "batch_size", "learning_rate", "ema", "seed"} <= tune._names(tune.Optimisation).keys()
    assert "betas" not in tune._names(tune.Optimisation)
    assert {"num_frames", "fps", "resolution"} <= tune._names(tune.GeneratorRecipe).keys()
    assert "modes" not in tune._names(tune.GeneratorRecipe)


def test_modes_are_said_with_their_shares():
    assert tune._shares("t2v=1, t2i=0.5") == {"t2v": 1.0, "t2i": 0.5}
    for modes in ("t2v", "t2v=much", "t2v=1,"):
        with pytest.raises(BadInput, match="has a mode without a share"):
            tune._shares(modes)


def test_a_preset_and_a_file_together_are_refused(tmp_path: Path):
    asked = tune._Asked("pocket", "grasp", preset="pocket_clips", recipe=tmp_path / "a.toml")
    with pytest.raises(BadInput, match="Both --preset and --recipe"):
        tune._under("generator", {}, asked, None)  # type: ignore[arg-type]


def test_what_a_file_has_and_we_have_not_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "a.toml"
    path.write_text('[job]\ntask = "vfm"\n[optimizer]\nlr = 1e-4\n[trainer]\nmax_iter = 7\ngrad_accum_iter = 2\n')
    asked = tune._Asked("pocket", "grasp", recipe=path)
    fields = tune._under("generator", {"optimisation": {"seed": 3}}, asked, None)  # type: ignore[arg-type]
    assert fields["optimisation"] == {"learning_rate": 1e-4, "steps": 7, "seed": 3}
    assert "trainer.grad_accum_iter (say the whole batch) is left out" in capsys.readouterr().out


def test_both_names_are_needed():
    with pytest.raises(BadInput, match="--output is missing"):
        tune._read_asked({"checkpoint": "pocket", "output": None})
