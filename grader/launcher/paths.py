"""paths: the folders of this checkout, and the commit that it holds."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
# All commands share one build tree. The variable chooses another: for a read-only checkout, or to work in parallel.
BUILD = Path(os.environ.get("WARPLADDER_BUILD_DIR") or ROOT / "build").absolute()
LOGS = BUILD / "logs"


def shown(path: Path) -> str:
    """The path as a person in the checkout would type it."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def commit() -> str | None:
    """The commit of this checkout, with "-dirty" if files have changed since; None outside a checkout."""
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
