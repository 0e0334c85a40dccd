"""A data folder with speck built from two seeds, and a third checkpoint that is broken."""

import shutil
from pathlib import Path

import presets
from engine.speck import build_speck


def lay_out(data: Path, *, broken: bool = False) -> None:
    """`speck` and `after`, of the same shape and other weights; `broken` has a shard that is cut off."""
    preset = (Path(presets.__file__).parent / "checkpoints" / "speck.toml").read_text()
    (data / "presets").mkdir(parents=True)
    build_speck(data / "checkpoints" / "speck", 0)
    build_speck(data / "checkpoints" / "after", 1)
    names = ["after"]
    if broken:
        shutil.copytree(data / "checkpoints" / "speck", data / "checkpoints" / "broken")
        shard = sorted((data / "checkpoints" / "broken" / "transformer").glob("*.safetensors"))[0]
        shard.write_bytes(shard.read_bytes()[:1000])
        names.append("broken")
    for name in names:
        (data / "presets" / f"{name}.toml").write_text(preset.replace('"speck"', f'"{name}"'))
