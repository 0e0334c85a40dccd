"""A new metric of comparisons is its row and its function: measuring, table, command line and page read those."""

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from backend.comparisons.exporting import csv_of
from backend.comparisons.likeness import MEASURES, compare
from cli.verbs.compare import table_of
from frontend.offline import offline_page
from studio.comparisons import METRICS, Cell, Column, Comparison, Likeness, Metric


def darker(one: np.ndarray, other: np.ndarray) -> float:
    return float(other.mean() - one.mean())


@pytest.fixture(autouse=True)
def metric(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Metric("darker", "darker by", "Mean brightness below the ground truth's", unit="levels", digits=0)
    monkeypatch.setitem(METRICS, "darker", row)
    monkeypatch.setitem(MEASURES, "darker", darker)


@pytest.fixture
def measured(tmp_path: Path) -> Likeness:
    for name, level in (("made", 90), ("truth", 100)):
        Image.fromarray(np.full((16, 16, 3), level, np.uint8)).save(tmp_path / f"{name}.png")
    return compare(tmp_path / "made.png", tmp_path / "truth.png")


def test_it_is_measured_and_kept_as_json(measured: Likeness):
    assert measured.figure("darker") == 10
    assert Likeness.model_validate_json(measured.model_dump_json()) == measured


def test_the_table_the_command_line_and_the_page_show_it(measured: Likeness):
    comparison = Comparison(
        id="c",
        title="",
        num_rows=1,
        num_columns=1,
        num_cells=1,
        num_done=1,
        created_at=datetime(2026, 1, 2, tzinfo=UTC),
        rows=("a",),
        columns=(Column(label="b", role="made"),),
        cells=(Cell(row=0, column=0, likeness=measured),),
    )

    (line,) = csv.DictReader(io.StringIO(csv_of(comparison)))
    assert line["darker"] == "10.0"
    titles, rows = table_of(comparison)
    assert dict(zip(titles, rows[0], strict=True))["darker by"] == "10"
    page = offline_page("c", comparison.model_dump(mode="json"))
    assert '"title": "darker by"' in page
    assert '"darker": 10.0' in page


def test_a_number_of_no_metric_is_refused():
    with pytest.raises(ValueError, match="lighter is not a metric"):
        Likeness.of({"lighter": 1})
