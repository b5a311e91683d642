"""The web page against the package: the size of its files, the time to its first move, and the speed of its searches.

Needs chromium and the page (`make web`). Writes benches/WEB.md.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

import stier
from stier.cli.web import HOST, PAGE, serve

GAMES = ("schwinget", "schwimmen", "up_and_down", "schweins_galopp")
AGENT = "ismcts:iterations=10000"
#: Searches of a game in a round, and rounds; native and browser take turns.
SEARCHES, ROUNDS = 12, 8
LOADS = 7

#: Milliseconds of one search in the page, from its own clock.
TIMED = """async ([game, agent, searches]) => {
  await stier.ask(undefined, "analyse", { game, rules: "", seed: "7", moves: [] }, agent);
  const times = [];
  for (let one = 0; one < searches; one++) {
    const begun = performance.now();
    await stier.ask(undefined, "search");
    times.push(performance.now() - begun);
  }
  return Math.min(...times);
}"""


def native(game: str) -> float:
    """Milliseconds of the fastest of some searches in this process."""
    state = stier.load_game(game).new_initial_state(seed=7)
    agent = stier.load_agent(AGENT, state.get_game())
    times = []
    for seed in range(SEARCHES):
        agent.restart(seed)
        begun = time.perf_counter()
        agent.search(state)
        times.append(1000 * (time.perf_counter() - begun))
    return min(times)


def first_move(context: Any, address: str) -> float:
    """Milliseconds from the request of the page until a card can be played, with nothing kept from another visit."""
    page = context.new_page()
    page.goto(f"{address}#play/schwinget?seed=7&agent=network", wait_until="commit")
    page.wait_for_selector("[data-move]")
    milliseconds = float(page.evaluate("performance.now()"))
    context.close()
    return milliseconds


def sizes() -> list[tuple[str, int, int]]:
    """The files of the page by kind: bytes as they are and compressed by gzip."""
    kinds = {
        "engine": lambda path: path.suffix == ".wasm",
        "page": lambda path: path.suffix in (".html", ".js", ".css", ".svg") and "widget" not in path.name,
        "notebook widget": lambda path: "widget" in path.name,
    }
    networks = [network for name in GAMES if (network := stier.load_game(name).network()) is not None]
    rows: list[tuple[str, list[bytes]]] = []
    for kind, belongs in kinds.items():
        contents = [path.read_bytes() for path in PAGE.rglob("*") if path.is_file() and belongs(path)]
        rows.append((kind, contents))
    rows.append(("networks, after the first move", networks))
    return [(kind, sum(map(len, own)), sum(len(gzip.compress(one, 9)) for one in own)) for kind, own in rows]


def row(game: str, here: list[float], there: list[float]) -> str:
    """A line of the table of speeds."""
    shares = [native / browser for native, browser in zip(here, there, strict=True)]
    low, high = min(shares), max(shares)
    return f"| {game} | {median(here):.1f} | {median(there):.1f} | {median(shares):.0%} | {low:.0%} to {high:.0%} |"


def main() -> None:
    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    with serve() as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://{HOST}:{server.server_address[1]}/"
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        loads = sorted(first_move(browser.new_context(), address) for _ in range(LOADS))
        page = browser.new_page(reduced_motion="reduce")
        page.goto(f"{address}#review")
        page.evaluate("stier.loadNetworks('schwinget')")
        speeds: dict[str, tuple[list[float], list[float]]] = {game: ([], []) for game in GAMES}
        for _ in range(ROUNDS):
            for game, (here, there) in speeds.items():
                here.append(native(game))
                there.append(float(page.evaluate(TIMED, [game, AGENT, SEARCHES])))
        version = browser.version
        server.shutdown()
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], check=True, capture_output=True, text=True)
    lines = [
        "# The web page",
        "",
        "Made by `benches/python/web.py` after `make web`.",
        "",
        f"- commit: {commit.stdout.strip()}; chromium {version}",
        "- machine: AMD EPYC, 2 cores, shared",
        "- first move: from the request of the page, on this machine, until a card can be played,"
        f" in {LOADS} first visits: median {loads[LOADS // 2]:.0f} ms, from {loads[0]:.0f} to {loads[-1]:.0f} ms",
        "",
        "| files | bytes | gzip -9 |",
        "| --- | ---: | ---: |",
        *(f"| {kind} | {size:,} | {packed:,} |" for kind, size, packed in sizes()),
        "",
        f"One search of the first decision by `{AGENT}` on one thread, in milliseconds: the fastest of",
        f"{SEARCHES}, median of {ROUNDS} rounds, native and in the browser by turns. The seeds of the searches differ.",
        "Networks, later decisions and other machines were not measured.",
        "",
        "| game | native | browser | speed of the browser | lowest and highest round |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(row(game, here, there) for game, (here, there) in speeds.items()),
    ]
    Path(__file__).parents[1].joinpath("WEB.md").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
