"""Pictures of the web page: its views on a phone and on a desktop, light and dark, and one trick as a film strip.

Needs chromium, Pillow and the page (`make web`). Writes benches/page_phone.png, page_desktop.png and page_trick.png.
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import sync_playwright
from web import GAMES, SCREENS

import stier
from stier.cli.web import HOST, serve

BENCHES = Path(__file__).parents[1]
DECK = "suits=2,values=3,referee=off,hand_size=2,set_aside=1"
LESSON = "rules=suits=3,values=4,counter=off,set_aside=3&seed=187&agent=greedy&seat=0"
#: Parts of the page that show when a person can choose, and when a bout is over.
CHOICE, OVER = "[data-move]", ".main > .actions .primary"
#: Views by name: the address, what is pressed there, and what is there then. A bout that has to be over is played out.
VIEWS = {
    **{
        f"Play: {game.replace('_', ' ')}": (f"#play/{game}?seed=7&agent=greedy&seat=0", CHOICE, CHOICE)
        for game in GAMES
    },
    "Lesson": (f"#play/schwinget?{LESSON}", "", CHOICE),
    "The end of a bout": ("#play/schwinget?seed=7&agent=greedy", CHOICE, OVER),
    "The end of the deal of the day": ("#play/schwinget?seed=20261128&agent=network&seat=0", CHOICE, OVER),
    "Review": ("#review?seat=1&record=RECORD", "", "p.verdict.mistake"),
    "Attack trainer": ("#trainer?seed=5", "", ".answers button"),
    "Its answer": ("#trainer?seed=5", ".answers button", ".verdict"),
    "Solutions": (f"#solutions/schwinget?rules={DECK}", "", ".grid"),
    "A hand in a solution": (f"#solutions/schwinget?rules={DECK}", ".grid button", ".seen .table"),
}
#: The screen of each sheet, how many views stand in a row of it, and how wide they are.
SHEETS = {"phone": ("phone, 360 by 640", 4, 270), "desktop": ("desktop, 1280 by 900", 2, 560)}
SCHEMES = ("light", "dark")
#: A deal in which the person leads the first card and takes the trick.
TRICK = "#play/schwinget?seed=7&agent=network&seat=0"
#: The width of a frame of the film.
FRAME = 250

#: Holds every animation on its way. What waits for a time waits until nothing is held.
HOLD = """
  window.held = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) {
    const one = animate.apply(this, how);
    one.pause();
    one.currentTime = 0.3 * one.effect.getComputedTiming().duration;
    held.push(one);
    return one;
  };
  const later = window.setTimeout;
  window.setTimeout = (work, time) => later(() => (held.length === 0 ? work() : setTimeout(work, 20)), time);
"""
#: Lets everything that is held come to its place. Time stands still until `held` is empty.
ARRIVE = "for (const one of held.splice(0, held.length, { finish() {} })) one.finish()"


def record() -> str:
    """A bout whose second player chooses at random."""
    return stier.pit(stier.load_game("schwinget"), ["greedy", "random"], deals=1, seed=5).games[0].record()


def view(browser: Any, address: str, name: str, screen: dict[str, Any], scheme: str) -> bytes:
    """A picture of a view: of a game after the person's first move or at its end, of a review when it is finished."""
    link, press, there = VIEWS[name]
    context = browser.new_context(**screen, color_scheme=scheme, reduced_motion="reduce")
    tab = context.new_page()
    tab.goto(address + link.replace("RECORD", quote(record())))
    for _ in range(20 if there == OVER else 1 if press else 0):
        tab.locator(f"{press}, {there}").first.wait_for()
        if there == OVER and tab.locator(OVER).count():
            break
        before = tab.url
        tab.locator(press).first.click()
        if press == CHOICE:
            tab.wait_for_function("before => location.href !== before", arg=before)
    tab.locator(there).first.wait_for()
    tab.wait_for_timeout(500)
    shot = bytes(tab.screenshot())
    context.close()
    return shot


def film(browser: Any, address: str) -> dict[str, bytes]:
    """A trick of the person, step by step."""
    context = browser.new_context(**SCREENS["phone, 360 by 640"])
    tab = context.new_page()
    tab.add_init_script(HOLD)
    tab.goto(address + TRICK)
    tab.locator("[data-move]").first.wait_for()
    tab.evaluate("held.length = 0")
    shots = {"You are to lead": tab.screenshot()}
    tab.locator("[data-move]").first.click()
    for name in ("Your card flies to the table", "The opponent answers"):
        tab.wait_for_function("() => held.length > 0")
        shots[name] = tab.screenshot()
        tab.evaluate(ARRIVE)
        if name == "The opponent answers":
            shots["The trick stays"] = tab.screenshot()
        tab.evaluate("held.length = 0")
    tab.locator("[data-move]").first.click()
    tab.wait_for_function("() => document.querySelector('.ghost')")
    shots["With your next lead it flies to you"] = tab.screenshot()
    tab.evaluate(ARRIVE)
    shots["The next trick has begun"] = tab.screenshot()
    context.close()
    return shots


def sheet(browser: Any, rows: list[dict[str, bytes]], style: str) -> bytes:
    """Pictures side by side in rows, each with its name, in few colours."""
    tab = browser.new_page(viewport={"width": 100, "height": 100})

    def figure(name: str, shot: bytes) -> str:
        source = f"data:image/png;base64,{base64.b64encode(shot).decode()}"
        return f"<figure><img src='{source}'><figcaption>{name}</figcaption></figure>"

    tab.set_content(
        "<style>body { margin: 0; padding: 8px; width: max-content; background: white; font: 14px sans-serif }"
        "div { display: flex; gap: 8px; margin-bottom: 8px }"
        f"figure {{ margin: 0 }} img {{ display: block; {style}; border: 1px solid #999 }}"
        "figcaption { margin-top: 3px }</style>"
        + "".join(f"<div>{''.join(figure(*one) for one in shots.items())}</div>" for shots in rows)
    )
    shot = tab.locator("body").screenshot()
    tab.close()
    packed = io.BytesIO()
    few = Image.open(io.BytesIO(shot)).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=3)
    few.save(packed, "PNG", optimize=True)
    return packed.getvalue()


def main() -> None:
    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    with serve() as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://{HOST}:{server.server_address[1]}/"
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for sheet_name, (place, columns, width) in SHEETS.items():
            shots = [
                (f"{name}, {scheme}", view(browser, address, name, SCREENS[place], scheme))
                for name in VIEWS
                for scheme in SCHEMES
            ]
            rows = [dict(shots[at : at + columns]) for at in range(0, len(shots), columns)]
            BENCHES.joinpath(f"page_{sheet_name}.png").write_bytes(sheet(browser, rows, f"width: {width}px"))
        frames = film(browser, address)
        BENCHES.joinpath("page_trick.png").write_bytes(sheet(browser, [frames], f"width: {FRAME}px"))
        server.shutdown()


if __name__ == "__main__":
    main()
