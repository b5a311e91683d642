"""The web page: the size of its files, the time to its first move, what jumps in a game, and the speed of its searches.

Needs chromium and the page (`make web`). Writes benches/WEB.md.
"""

from __future__ import annotations

import gzip
import os
import shutil
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

from measure import machine
from playwright.sync_api import sync_playwright

import stier
from stier.cli.web import HOST, PAGE, serve
from stier.experiments import markdown_table, page

GAMES = ("schwinget", "schwimmen", "up_and_down", "schweins_galopp")
AGENT = "ismcts:iterations=10000"
#: Searches of a game in a round, and rounds; native and browser take turns.
SEARCHES, ROUNDS = 12, 8
LOADS = 7
#: Screens by name: what a context of the browser is given.
SCREENS: dict[str, dict[str, Any]] = {
    "phone, 360 by 640": {"viewport": {"width": 360, "height": 640}, "is_mobile": True, "has_touch": True},
    "desktop, 1280 by 900": {"viewport": {"width": 1280, "height": 900}},
}

#: Adds up all layout shifts, those after a click too.
SHIFTS = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifted += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""
#: A move can be chosen, or the game is over.
TURN = "() => document.querySelector('[data-move], .main > .actions .primary')"

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
    tab = context.new_page()
    tab.goto(f"{address}#play/schwinget?seed=7&agent=network", wait_until="commit")
    tab.wait_for_selector("[data-move]")
    milliseconds = float(tab.evaluate("performance.now()"))
    context.close()
    return milliseconds


def shift(browser: Any, address: str, game: str, screen: dict[str, Any]) -> float:
    """The layout shift of a whole game, from the request of the page to the result."""
    context = browser.new_context(**screen, reduced_motion="reduce")
    tab = context.new_page()
    tab.add_init_script(SHIFTS)
    tab.goto(f"{address}#play/{game}?seed=7&agent=greedy&seat=0")
    tab.wait_for_function(TURN)
    while tab.locator("[data-move]").count() > 0:
        before = tab.url
        tab.locator("[data-move]").first.click()
        tab.wait_for_function("before => location.href !== before", arg=before)
        tab.wait_for_function(TURN)
    shifted = float(tab.evaluate("shifted"))
    context.close()
    return shifted


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


Times = dict[str, tuple[list[float], list[float]]]
Shifts = dict[str, list[float]]


def web(loads: list[float], shifts: Shifts, files: list[tuple[str, int, int]], speeds: Times, where: list[str]) -> str:
    """Returns the page: of sorted times to the first move, files, and layout shifts and times of searches by game."""
    lines, middles = [], []
    for game, (here, there) in speeds.items():
        shares = [native / browser for native, browser in zip(here, there, strict=True)]
        middles.append(median(shares))
        cells = (f"{median(here):.1f}", f"{median(there):.1f}", f"{middles[-1]:.0%}")
        lines.append([game, *cells, f"{min(shares):.0%} to {max(shares):.0%}"])
    names = ["game", "native", "browser", "speed of the browser", "lowest and highest round"]
    searches = markdown_table(names, lines)
    first = sum(packed for kind, _, packed in files if not kind.startswith("networks")) / 1e6
    return page(
        "How fast is the web page?",
        f"A card can be played {loads[len(loads) // 2]:.0f} ms after the page is requested, and searches reach "
        f"{100 * min(middles):.0f} to {100 * max(middles):.0f} % of their native speed. "
        f"The page and its engine are {first:.1f} MB compressed. In a whole game the layout shifts by at most "
        f"{max(map(max, shifts.values())):.2f}.",
        picture="![A trick stays on the table until the next lead, and then flies to its winner](page_trick.png)",
        sure=[
            f"{len(loads)} first visits on the machine that serves the page, from "
            f"{loads[0]:.0f} to {loads[-1]:.0f} ms, and searches of the first decision by `{AGENT}` on one thread, "
            "native and in the browser. A whole game on each screen against `greedy`, always by the first legal move: "
            "a layout shift below 0.1 counts as good.",
            "The network between server and browser, and the browser.",
            "The speed of networks, of later decisions, and on other machines.",
        ],
        command="make web && python benches/python/web.py && python benches/python/page_views.py",
        details={
            "Pictures of all views": "On a phone of 360 by 640 every view shows what matters without scrolling: hand "
            "and actions of a game, table and verdict of a review, question and answers of the trainer.\n\n"
            "![The views on a phone, light and dark](page_phone.png)\n\n"
            "![The views on a desktop, light and dark](page_desktop.png)",
            "Files": markdown_table(
                ["files", "bytes", "gzip -9"], ([kind, f"{size:,}", f"{packed:,}"] for kind, size, packed in files)
            ),
            "Layout shift of a whole game": markdown_table(
                ["game", *SCREENS], ([game, *(f"{one:.3f}" for one in found)] for game, found in shifts.items())
            ),
            "Searches": f"Milliseconds of one search: the fastest of {SEARCHES}, median of {ROUNDS} rounds, native and "
            f"in the browser by turns. The seeds of the searches differ.\n\n{searches}",
            "Where and when": "\n".join(where),
        },
    )


def main() -> None:
    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    with serve() as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://{HOST}:{server.server_address[1]}/"
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        loads = sorted(first_move(browser.new_context(), address) for _ in range(LOADS))
        shifts = {game: [shift(browser, address, game, screen) for screen in SCREENS.values()] for game in GAMES}
        tab = browser.new_page(reduced_motion="reduce")
        tab.goto(f"{address}#review")
        tab.evaluate("stier.loadNetworks('schwinget')")
        speeds: Times = {game: ([], []) for game in GAMES}
        for _ in range(ROUNDS):
            for game, (here, there) in speeds.items():
                here.append(native(game))
                there.append(float(tab.evaluate(TIMED, [game, AGENT, SEARCHES])))
        version = browser.version
        server.shutdown()
    where = [*machine(), f"- chromium {version}"]
    Path(__file__).parents[1].joinpath("WEB.md").write_text(web(loads, shifts, sizes(), speeds, where), "utf-8")


if __name__ == "__main__":
    main()
