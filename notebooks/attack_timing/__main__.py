"""``python notebooks/attack_timing``: plays the study and writes its tables, page and figures."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import attack_timing
from stier.errors import StierError


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        prog="python notebooks/attack_timing", description="When is an attack in Schwinget right?"
    )
    parser.add_argument("--quick", action="store_true", help="take some minutes of one core instead of hours")
    about = f"run only this chapter, one of {', '.join(attack_timing.NAMES)}; may be repeated"
    parser.add_argument("--chapter", action="append", dest="chapters", metavar="NAME", help=about)
    parser.add_argument("--network", help="file of the network that is the champion; the game's own if left out")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of games")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything")
    parser.add_argument("--threads", type=int, default=0, help="processors to use; 0 for all")
    parser.add_argument("--ray", help="address of a Ray cluster")
    parser.add_argument("--out", type=Path, help="folder of the games: out/study, or out/study/quick, if left out")
    parser.add_argument("--tables", type=Path, help="folder of tables and page: OUT/tables if left out")
    parser.add_argument("--figures", type=Path, help="folder of the figures: OUT/figures if left out")
    given = vars(parser.parse_args())
    tables, figures = given.pop("tables"), given.pop("figures")
    given["out"] = given["out"] or attack_timing.default_folder(quick=given["quick"])
    try:
        found = attack_timing.run(**given, progress=True)
    except KeyboardInterrupt:
        sys.exit(130)  # what is kept has been told
    except (OSError, StierError) as error:
        sys.exit(f"{parser.prog}: {error}")
    tables, figures = tables or given["out"] / "tables", figures or given["out"] / "figures"
    found.illustrate(Path(os.path.relpath(figures, tables)).as_posix())
    found.save(tables)
    print(found, end="")
    found.draw(figures)


if __name__ == "__main__":
    main()
