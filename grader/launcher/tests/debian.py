"""debian: a Debian or Ubuntu of its own in a folder. debootstrap makes it, apt fills it, bubblewrap enters it: so the
course is tried with compilers and a CUDA that this machine does not have. A root that is complete is kept for the next
time. It may also be one for another processor, whose programs qemu runs."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..paths import BUILD, ROOT

COURSE = "/root/course"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")  # this machine's: its network may have some of its own
NAMES = Path("/etc/resolv.conf")
DEBIAN = ("bookworm", "trixie")
# What the kernel hands to qemu, as the kernel's documentation of binfmt_misc says: the first bytes of a program for
# arm64, and which bits of them count. F: the kernel opens qemu now, because the root has none.
ARM64_PROGRAM = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
ITS_MASK = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
BINFMT = "/proc/sys/fs/binfmt_misc"
REGISTER = f'mount -t binfmt_misc none {BINFMT} && printf %s "$0" > {BINFMT}/register && exec "$@"'


def missing() -> str:
    """Why no root can be made here; empty: it can."""
    lacks = [program for program in ("debootstrap", "bwrap", "git") if shutil.which(program) is None]
    if lacks:
        return f"this machine lacks {', '.join(lacks)}"
    return "" if os.geteuid() == 0 else "only root may make a Debian in a folder"


def missing_for_arm() -> str:
    """The same, for a root of arm64."""
    if why := missing():
        return why
    mount = ["unshare", "-Urm", "mount", "-t", "binfmt_misc", "none", BINFMT]
    done = subprocess.run(mount, capture_output=True, text=True)
    said = done.stderr.strip()
    return f"a namespace may not say who runs its programs; Linux 6.7 allows it ({said})" if done.returncode else ""


def mirror(release: str) -> list[str]:
    """The mirror of Debian that this machine uses, as an argument; none if it is not known: debootstrap has its own."""
    if release not in DEBIAN:
        return []
    files = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*.sources"))]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())
    found = re.search(r"^(?:URIs:|deb(?: \[.*?\])?) +(http\S+/debian)/?\s", text, re.MULTILINE)
    return [found[1]] if found else []


def debootstrap(*options: str, release: str, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = ["debootstrap", "--variant=minbase", *options, release, str(folder), *mirror(release)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Root:
    def __init__(
        self, release: str, components: str = "main,contrib,non-free", name: str = "", folder: Path | None = None
    ) -> None:
        """components: the parts of the distribution that the root's apt knows. name: of its folder, if that is not the
        release. folder: where it is, if it is not kept."""
        self.release, self.components = release, components
        self.folder = folder or BUILD / "roots" / (name or release)
        self.mark = self.folder.with_suffix(".packages")  # those that are installed

    def make(self, packages: Iterable[str] = (), architecture: str = "") -> None:
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
        options = ("--include=ca-certificates", f"--components={self.components}")
        debootstrap(*options, release=self.release, folder=self.folder)
        excluded = ("share/doc/*", "share/man/*", "lib/*/lib*_static*.a")  # gigabytes
        slim = "".join(f"path-exclude=/usr/{files}\n" for files in excluded)
        slim += "path-include=/usr/lib/*/libcudart_static.a\n"
        (self.folder / "etc/dpkg/dpkg.cfg.d/slim").write_text(slim, encoding="ascii")
        sources = self.folder / "etc/apt/sources.list"
        lines = sources.read_text(encoding="ascii").splitlines()
        lines += [line.replace(f" {self.release} ", f" {self.release}-updates ") for line in lines]
        sources.write_text("\n".join([*lines, ""]), encoding="ascii")
        self.mark.touch()

    def take_course(self) -> None:
        """Copies this checkout, as it is, over the one that the root has."""
        (self.folder / COURSE[1:]).mkdir(parents=True, exist_ok=True)
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout
        pack = ["tar", "-c", "--null", "-T", "-", "--ignore-failed-read"]
        packed = subprocess.run(pack, cwd=ROOT, check=True, input=files, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", str(self.folder / COURSE[1:])], check=True, input=packed)

    def run(
        self, *command: str, at: str = "/root", user: str = "root", shows: Mapping[Path, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """shows: files and folders of this machine → where they are seen."""
        shown = {NAMES: str(NAMES)}
        if CERTIFICATES.exists() and (self.folder / "etc/ssl/certs").is_dir():
            shown[CERTIFICATES] = str(CERTIFICATES)
        wall = ["bwrap", "--bind", str(self.folder), "/", "--dev", "/dev", "--proc", "/proc", "--cap-add", "ALL"]
        wall += ["--unshare-pid", "--die-with-parent", "--chdir", at]
        for here, there in {**shown, **(shows or {})}.items():
            wall += ["--ro-bind", str(here), there]
        if user != "root":
            as_user = ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--inh-caps=-all")
            command = (*as_user, *command)
        return subprocess.run(
            [*self.before_wall(), *wall, *command],
            env=self._environment(user, CERTIFICATES in shown),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def before_wall(self) -> list[str]:
        return []

    def _environment(self, user: str, has_certificates: bool) -> dict[str, str]:
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        env = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        env |= {"PATH": path, "HOME": "/root" if user == "root" else f"/home/{user}", "LANG": "C.UTF-8"}
        env["DEBIAN_FRONTEND"] = "noninteractive"
        if (self.folder / "usr/bin/ccache").exists():
            env["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
        if has_certificates:
            env |= {"PIP_CERT": str(CERTIFICATES), "SSL_CERT_FILE": str(CERTIFICATES)}
        return env

    def must(
        self, *command: str, at: str = "/root", user: str = "root", shows: Mapping[Path, str] | None = None
    ) -> str:
        """The output of a command that must succeed."""
        result = self.run(*command, at=at, user=user, shows=shows)
        if result.returncode != 0:
            end = "\n".join(result.stdout.splitlines()[-30:])
            raise AssertionError(f"{' '.join(command)} ended with {result.returncode}:\n{end}")
        return result.stdout


class ArmRoot(Root):
    """A root for arm64. Its packages are unpacked and not configured: dpkg under qemu took more than ten minutes."""

    def __init__(self, release: str, qemu: Path) -> None:
        """qemu: linked statically, because it must run in the root, too."""
        super().__init__(release, name=f"{release}-arm64")
        self.qemu = qemu

    def make(self, packages: Iterable[str] = (), architecture: str = "arm64") -> None:
        wanted = "\n".join(sorted(packages))
        if self.mark.exists() and self.mark.read_text(encoding="ascii") == wanted:
            return
        self.mark.unlink(missing_ok=True)
        options = ("--foreign", f"--arch={architecture}", f"--include={','.join(wanted.split())}")
        debootstrap(*options, release=self.release, folder=self.folder)
        for archive in sorted((self.folder / "var/cache/apt/archives").glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", archive, self.folder], check=True)
            archive.unlink()
        (self.folder / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n", encoding="ascii")
        (self.folder / "etc/ssl/certs").mkdir(parents=True, exist_ok=True)
        (self.folder / CERTIFICATES.relative_to("/")).touch()
        self.mark.write_text(wanted, encoding="ascii")

    def before_wall(self) -> list[str]:
        """In namespaces of its own, the kernel runs arm64's programs by qemu; the machine stays as it is."""
        registration = f":arm64:M::{ARM64_PROGRAM}:{ITS_MASK}:{self.qemu}:F"
        return ["unshare", "-Urm", "sh", "-c", REGISTER, registration]
