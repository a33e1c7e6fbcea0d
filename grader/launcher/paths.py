"""paths: where things stand in this checkout, and which it is."""

import os
import subprocess
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


def commit() -> str | None:
    """The commit that stands here, "-dirty" if files were changed since; None outside a checkout."""
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
