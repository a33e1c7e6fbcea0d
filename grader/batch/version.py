"""version: a name for all sources that can change a verdict, the same on every machine that has the same ones."""

import hashlib
import subprocess

from launcher.paths import ROOT

FOLDERS = ("common", "grader/judge", "labs", "solutions")
FILES = ("CMakeLists.txt", "grader/CMakeLists.txt")
PICTURES_AND_TEXT = (".md", ".svg", ".png", ".py", ".pyc")
BESIDE = {"tests", "bench", "wrong", "__pycache__"}


def digest() -> str:
    """Twelve hexadecimal digits."""
    found = [ROOT / name for name in FILES]
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if not BESIDE.intersection(path.relative_to(ROOT).parts) and path.suffix not in PICTURES_AND_TEXT:
                found.append(path)
    whole = hashlib.sha256()
    for path in sorted(found):
        if path.is_file():
            whole.update(str(path.relative_to(ROOT)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:12]


def commit() -> str | None:
    """The commit of the checkout, "-dirty" if files were changed since; None outside a checkout."""
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
