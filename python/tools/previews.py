"""Draws what other sites and phones show of the web page: a position of each game and the icon.

They lie in python/web/page/public. When tables look different, run ``make web``, this program, and ``make web`` again.
"""

from __future__ import annotations

import io
import os
import shutil
import threading
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from stier.cli.web import HOST, serve

PUBLIC = Path(__file__).parents[1] / "web/page/public"
#: The size that previews have on most sites, and the points that the table gets of it.
SIZE, SCALE = (1200, 630), 1.5
ICON = 512
#: The deals, as settings of a link, and the number of moves that have been made in them.
MOVES = 3
POSITIONS = {
    "schwinget": "seed=7&seat=0&agent=random",
    "up_and_down": "seed=7&seat=0&agent=random",
    "schweins_galopp": "seed=7&seat=0&agent=random",
    "schwimmen": "seed=7&seat=0&agent=random",
}
#: The table alone, with the name of the game.
STYLE = """
  body { max-width: none !important; padding: 0 24px !important; overflow: hidden; }
  .preview { display: flex; gap: 12px; align-items: baseline; padding: 12px 0 4px; font-size: 22px; }
  .preview span { color: var(--muted); font-size: 16px; }
"""
#: Keeps the table, as large as it fits, and writes the name of the game above it.
ALONE = """(height) => {
  const [game] = document.title.split(" · ");
  const line = document.createElement("div");
  line.className = "preview";
  line.innerHTML = "<strong></strong><span>Play it in your browser: the engine knows no more than you.</span>";
  line.firstChild.textContent = game;
  const box = document.querySelector(".box");
  document.body.replaceChildren(line, box);
  const room = (height - 76) / box.getBoundingClientRect().height;
  if (room < 1) box.style.zoom = room;
}"""


def main() -> None:
    """Draws all pictures."""
    with serve(0) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://{HOST}:{server.server_address[1]}/"
        chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        width, height = (round(side / SCALE) for side in SIZE)
        page = browser.new_page(
            viewport={"width": width, "height": height},
            device_scale_factor=SCALE,
            reduced_motion="reduce",
            bypass_csp=True,
        )
        for game, settings in POSITIONS.items():
            page.goto("about:blank")
            page.goto(f"{address}#play/{game}?{settings}")
            for _ in range(MOVES):
                page.wait_for_selector("[data-move]")
                page.evaluate("() => { window.before = location.href; }")
                page.keyboard.press("1")
                page.wait_for_function("() => location.href !== window.before")
            page.wait_for_selector("[data-move]")
            page.add_style_tag(content=STYLE)
            page.evaluate(ALONE, height)
            write(page, game, SIZE)
        page = browser.new_page(viewport={"width": ICON, "height": ICON})
        page.set_content(f"<style>body {{ margin: 0 }}</style>{(PUBLIC / 'icon.svg').read_text('utf-8')}")
        write(page, "icon", (ICON, ICON))
        browser.close()
        server.shutdown()


def write(page: Any, name: str, size: tuple[int, int]) -> None:
    """Writes a picture of the page, in as few colours as a drawing needs."""
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    if image.size != size:
        raise SystemExit(f"{name}: {image.size} rather than {size}")
    image.quantize(256, dither=Image.Dither.NONE).save(PUBLIC / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
