"""The page in the browser, one folder a room: its scripts, its style sheets and the words that they say.

A script imports its neighbours and rooms of lower floors (`FLOORS` in `tests/frontend/test_page.py`). Of what a place
reaches `frontend.packing` makes one script and one style sheet.
"""
