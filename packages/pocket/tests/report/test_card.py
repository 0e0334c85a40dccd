from dataclasses import asdict

from pocket.report.candidate import Effort
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
    card = {"checkpoint": "toy", "fingerprint": "0a", "form": "quick", "seed": 0, "effort": asdict(Effort())}

    table = markdown({**card, "exams": {"policy": {**exam, "figures": {"lift": lift, "off": off}}}})

    assert "| lifted ↑ | 100% | 21% to 100% | 1 | –; 0% idle | – | ≥ 85% |" in table
    assert "| error in rad ↓ | – | – | 0 | – | – | – |" in table
    assert "* `policy`: chance is noise; the ceiling the truth." in table


def test_the_table_says_what_clock_the_policy_had():
    loop = {
        "rate_hz": 15.0,
        "num_missed": 2,
        "latency_p50_s": 0.45,
        "latency_p95_s": None,
        "num_gaps": 3,
        "num_played": 7,
    }
    exam = {"asked": 1, "took_s": 1.0, "chance_is": "", "ceiling_is": "", "figures": {}}
    card = {
        "checkpoint": "toy",
        "fingerprint": "0a",
        "form": "quick",
        "seed": 0,
        "effort": asdict(Effort()),
        "answers_after_s": 7 / 15,
    }

    table = markdown({**card, "exams": {"real_time": {**exam, "loop": loop}}})

    assert "an answer arrived 0.467 s after its question" in table
    assert "rows arrived after 0.45 s (p95 –); 3 of 10 ticks of a run had none." in table
    assert "* `real_time`" not in table


def test_the_table_says_what_was_saved_of_the_work():
    effort = asdict(Effort(precision="fp8", step_cache=0.1))
    table = markdown(
        {"checkpoint": "toy", "fingerprint": "0a", "form": "full", "seed": 0, "effort": effort, "exams": {}}
    )

    assert table.startswith("Checkpoint `toy` (`0a`), form full, seed 0, precision fp8, step cache 0.1.\n")
