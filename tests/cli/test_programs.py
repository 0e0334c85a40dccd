"""The report card, which is a distribution of its own."""

import importlib.util


def test_where_the_pocket_s_making_is_not_installed_its_report_card_says_what_to_install(refused, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    said = refused("report-card", "--help")

    assert "pocket cannot be imported" in said
    assert "pip install -e packages/pocket" in said
