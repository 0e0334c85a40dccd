"""The page that is taken along holds everything that it needs."""

import json
import re

from frontend.offline import offline_page
from frontend.static_files import FOLDER


def test_every_module_is_inside_and_imports_go_through_the_map():
    page = offline_page("a </script> & b", {"title": "</script><b>", "cells": []})

    found = re.search(r'<script type="importmap">(.*?)</script>', page)
    assert found
    modules = json.loads(found[1])["imports"]
    assert {"orrery/offline_page.js", "orrery/playhead.js", "orrery/playhead_part.js"} <= set(modules)
    assert all((FOLDER / name.removeprefix("orrery/")).is_file() for name in modules)
    assert "</script><b>" not in page
    assert not re.search(r'(?:src|href)="', page)
