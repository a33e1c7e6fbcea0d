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


def serve(folder: Path, port: int) -> None:
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=str(folder)))
    except OSError as error:
        raise Failure(f"port {port} cannot be used ({error.strerror}). Choose another: ./lab docs --port N") from error
    with server:
        say(f"The site is at http://127.0.0.1:{server.server_port}/ . Ctrl-C ends it.")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say()
