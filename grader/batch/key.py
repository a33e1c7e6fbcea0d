"""key: the file that lets programs take part in a cluster: a private key and its certificate, for Dask's TLS. The
scheduler, every worker and ./lab grade have the same file. Each of them refuses programs that do not have it.

It needs only Python's own library and the program openssl.
"""

import ipaddress
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from launcher.console import Failure, last_lines
from launcher.language import _, later

DAYS = 3650
COPY = later(
    "Copy it from the machine on which ./lab scheduler runs, in a way that nobody else can read: scp, or a USB stick."
)


def check_scheduler(host: str, key: str | None) -> None:
    """Refuses to listen to a network without a key: everybody who may connect can run programs on every worker."""
    if key is None and not is_loopback(host):
        raise Failure(
            _(
                "--host {host} without a key: everybody who reaches this port could run programs on "
                "every worker. Add\n    --key cluster.pem\nIt makes the file if there is none. Only those "
                "who have the file can connect.",
                host=host,
            )
        )
    if key is not None and Path(key).is_dir():
        raise Failure(_("--key {key} is a folder: name a file in it.", key=key))


def check_client(address: str, key: str | None) -> None:
    """Refuses an address and a key that do not belong together. address: tls://HOST:PORT or tcp://HOST:PORT."""
    scheme, host = _parts(address)
    if scheme not in ("tcp", "tls") or not host:
        raise Failure(
            _(
                "{address} is not a scheduler's address. ./lab scheduler prints its own, such as tls://HOST:8786",
                address=address,
            )
        )
    if scheme == "tls" and key is None:
        raise Failure(_("{address} needs the cluster's key: add --key FILE. {copy}", address=address, copy=_(COPY)))
    if scheme == "tcp" and key is not None:
        raise Failure(_("{address}: a key is for tls://. Was the scheduler started with --key?", address=address))
    if scheme == "tcp" and not is_loopback(host):
        raise Failure(
            _(
                "{address} leads to another machine without a key. Start the scheduler there by\n    "
                "./lab scheduler --host {host} --key cluster.pem\nand use tls:// and --key cluster.pem "
                "here.",
                address=address,
                host=host,
            )
        )
    if key is not None and not Path(key).is_file():
        raise Failure(_("--key {key}: there is no such file. {copy}", key=key, copy=_(COPY)))


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def listens_only_here(address: str) -> bool:
    return is_loopback(_parts(address)[1])


def make_if_missing(file: Path) -> bool:
    """Whether a new key was made. Only its owner may read it."""
    if file.exists():
        return False
    if shutil.which("openssl") is None:
        raise Failure(_("a key is made by openssl, which this machine lacks. Install it (Debian: openssl)."))
    with tempfile.TemporaryDirectory(prefix="warpladder-") as folder:
        private, public = Path(folder) / "private", Path(folder) / "public"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        command += ["-days", str(DAYS), "-subj", "/CN=warpladder", "-keyout", str(private), "-out", str(public)]
        made = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
        if made.returncode != 0:
            raise Failure(_("{said}\nopenssl could not make a key.", said=last_lines(made.stderr, 4)))
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise Failure(_("--key {file} cannot be written: {why}", file=file, why=error.strerror)) from error
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(private.read_bytes() + public.read_bytes())
    return True


def options(key: str | Path | None) -> list[str]:
    """The options of Dask's own commands."""
    if key is None:
        return []
    file = str(Path(key).absolute())
    return ["--protocol", "tls", "--tls-ca-file", file, "--tls-cert", file, "--tls-key", file]


def _parts(address: str) -> tuple[str, str]:
    whole = address if "://" in address else f"tcp://{address}"
    try:
        parts = urlsplit(whole)
        return parts.scheme, parts.hostname or ""
    except ValueError:
        return "", ""
