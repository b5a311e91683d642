"""The web page in a real browser: Debian's chromium, or the one that the variable CHROMIUM names."""

from __future__ import annotations

import functools
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stier.cli.web import HOST, PAGE, serve

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which(os.environ.get("CHROMIUM", "chromium"))
#: Pictures of the page, to be looked at.
PICTURES = ROOT / "out/pictures"
AXE = ROOT / "python/web/page/node_modules/axe-core/axe.min.js"

#: The marks of every module of such tests.
MARKS = [
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.skipif(not (PAGE / "index.html").is_file(), reason="make web has not built the page"),
    pytest.mark.timeout(180),
]

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
#: The smallest phone that everything has to fit.
SMALL = {"width": 360, "height": 640}
#: A deal of Schwinget in which the person leads.
DEAL = "#play/schwinget?seed=7&agent=network&seat=0"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://{HOST}:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


#: Nothing is drawn by a GPU, and the pages of a context share a process: it compiles the engine once.
FLAGS = ["--no-sandbox", "--disable-gpu", "--process-per-site", "--disable-site-isolation-trials"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


#: The page's pauses for a person who looks, of half a second to two seconds, end at once.
HASTE = """(() => {
  const wait = globalThis.setTimeout;
  globalThis.setTimeout = (call, time, ...more) => wait(call, time >= 500 && time < 2000 ? 0 : time, ...more);
})()"""


def hasty(browser: Any, size: dict[str, int] = DESKTOP, **options: object) -> Any:
    """A context of its own, without animations and pauses between moves: for tests that cannot share one."""
    context = browser.new_context(viewport=size, reduced_motion="reduce", **options)
    context.add_init_script(HASTE)
    return context


#: Forgets everything that pages keep in the browser.
FORGET = """async () => {
  localStorage.clear();
  for (const name of await caches.keys()) await caches.delete(name);
}"""


@pytest.fixture(scope="module")
def first_page(browser: Any, address: str) -> Any:
    """Returns the first page of the hasty context with these options. While it is open, the engine stays compiled."""

    @functools.cache
    def first_page(**options: object) -> Any:
        page = hasty(browser, **options).new_page()
        open_view(page, address, "#solutions")
        return page

    return first_page


@pytest.fixture
def new_page(first_page: Any) -> Iterator[Any]:
    """Opens a page of this size without animations. Pages of earlier tests have left nothing; errors fail the test."""
    pages, errors = [], []
    used = {}

    def new_page(size: dict[str, int] = DESKTOP, **options: object) -> Any:
        first = first_page(**options)
        page = first.context.new_page()
        page.set_viewport_size(size)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        pages.append(page)
        used[first] = None
        return page

    yield new_page
    try:
        for page in pages:
            page.close()
    finally:
        for first in used:
            first.evaluate(FORGET)
    assert errors == []


@pytest.fixture
def page(new_page: Any) -> Any:
    """A page on a desktop."""
    return new_page()


def ask(page: Any, method: str, *arguments: object) -> Any:
    """An answer of the engine in the page, which is reachable from the console as `stier`."""
    return page.evaluate("([method, args]) => stier.ask(undefined, method, ...args)", [method, list(arguments)])


def open_view(page: Any, address: str, view: str) -> None:
    """Opens a view anew and waits until it can be used."""
    if page.url != "about:blank":
        page.goto("about:blank")
    page.goto(address + view)
    page.wait_for_selector("main h2")
    if view.startswith("#play"):
        # A deal of Schwimmen can be over at once.
        wait_for_turn(page)


def wait_for_prompt(page: Any, words: str) -> None:
    page.wait_for_function("words => document.querySelector('.prompt')?.textContent.includes(words)", arg=words)


def wait_for_answer(page: Any, question: str) -> None:
    """Waits until an asynchronous function answers true. ``wait_for_function`` takes its promise for an answer."""
    waits = """
      for (const end = Date.now() + 30_000; !(await question()); await new Promise((go) => setTimeout(go, 20)))
        if (Date.now() > end) throw new Error(`30 s without: ${question}`);
    """
    page.evaluate(f"async () => {{ const question = {question}; {waits} }}")


#: Adds up all layout shifts, those after a click too.
SHIFTS = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifted += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""


def wait_for_turn(page: Any, before: str = "") -> None:
    """Waits until a person is to move or the game is over, at another address than before."""
    # Frames come late on a busy machine; 20 ms do not.
    turn = "before => location.href !== before && document.querySelector('[data-move], .main > .actions .primary')"
    page.wait_for_function(turn, arg=before, polling=20)


def choose(page: Any, move: int = 0) -> None:
    """Clicks on the legal move of this number, where it is drawn, and waits for the next turn."""
    before = page.url
    place = page.evaluate(
        """(number) => {
          const moves = document.querySelectorAll("[data-move]");
          const move = moves[number % moves.length];
          move.scrollIntoViewIfNeeded();
          const { x, y, width, height } = move.getBoundingClientRect();
          const middle = [x + width / 2, y + height / 2];
          const there = document.elementFromPoint(...middle);
          if (!move.contains(there)) throw new Error(`the move is covered by ${there?.outerHTML.slice(0, 200)}`);
          return middle;
        }""",
        move,
    )
    page.mouse.click(*place)
    wait_for_turn(page, before)


#: The rules of axe that depend on colours.
COLOURS = ["color-contrast", "link-in-text-block"]


def axe(page: Any, rules: list[str] | None = None) -> list[tuple[str, str]]:
    """The rules of accessibility, of all or of these, that the page breaks as it is, with the first place of each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = page.evaluate("options => axe.run(document, options)", options)
    return [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]]


def axe_in_both_schemes(page: Any, picture: str = "", full_page: bool = True) -> list[tuple[str, str, str]]:
    """The same in light and in dark colours: only they differ. A name draws a picture of each."""
    found = []
    for scheme, rules in (("dark", COLOURS), ("light", None)):
        page.emulate_media(color_scheme=scheme)
        if picture:
            PICTURES.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=PICTURES / f"{picture}-{scheme}.png", full_page=full_page)
        found += [(scheme, *broken) for broken in axe(page, rules)]
    return found


#: A table on its screen: the buttons that leave it or whose text does not fit, and the names that are cut; the width of
#: the page, the lowest edge of what can be chosen, the smallest target and the number of moves.
LAYOUT = """() => {
  const shown = [...document.querySelectorAll(".main button, nav a, h2 span, .place strong, .place .remark")];
  const cut = shown.filter((one) => one.offsetWidth > 0).filter((one) => {
    const { left, right, bottom } = one.getBoundingClientRect();
    const isOut = left < 0 || right > innerWidth || bottom > innerHeight;
    return isOut || (one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1);
  });
  const moves = document.querySelectorAll("[data-move]");
  const targets = [...moves, ...document.querySelectorAll(".main > .actions button")];
  const boxes = targets.map((one) => one.getBoundingClientRect());
  return {
    cut: cut.map((one) => one.textContent),
    width: document.documentElement.scrollWidth,
    lowest: Math.max(...boxes.map((box) => box.bottom)),
    lowest_move: Math.max(...boxes.slice(0, moves.length).map((box) => box.bottom)),
    smallest: Math.min(...boxes.map((box) => Math.min(box.width, box.height))),
    moves: moves.length,
  };
}"""

#: Drops a file, or a link without a text, on an element; tells whether the page has taken the event.
DROP = """([selector, size, text]) => {
  const dataTransfer = new DataTransfer();
  if (text === null) dataTransfer.setData("text/uri-list", "https://example.org");
  else dataTransfer.items.add(new File([text, "x".repeat(size)], "dropped.txt"));
  const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
  return document.querySelector(selector).dispatchEvent(event);
}"""
