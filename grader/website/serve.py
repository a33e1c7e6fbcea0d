"""serve: ./lab docs builds the site and serves it to this machine; with --build it only builds."""

import functools
import http.server
from argparse import Namespace
from pathlib import Path

from launcher import setup
from launcher.console import Failure, say
from launcher.paths import BUILD, shown


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {"": "text/plain; charset=utf-8"}

    def log_message(self, *_: object) -> None:
        """A line for each request would hide the address."""


def run(arguments: Namespace) -> int:
    setup.go_on_in_docs_python()
    from .build import build

    folder = Path(arguments.build or BUILD / "site").absolute()
    checked = build(folder)
    say(f"{checked.pages} pages, {checked.links} links: {shown(folder)}")
    if not arguments.build:
        serve(folder, arguments.port)
    return 0


def server(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """It is reached from this machine only. Port 0: any that is free."""
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=str(folder)))


def serve(folder: Path, port: int) -> None:
    try:
        running = server(folder, port)
    except (OSError, OverflowError) as error:
        raise Failure(f"port {port} cannot be used ({error}). Choose another: ./lab docs --port N") from error
    with running:
        say(f"The site is at http://127.0.0.1:{running.server_port}/ . Ctrl-C ends it.")
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            say()
