"""Draws the pictures of the README and of the documentation's first page into `notebooks/images`, and `games.png`.

`page` photographs the web page, which `make web` builds, and needs chromium and Pillow. Titles say what a picture
shows, with figures of this run.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import stier
from stier.experiments import save_picture

BENCHES = Path(__file__).parents[1]
IMAGES = BENCHES.parent / "notebooks" / "images"
#: The deal on the page, and the keys with which seat 0 wins it: a card, the attack, the referee, and the rest.
DEAL = "#play/schwinget?seed=7&agent=network&seat=0"
KEYS = ("1", "6", "5", "1", "3", "2", "1", "1")
#: The page is larger than its picture; milliseconds for each frame of the animation.
WINDOW, WIDTH, FRAME = {"width": 1280, "height": 1080}, 960, 1600


def simple(state: stier.State) -> int:
    """Attacks at the first chance, and otherwise plays its highest card."""
    actions = {state.action_to_string(action): action for action in state.legal_actions()}
    return actions.get("attack", actions[max(actions, key=lambda name: name[-1])])


def compare() -> None:
    """An agent in Python against four others."""
    from matplotlib import pyplot as plt

    from stier.plots import COLOURS

    mine = stier.PythonAgent(simple, name="mine")
    others = ["random", "greedy", "ismcts:iterations=1000", "network"]
    names = ["random", "greedy", "ISMCTS, 1,000 iterations", "network"]
    results = [stier.pit("schwinget", [mine, other], deals=500, seed=1) for other in others]
    means, widths = ([float(getattr(result, name)[0]) for result in results] for name in ("mean", "ci95"))
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    ax.errorbar(means, range(len(means)), xerr=widths, fmt="o", color=COLOURS[0], ms=6, capsize=3)
    ax.axvline(0, color="grey", lw=0.8)
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(-0.6, len(names) - 0.4), xlabel="my agent wins or loses, points per bout (95 % intervals)")
    won = " and ".join(name for name, mean, width in zip(names, means, widths, strict=True) if mean > width)
    _save(figure, "compare.png", f"Schwinget: my agent of two lines beats {won or 'nobody'} only")


def train() -> None:
    """The distance from equilibrium of a network that learns by playing against itself."""
    from matplotlib import pyplot as plt

    import stier.train
    from stier.plots import COLOURS

    game = stier.load_game("schwinget", suits=2, values=3, referee=False, hand_size=2, set_aside=1)
    learned = stier.train.learn(game, steps=2_000_000, seed=0, exact=True, against=(), evaluations=16)
    uniform = stier.solving.nash_conv(game, "random")
    steps = [row["steps"] / 1e6 for row in learned.log]
    left = [100 * row["eval/nash_conv"] / uniform for row in learned.log]
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    ax.plot(steps, left, "o-", color=COLOURS[0], ms=4)
    ax.set(
        yscale="log",
        xlabel="million decisions of playing against itself",
        ylabel="distance from perfect play\n(NashConv, % of random play's)",
    )
    ticks = [100, 30, 10, 3, 1]
    ax.set_yticks(ticks, [f"{tick} %" for tick in ticks])
    ax.minorticks_off()
    _save(
        figure,
        "train.png",
        f"Small Schwinget: after {learned.log[-1]['cpu_seconds']:.0f} CPU seconds, {left[-1]:.0f} % of the distance is "
        "left",
    )


def solve() -> None:
    """NashConv of four algorithms in Leduc poker."""
    from matplotlib import pyplot as plt

    from stier import plots

    names = {"cfr": "CFR", "linear_cfr": "linear CFR", "cfr+": "CFR+", "discounted_cfr": "discounted CFR"}
    found = {label: stier.solve("leduc_poker", name, iterations=1024) for name, label in names.items()}
    best = min(found, key=lambda label: found[label].nash_conv)
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    plots.convergence(found, ax)
    ax.set_title("")
    ax.set_ylabel("distance from equilibrium (NashConv)")
    seconds = float(found[best].history["seconds"][-1])
    title = f"{best} solves Leduc poker to {found[best].nash_conv:.4f} in {seconds:.1g} seconds"
    _save(figure, "solve.png", title[0].upper() + title[1:])


def games() -> None:
    """Two properties of each game, from the table of GAMES.md, beside those of the literature."""
    from matplotlib import pyplot as plt

    from stier.plots import COLOURS

    table = (BENCHES / "GAMES.md").read_text("utf-8")
    rows = re.findall(r"^\| `(.+?)` \| (\d) \| ([\d.]+) ± [\d.]+ \|[^|]+\|[^|]+\| ([\d.]+) ±", table, re.MULTILINE)
    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    for number, name in enumerate(dict.fromkeys(game.partition(":")[0] for game, *_ in rows)):
        mine = [row for row in rows if row[0].partition(":")[0] == name]
        places = [float(row[2]) for row in mine], [float(row[3]) for row in mine]
        ax.plot(*places, "o-", color=COLOURS[number], ms=6, label=name)
        for x, y, row in zip(*places, mine, strict=True):
            ax.annotate(f"{row[1]}", (x, y), xytext=(5, 4), textcoords="offset points", fontsize=8)
    ax.plot(0.5, 0, "ks", ms=6)
    ax.annotate("Kuhn poker", (0.5, 0), xytext=(6, 4), textcoords="offset points", fontsize=8)
    ax.fill_between([0.8, 1], 0.55, 0.65, color="grey", alpha=0.3, lw=0)
    ax.text(0.9, 0.6, "Skat, Hearts", ha="center", va="center", fontsize=8)
    ax.set(xlabel="leaf correlation: how seldom the last choice changes the result", xlim=(0.45, 1.0))
    ax.set(ylabel="disambiguation: how much\na decision discloses", ylim=(-0.05, 0.95))
    ax.legend(frameon=False, fontsize=8, title="the figures are players", title_fontsize=8, loc="upper left")
    _save(figure, "games.png", "Schwinget lies near Skat and Hearts, where open-card search is strong", BENCHES)


def _save(figure: Any, name: str, title: str, folder: Path = IMAGES) -> None:
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title, fontsize=11)
    save_picture(figure, folder / name)


def page() -> None:
    """The web page while a bout is played: as a picture, and as an animation."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    from stier.cli.web import HOST, serve

    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    with serve() as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        view = browser.new_context(viewport=WINDOW, reduced_motion="reduce").new_page()
        view.goto(f"http://{HOST}:{server.server_address[1]}/{DEAL}")
        view.get_by_text("Game and opponent").click()
        view.locator(".knowledge summary").first.click()
        view.evaluate("document.activeElement.blur()")
        shots = []
        for key in (*KEYS, None):
            view.wait_for_selector("[data-move], .main > .actions .primary")
            view.wait_for_timeout(300)
            # The numbers stand still when all searches of the decision have been made, or the bout is over.
            view.wait_for_function(
                "() => /mean of (\\d+) of \\1 searches|only one choice|Rematch/.test(document.body.innerText)"
            )
            view.wait_for_timeout(300)
            shots.append(view.screenshot())
            if key is None or view.get_by_text("Rematch").count():
                break
            before = view.url
            view.keyboard.press(key)
            view.wait_for_function("before => location.href !== before", arg=before)
        browser.close()
        server.shutdown()
    IMAGES.joinpath("web_page.png").write_bytes(shots[1])
    frames = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    size = (WIDTH, WIDTH * frames[0].height // frames[0].width)
    first, *others = (frame.resize(size, Image.Resampling.LANCZOS) for frame in frames)
    first.save(
        IMAGES / "web_page.webp", save_all=True, append_images=others, duration=FRAME, loop=0, quality=80, method=6
    )


PICTURES: dict[str, Callable[[], None]] = {
    "page": page,
    "compare": compare,
    "train": train,
    "solve": solve,
    "games": games,
}


def main() -> None:
    """Draws the pictures that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pictures", nargs="*", default=list(PICTURES), metavar="PICTURE", help=", ".join(PICTURES))
    for name in parser.parse_args().pictures:
        PICTURES[name]()


if __name__ == "__main__":
    main()
