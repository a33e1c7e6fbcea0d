"""root: a Debian of its own in a folder. debootstrap makes it, apt fills it, and bubblewrap enters it: so the course is
tried with compilers and a CUDA that this machine does not have. A root that is complete is kept for the next time."""

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from grader.launcher.paths import BUILD, ROOT

COURSE = "/root/course"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"  # this machine's: its network may have some of its own


def missing() -> str:
    """Why no root can be made here; empty: it can."""
    lacks = [program for program in ("debootstrap", "bwrap", "git") if shutil.which(program) is None]
    if lacks:
        return f"this machine lacks {', '.join(lacks)}"
    return "" if os.geteuid() == 0 else "only root may make a Debian in a folder"


class Root:
    def __init__(self, release: str, components: str = "main,contrib,non-free") -> None:
        """components: the parts of the distribution that the root's apt knows."""
        self.release, self.components = release, components
        self.folder = BUILD / "roots" / release
        self.mark = self.folder.with_suffix(".packages")  # those that are installed

    def make(self, packages: Iterable[str], architecture: str = "") -> None:
        """architecture: of packages with names like "libzstd-dev:arm64", beside the machine's own."""
        if not self.mark.exists():
            self._make_bare()
        has = set(self.mark.read_text(encoding="ascii").split())
        if has >= set(packages):
            return
        if architecture:
            self.must("dpkg", "--add-architecture", architecture)
        self.must("apt-get", "update", "-q")
        self.must("apt-get", "install", "-q", "-y", "--no-install-recommends", *packages)
        self.must("apt-get", "clean")
        self.mark.write_text("\n".join(sorted(has | set(packages))), encoding="ascii")

    def _make_bare(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        options = ["--variant=minbase", "--include=ca-certificates", f"--components={self.components}"]
        subprocess.run(["debootstrap", *options, self.release, self.folder], check=True, stdout=subprocess.DEVNULL)
        excluded = ("share/doc/*", "share/man/*", "lib/*/lib*_static*.a")  # gigabytes
        slim = "".join(f"path-exclude=/usr/{files}\n" for files in excluded)
        slim += "path-include=/usr/lib/*/libcudart_static.a\n"
        (self.folder / "etc/dpkg/dpkg.cfg.d/slim").write_text(slim, encoding="ascii")
        sources = self.folder / "etc/apt/sources.list"
        lines = sources.read_text(encoding="ascii").splitlines()
        lines += [line.replace(f" {self.release} ", f" {self.release}-updates ") for line in lines]
        sources.write_text("\n".join([*lines, ""]), encoding="ascii")
        # apt's own user cannot be changed to here.
        (self.folder / "etc/apt/apt.conf.d/user").write_text('APT::Sandbox::User "root";\n', encoding="ascii")
        self.mark.touch()

    def take_course(self) -> None:
        """Copies this checkout, as it is, over the one that the root has."""
        (self.folder / COURSE[1:]).mkdir(parents=True, exist_ok=True)
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout
        pack = ["tar", "-c", "--null", "-T", "-", "--ignore-failed-read"]
        packed = subprocess.run(pack, cwd=ROOT, check=True, input=files, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", str(self.folder / COURSE[1:])], check=True, input=packed)

    def run(self, *command: str, at: str = "/root") -> subprocess.CompletedProcess[str]:
        enter = [
            "bwrap",
            "--bind",
            str(self.folder),
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "--chdir",
            at,
            "--clearenv",
        ]
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
        env |= {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache"} if (self.folder / "usr/bin/ccache").exists() else {}
        if Path(CERTIFICATES).exists() and (self.folder / "etc/ssl/certs").is_dir():
            enter += ["--ro-bind", CERTIFICATES, CERTIFICATES]
            env |= {"PIP_CERT": CERTIFICATES, "SSL_CERT_FILE": CERTIFICATES}
        for name, value in env.items():
            enter += ["--setenv", name, value]
        return subprocess.run(
            [*enter, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def must(self, *command: str, at: str = "/root") -> str:
        """The output of a command that must succeed."""
        result = self.run(*command, at=at)
        if result.returncode != 0:
            end = "\n".join(result.stdout.splitlines()[-30:])
            raise AssertionError(f"{' '.join(command)} ended with {result.returncode}:\n{end}")
        return result.stdout
