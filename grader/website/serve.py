"""serve: ./lab docs builds the site and serves it to this machine; with --build it only builds."""

import contextlib
import functools
import http.server
from argparse import Namespace
from pathlib import Path

from launcher import setup
from launcher.console import Failure, say
from launcher.language import _
from launcher.paths import BUILD, shown

SHOWN = ("text/html", "text/css", "text/javascript", "application/javascript", "image/")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Shows sources and tables as text; Python takes .cu for something else."""

    def guess_type(self, path: str) -> str:
        kind = super().guess_type(path)
        return kind if kind.startswith(SHOWN) else "text/plain; charset=utf-8"

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # the browser has left the page already
            super().handle()

    def log_message(self, *_: object) -> None:
        """A line for each request would hide the address."""


def run(arguments: Namespace) -> int:
    setup.go_on_in_docs_python()
    if arguments.build:
        _build(Path(arguments.build).absolute())
        return 0
    with server(BUILD / "site", arguments.port) as running:  # a port in use is found before the site is built
        _build(BUILD / "site")
        say(_("The site is at http://127.0.0.1:{port}/ . Ctrl-C ends it.", port=running.server_port))
        with contextlib.suppress(KeyboardInterrupt):
            running.serve_forever()
        say()
    return 0


def _build(folder: Path) -> None:
    from .build import build

    checked = build(folder)
    say(_("{pages} pages, {links} links: {folder}", pages=checked.pages, links=checked.links, folder=shown(folder)))


def server(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """Only this machine reaches it. Port 0: any that is free."""
    try:
        return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=str(folder)))
    except (OSError, OverflowError) as error:
        raise Failure(
            _("port {port} cannot be used: {error}. Choose another: ./lab docs --port N", port=port, error=error)
        ) from error
