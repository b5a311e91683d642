"""The web page in a real browser: Debian's chromium, or the one that the variable CHROMIUM names."""

from __future__ import annotations

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


#: The page's pauses for a person who looks, of half a second to two seconds, end at once.
HASTE = """(() => {
  const wait = globalThis.setTimeout;
  globalThis.setTimeout = (call, time, ...more) => wait(call, time >= 500 && time < 2000 ? 0 : time, ...more);
})()"""


def hasty(browser: Any, size: dict[str, int] = DESKTOP, **options: object) -> Any:
    """A context of the browser without animations and without the pauses between moves."""
    context = browser.new_context(viewport=size, reduced_motion="reduce", **options)
    context.add_init_script(HASTE)
    return context


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A desktop, without animations. Errors of the page fail the test."""
    context = hasty(browser)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert errors == []


def ask(page: Any, method: str, *arguments: object) -> Any:
    """An answer of the engine in the page, which is reachable from the console as `stier`."""
    return page.evaluate("([method, args]) => stier.ask(undefined, method, ...args)", [method, list(arguments)])


def open_view(page: Any, address: str, view: str) -> None:
    """Opens a view anew and waits until it can be used."""
    page.goto("about:blank")
    page.goto(address + view)
    page.wait_for_selector("main h2")
    if view.startswith("#play"):
        # A deal of Schwimmen can be over at once.
        page.locator("[data-move], .main > .actions .primary").first.wait_for()


def wait_for_prompt(page: Any, words: str) -> None:
    page.wait_for_function("words => document.querySelector('.prompt')?.textContent.includes(words)", arg=words)


def axe(page: Any) -> list[tuple[str, str]]:
    """The rules of accessibility that the page breaks as it is, with the first place of each."""
    page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]]


#: The buttons of a game that leave the screen or whose text does not fit, and the names that are cut.
CUT = """() => {
  const shown = [...document.querySelectorAll(".main button, nav a, h2 span, .place strong, .place .remark")];
  return shown.filter((one) => one.offsetWidth > 0).filter((one) => {
    const { left, right, bottom } = one.getBoundingClientRect();
    const isOut = left < 0 || right > innerWidth || bottom > innerHeight;
    return isOut || (one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1);
  }).map((one) => one.textContent);
}"""

#: Drops a file, or a link without a text, on an element; tells whether the page has taken the event.
DROP = """([selector, size, text]) => {
  const dataTransfer = new DataTransfer();
  if (text === null) dataTransfer.setData("text/uri-list", "https://example.org");
  else dataTransfer.items.add(new File([text, "x".repeat(size)], "dropped.txt"));
  const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
  return document.querySelector(selector).dispatchEvent(event);
}"""
