"""Count the lines of LLVM IR of the engine, by crate and by cause: compile time is a budget like any other.

Compiles the crates of the engine with the settings of a release, but without optimisation, and counts the lines of all
functions that rustc hands to LLVM. A cause is the module of this project that a function belongs to, or for which a
function of a library was made: closures and types of this project are part of such a function's name.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The games, the generic crate, and the crates that compile it for a game.
CRATES = [
    "stier-core",
    "stier-agents",
    "stier-plain",
    "stier-schweins-galopp",
    "stier-schwimmen",
    "stier-schwinget",
    "stier-up-and-down",
]
LIBRARIES = ("alloc", "core", "hashbrown", "rayon", "serde_json", "std")
# The whole engine, all these crates together, has at most this many lines. The aim is 1.2 million (benches/COMPILE.md).
LIMIT = 3_000_000


def words(symbol: str) -> list[str]:
    """Return the identifiers of a mangled name (Rust's scheme v0: each follows its length), in order."""
    found, at = [], 0
    while match := re.compile(r"\d+").search(symbol, at):
        start = match.end() + (symbol[match.end() : match.end() + 1] == "_")
        end = start + int(match.group())
        at = match.end()
        if end <= len(symbol) and re.fullmatch(r"[A-Za-z_]\w*", symbol[start:end]):
            found.append(symbol[start:end])
            at = end
    return found


def cause(symbol: str) -> str:
    """Return the module of this project that is named first in a function's name, or the library it belongs to."""
    names = words(symbol)
    for crate in ("stier_agents", "stier_core"):
        if crate in names:
            place = names.index(crate)
            return "::".join(names[place : place + 3])
    libraries = [name for name in names if name in LIBRARIES]
    return f"({libraries[0]})" if libraries else "(other)"


def functions(text: Path) -> collections.Counter[str]:
    """Return the number of lines of each function in a file of LLVM IR."""
    lines: collections.Counter[str] = collections.Counter()
    name = None
    with text.open(errors="replace") as rows:
        for row in rows:
            if name is None and row.startswith("define"):
                name = re.search(r'@"?([^"(]+)"?\(', row).group(1)
            if name is not None:
                lines[name] += 1
                if row.startswith("}"):
                    name = None
    return lines


def compiled(crate: str, target: Path) -> collections.Counter[str]:
    """Return the number of lines of each function of a crate."""
    cargo = ["cargo", "--quiet"]
    where = ["--release", "-p", crate, "--target-dir", target]
    # With the features of the Python module.
    features = [] if crate == "stier-core" else ["--features", "stier-agents/default"]
    # A crate that is up to date would not be written again.
    subprocess.run([*cargo, "clean", *where], cwd=ROOT, check=True)
    # All crates, because the names of generic functions are those of the crate that defines them.
    environment = {**os.environ, "RUSTFLAGS": "-C symbol-mangling-version=v0"}
    flags = ["--emit=llvm-ir", "-C", "no-prepopulate-passes"]
    subprocess.run([*cargo, "rustc", "--lib", *where, *features, "--", *flags], cwd=ROOT, env=environment, check=True)
    (text,) = (target / "release/deps").glob(f"{crate.replace('-', '_')}-*.ll")
    return functions(text)


def main() -> None:
    """Print the table, and fail if the engine is larger than allowed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--causes", type=int, default=25, help="causes to list")
    parser.add_argument("--target-dir", type=Path, default=ROOT / "target/size")
    options = parser.parse_args()
    causes: collections.Counter[str] = collections.Counter()
    total = copies = 0
    print("| crate | lines of IR | functions |\n| --- | ---: | ---: |")
    for crate in CRATES:
        lines = compiled(crate, options.target_dir)
        print(f"| `{crate}` | {lines.total():,} | {len(lines):,} |", flush=True)
        total, copies = total + lines.total(), copies + len(lines)
        for symbol, count in lines.items():
            causes[cause(symbol)] += count
    print(f"| all | {total:,} | {copies:,} |")
    print("\n| cause | lines of IR | share |\n| --- | ---: | ---: |")
    for name, count in causes.most_common(options.causes):
        print(f"| `{name}` | {count:,} | {count / total:.1%} |")
    if total > LIMIT:
        sys.exit(f"the engine compiles to {total:,} lines of IR; at most {LIMIT:,} are allowed. The causes are above.")


if __name__ == "__main__":
    main()
