from pocket.report.card import markdown
from pocket.report.exam import Figure
from pocket.report.running import figure_of


def test_a_figure_has_its_interval_its_samples_chance_and_ceiling():
    figure = Figure("lift", "lifted", bar=0.85)
    samples = {
        "candidate": [{"lift": 1.0}] * 7 + [{"lift": 0.0}] * 3 + [{}],
        "ceiling": [{"lift": 1.0}] * 4,
        "chance": [{"lift": 0.0}] * 4,
        "idle": [],
    }

    found = figure_of(figure, samples)

    assert (found["value"], found["num_samples"]) == (0.7, 10)
    assert (round(found["low"], 2), round(found["high"], 2)) == (0.40, 0.89)
    assert (found["chance"], found["ceiling"], found["idle"]) == (0.0, 1.0, None)


def test_the_table_has_a_line_for_every_figure_and_says_what_chance_and_ceiling_are():
    lift = figure_of(Figure("lift", "lifted", bar=0.85), {"candidate": [{"lift": 1.0}], "idle": [{"lift": 0.0}]})
    off = figure_of(Figure("off", "error in rad", "mean", higher=False, digits=3), {"candidate": []})
    exam = {"asked": 1, "took_s": 60.0, "chance_is": "noise", "ceiling_is": "the truth"}
    card = {"checkpoint": "toy", "fingerprint": "0a", "form": "quick", "seed": 0}

    table = markdown({**card, "exams": {"policy": {**exam, "figures": {"lift": lift, "off": off}}}})

    assert "| lifted ↑ | 100% | 21% to 100% | 1 | –; 0% idle | – | ≥ 85% |" in table
    assert "| error in rad ↓ | – | – | 0 | – | – | – |" in table
    assert "* policy: chance is noise; the ceiling the truth." in table
