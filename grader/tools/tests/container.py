"""container: the files of .devcontainer."""

import json
import re
from typing import Any

from launcher.paths import ROOT

FOLDER = ROOT / ".devcontainer"


def settings() -> dict[str, Any]:
    return json.loads((FOLDER / "devcontainer.json").read_text(encoding="utf-8"))


def packages() -> list[str]:
    return (FOLDER / "packages.txt").read_text(encoding="utf-8").split()


def instructions() -> list[tuple[str, str]]:
    """The lines of the Dockerfile: ("RUN", "apt-get …")."""
    text = (FOLDER / settings()["build"]["dockerfile"]).read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", "")
    return [(word, rest.strip()) for line in text.splitlines() if line for word, _, rest in [line.partition(" ")]]
