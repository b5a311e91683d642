"""``stier run``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stier.cli import _options as options
from stier.cli._command import command, draw
from stier.cli._interrupts import interrupts


def _kinds() -> str:
    try:
        from stier.experiments._run import KINDS
    except ImportError as error:
        return f"\nThe kinds of --example are not listed: {error}\n"
    return f"\nKinds: {', '.join(KINDS)}; or MODULE:CLASS, a class of your own in a module beside EXPERIMENT\n"


@command(
    more_help=_kinds,
    examples=[
        "stier run --example matches > first.toml",
        "stier run first.toml",
        "stier run first.toml --out out/again --threads 4",
        "stier run first.toml --ray auto",
        "stier run benches/ladder.toml",
    ],
)
@click.argument("experiment", type=options.PATH, required=False)
@options.folder("--out", about="Folder for the results.", show_default="out/NAME for NAME.toml")
@click.option(
    "--ray", metavar="ADDRESS", help="Play on a Ray cluster: auto, local or HOST:PORT. The results do not depend on it."
)
@click.option(
    "--example",
    metavar="KIND",
    is_flag=False,
    flag_value="",
    help="Print an experiment of this kind, with all its keys and what they mean, or without KIND the list of kinds.",
)
@click.option("--minutes", type=float, help="Stop after this many minutes. The next run resumes.")
@options.threads
@options.progress
def run(experiment: Path | None, example: str | None, out: Path | None, **settings: Any) -> None:
    """Play an experiment.

    EXPERIMENT is a TOML file; --example prints one of each kind. Parts that are in the folder already are not played
    again: if you stop a run, the same command continues. At the end matches print their results, and the other kinds
    their answer, and where their page, tables and figures are.
    """
    if settings["progress"] and experiment is not None:
        folder = out or Path("out") / experiment.stem
        # Where an interrupt ends the process at once: while modules are imported.
        interrupts.note = f"stopped: what has been played is in {folder}, and the same command continues\n"
    from stier import experiments

    if example == "" and experiment is None:
        print(_kinds().strip())
        return
    if example is not None and experiment is None:
        print(experiments.example(example), end="")
        return
    if experiment is None or example is not None:
        raise click.UsageError("give one of EXPERIMENT and --example")
    try:
        store = experiments.run(experiment, out, **settings)
    except KeyboardInterrupt:
        # It has been told more exactly.
        interrupts.note = ""
        raise
    plan = store.experiment
    missing = store.missing()
    done = sum(plan.task(number).size for number in set(range(plan.parts())) - set(missing))
    print(f"{done} {plan.unit} in {store.folder}{f', {len(missing)} parts are missing' if missing else ''}")
    if plan.page_after == "run" or (not missing and (plan.page_after == "end" or plan.outputs)):
        found, tables, figures = experiments.publish(store)
        if found.question:
            print(f"{found.question}\n{found.answer}")
        draw(found, tables, figures)
        print(f"Page in {plan.outputs.get('page', tables / found.page)}")
    elif not missing:
        print(f"{experiments.report(store)}\nstier report {store.folder}")
