"""``stier web``."""

from __future__ import annotations

import functools
import http.server
import webbrowser
from pathlib import Path
from typing import Any, ClassVar

import click

from stier.cli._command import Command
from stier.errors import FileError

#: The page as `make web` builds it; a wheel contains it.
PAGE = Path(__file__).parent.parent / "page"

#: The only address that is served: programs on other machines cannot reach it.
HOST = "127.0.0.1"


@click.command(cls=Command, examples=["stier web", "stier web --port 8765 --no-browser"])
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port.", show_default="a free one")
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
def web(port: int, browser: bool) -> None:
    """Open the web page: play, review a game, train attacks, look at equilibria.

    The page and the engine come from the installed package and run in the browser. Nothing leaves this machine. Ends
    with Ctrl-C.
    """
    if not (PAGE / "index.html").is_file():
        raise FileError(f"{PAGE}: there is no page; make web builds it, and the wheels on PyPI contain it")
    with serve(port) as server:
        address = f"http://{HOST}:{server.server_address[1]}/"
        print(f"Stier is at {address}\nCtrl-C ends it.", flush=True)
        if browser:
            webbrowser.open(address)
        server.serve_forever()


def serve(port: int = 0) -> http.server.ThreadingHTTPServer:
    """Returns a server of the page for this machine alone; 0 takes a free port."""
    try:
        return http.server.ThreadingHTTPServer((HOST, port), functools.partial(_Files, directory=str(PAGE)))
    except OSError as error:
        raise FileError(f"port {port} cannot be used: {error.strerror}; --port 0 takes a free one") from error


class _Files(http.server.SimpleHTTPRequestHandler):
    """Files with the types that browsers insist on. It does not report requests."""

    extensions_map: ClassVar[dict[str, str]] = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: Any) -> None:
        pass
