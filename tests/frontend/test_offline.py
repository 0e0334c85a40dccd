"""The page that is taken along holds everything that it needs."""

import base64
import json
import re

from frontend.offline import offline_page
from frontend.packing import SOURCES


def test_every_module_is_inside_and_imports_go_through_the_map():
    page = offline_page("a </script> & b", {"title": "</script><b>", "cells": []})

    found = re.search(r'<script type="importmap">(.*?)</script>', page)
    assert found
    modules = json.loads(found[1])["imports"]
    assert {"orrery/playhead/offline_page.js", "orrery/playhead/playhead.js", "orrery/data/facts.js"} <= set(modules)
    assert all((SOURCES / name.removeprefix("orrery/")).is_file() for name in modules)
    sources = [base64.b64decode(module.partition(",")[2]).decode() for module in modules.values()]
    for source in sources:
        assert set(re.findall(r'^import [^;]*"([^"]+)";', source, re.MULTILINE)) <= set(modules)
    assert "</script><b>" not in page
    assert not re.search(r'(?:src|href)="', page)
