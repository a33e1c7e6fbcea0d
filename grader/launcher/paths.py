"""paths: where things stand in this checkout."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
# One build tree for every command; a second one can be chosen, for a read-only checkout or for work in parallel.
BUILD = Path(os.environ.get("WARPLADDER_BUILD_DIR") or ROOT / "build").absolute()
LOGS = BUILD / "logs"


def shown(path: Path) -> str:
    """The path as a person standing in the checkout would type it."""
    try:
        return str(path.relative_to(ROOT))
    except ValueError:
        return str(path)
