from pocket.train.flow.samples import HINTS
from studio.presets import load_presets


def test_the_preset_names_the_controls_that_the_training_follows():
    assert load_presets()["pocket"].capabilities.hints == HINTS
