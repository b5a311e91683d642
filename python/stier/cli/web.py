"""``stier web``."""

from __future__ import annotations

import errno
import functools
import http.server
import os
import webbrowser
from pathlib import Path, PurePosixPath

import click

import stier
from stier import _arguments
from stier.cli._command import command
from stier.errors import FileError

#: The page as `make web` builds it; a wheel contains it.
PAGE = Path(__file__).parent.parent / "page"

#: The only address that is served: programs on other machines cannot reach it.
HOST = "127.0.0.1"

#: The same port each time, so that links to the page and what the browser keeps for it last: STIE on a telephone.
PORT = 7843


@command(examples=["stier web", "stier web --port 0 --no-browser"])
@click.option("--port", default=PORT, help="The port to serve on, 0 to 65535; 0 takes a free one.")
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
def web(port: int, browser: bool) -> None:
    """Open the web page: games, reviews, equilibria.

    Play, review a game, practise attacks, look at equilibria. The page and the engine come from the installed
    package and run in the browser. Nothing leaves this machine. Press Ctrl-C to stop it.
    """
    port = _arguments.whole("port", port, 0, 65535)
    if not (PAGE / "index.html").is_file():
        raise FileError(f"{PAGE}: the page is missing; run make web, or install a wheel of make wheel")
    with serve(port) as server:
        address = f"http://{HOST}:{server.server_address[1]}/"
        print(f"Stier is at {address}\nPress Ctrl-C to stop it.", flush=True)
        if browser:
            webbrowser.open(address)
        server.serve_forever()


def serve(port: int = 0, folder: Path = PAGE) -> http.server.ThreadingHTTPServer:
    """Returns a server of the page in a folder, for this machine alone; 0 takes a free port."""
    try:
        return http.server.ThreadingHTTPServer((HOST, port), functools.partial(_Files, directory=str(folder)))
    except OSError as error:
        other = ", perhaps by another stier web" if error.errno == errno.EADDRINUSE else ""
        raise FileError(f"port {port} cannot be used: {error.strerror}{other}; --port 0 takes a free one") from error


#: The types on which browsers insist. Those of the system can differ.
TYPES = {".js": "text/javascript", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json"}


class _Files(http.server.SimpleHTTPRequestHandler):
    """The files of the page, and the networks of the games, which the native module has."""

    def do_GET(self) -> None:
        network = _network(self.path)
        if network is None:
            return super().do_GET()
        self.send_response(http.HTTPStatus.OK)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(network)))
        self.end_headers()
        self.wfile.write(network)
        return None

    def end_headers(self) -> None:
        # At the same address, another version of the package has another page. The names of its assets differ.
        if not self.path.startswith("/assets/"):
            self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        return TYPES.get(Path(path).suffix) or super().guess_type(path)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Says nothing about requests that are answered."""


def _network(path: str) -> bytes | None:
    """The network at an address such as ``/networks/schwinget.safetensors``; None for all other addresses."""
    place = PurePosixPath(path)
    if place.parent != PurePosixPath("/networks") or place.stem not in stier.registered_names():
        return None
    return stier.load_game(place.stem).network()
