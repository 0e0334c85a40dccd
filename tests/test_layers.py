"""The import contract of pyproject.toml holds."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_import_contract_is_kept():
    lint = Path(sys.executable).with_name("lint-imports")

    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)

    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout
