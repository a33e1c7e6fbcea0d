"""container: the files of .devcontainer, and a bare Debian in which their commands run as in a container."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from launcher.paths import ROOT

FOLDER = ROOT / ".devcontainer"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


def settings() -> dict[str, Any]:
    return json.loads((FOLDER / "devcontainer.json").read_text(encoding="utf-8"))


def packages() -> list[str]:
    return (FOLDER / "packages.txt").read_text(encoding="utf-8").split()


def instructions() -> list[tuple[str, str]]:
    """The lines of the Dockerfile: ("RUN", "apt-get …")."""
    text = (FOLDER / settings()["build"]["dockerfile"]).read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", "")
    return [(word, rest.strip()) for line in text.splitlines() if line for word, _, rest in [line.partition(" ")]]


def mirror() -> list[str]:
    """The mirror of Debian that this machine uses, as an argument; none if it is not known: debootstrap has its own."""
    files = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*.sources"))]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())
    found = re.search(r"^(?:URIs:|deb(?: \[.*?\])?) +(http\S+/debian)/?\s", text, re.MULTILINE)
    return [found[1]] if found else []


def can_be_made() -> str:
    """Why no bare Debian can be made here. Empty: it can."""
    if os.geteuid() != 0:
        return "debootstrap needs root"
    missing = [program for program in ("debootstrap", "bwrap") if shutil.which(program) is None]
    return f"there is no {' and no '.join(missing)} here" if missing else ""


class BareDebian:
    """Debian's smallest set of packages in a folder, with the network of this machine."""

    def __init__(self, root: Path, release: str) -> None:
        self.root = root
        subprocess.run(
            ["debootstrap", "--variant=minbase", release, root, *mirror()], check=True, stdout=subprocess.DEVNULL
        )

    def run(
        self, command: list[str], *, user: str = "root", folder: str = "/", shows: dict[Path, str] | None = None
    ) -> str:
        """Runs it, which must succeed, and returns its output. shows: folders of this machine → where they are seen."""
        wall = ["bwrap", "--bind", str(self.root), "/", "--dev", "/dev", "--proc", "/proc", "--cap-add", "ALL"]
        wall += ["--unshare-pid", "--die-with-parent", "--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf"]
        for here, there in (shows or {}).items():
            wall += ["--ro-bind", str(here), there]
        if user != "root":
            command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--inh-caps=-all", *command]
        home = "/root" if user == "root" else f"/home/{user}"
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home, "LANG": "C.UTF-8"}
        done = subprocess.run(
            [*wall, "--chdir", folder, *command],
            env={**pip, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode != 0:
            raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout[-4000:]}")
        return done.stdout
