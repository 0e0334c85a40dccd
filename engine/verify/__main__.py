"""Account for every tensor of a checkpoint's folder.

python -m engine.verify FOLDER [--values] [--json]

Leaves with 0 when all is whole, with 1 when something is wrong, with 2 when the folder is no checkpoint.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from engine.verify.account import account_for, as_json, check_values, table
from studio.errors import StudioError

BROKEN, NO_CHECKPOINT = 1, 2


def main() -> int:
    """Check, print and say how it went."""
    parser = argparse.ArgumentParser(prog="python -m engine.verify", description="Check every tensor of a checkpoint.")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--values", action="store_true", help="also read every value and report those that are not finite"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    try:
        account = account_for(options.folder)
    except StudioError as error:
        sys.stderr.write(f"orrery: {error}\n")
        return NO_CHECKPOINT
    if options.values:
        check_values(account, _say)
    sys.stdout.write(json.dumps(as_json(account), indent=2) + "\n" if options.json else table(account))
    return 0 if account.whole else BROKEN


def _say(file: str) -> None:
    sys.stderr.write(f"reading {file}\n")


if __name__ == "__main__":
    sys.exit(main())
