"""The command line, command by command; ``stier --help`` lists them."""

from __future__ import annotations

import argparse
import csv
import inspect
import os
import secrets
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from types import ModuleType
from typing import Any, Protocol

import stier
from stier import _exploit, _files, _play, _replay
from stier._intervals import plus_minus
from stier._listing import OptionInfo
from stier._native import Agent, Game, PitResult, Properties, Solution
from stier.errors import ArgumentError, FileError, MissingExtraError, StierError

#: Exit codes: of a check that did not pass, as argparse has it for wrong arguments, as a shell has it for Ctrl-C.
FOUND, BAD_ARGUMENTS, INTERRUPTED = 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code."""
    arguments = parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except BrokenPipeError:
        # The reader has closed the pipe; the flush at exit must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (StierError, OSError) as error:
        if isinstance(error, OSError) and not _is_about(error, arguments):
            raise
        if getattr(arguments, "debug", False):
            traceback.print_exc()
        print(f"stier: {error}", file=sys.stderr)
        return BAD_ARGUMENTS
    except KeyboardInterrupt:
        print("stier: interrupted", file=sys.stderr)
        return INTERRUPTED


def _is_about(error: OSError, arguments: argparse.Namespace) -> bool:
    """Whether an error is about a path that was named on the command line, a part of it, or something below it."""
    if isinstance(error, StierError):
        return True
    if not isinstance(error.filename, str):
        return False
    failed = Path(error.filename).absolute()
    named = [value.absolute() for value in vars(arguments).values() if isinstance(value, Path)]
    return any(path == failed or path in failed.parents or failed in path.parents for path in named)


class _Parser(argparse.ArgumentParser):
    """A parser with the option that every command has."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        about = "show the traceback of every error"
        self.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=about)


def parser() -> argparse.ArgumentParser:
    """Give the parser of the whole command line."""
    parser = _Parser(prog="stier", description="Hidden-information card games.")
    parser.add_argument("--version", action="version", version=f"stier {stier.__version__}")
    commands = parser.add_subparsers(metavar="command", required=True)

    games = commands.add_parser("games", help="list the games with their options")
    games.set_defaults(run=_games)

    agents = commands.add_parser("agents", help="list the agents with their options")
    agents.set_defaults(run=_agents)

    pit = commands.add_parser("pit", help="have agents play each other")
    _add_game(pit)
    pit.add_argument("agents", nargs="+", metavar="agent", help="such as random or ismcts:iterations=1000,seed=1")
    pit.add_argument("--deals", type=int, default=1000, help="deals per table of agents (default: 1000)")
    pit.add_argument("--seed", type=int, default=0, help="seed of deals and agents (default: 0)")
    pit.add_argument("--threads", type=int, default=0, help="threads; no influence on the result (default: all cores)")
    pit.add_argument("--unpaired", action="store_true", help="new cards for every game, not the same for a deal")
    pit.add_argument("--no-progress", action="store_true", help="no progress bar")
    pit.add_argument("--csv", type=Path, metavar="FILE", help="write every game to FILE, one row per seat")
    pit.set_defaults(run=_pit)

    fest = commands.add_parser("schwingfest", help="hold a tournament of Schwinget, and print its ranking list")
    fest.add_argument("agents", nargs="+", metavar="agent", help="three or more, such as greedy or NAME=ismcts:c=0.7")
    fest.add_argument("--seed", type=int, default=0, help="seed of deals and agents (default: 0)")
    fest.add_argument("--threads", type=int, default=0, help="threads; no influence on the result (default: all cores)")
    fest.add_argument("--svg", type=Path, metavar="FILE", help="draw the ranking list to FILE, too")
    fest.set_defaults(run=_schwingfest_command)

    run = commands.add_parser("run", help="play an experiment, or what is missing of it")
    run.add_argument("experiment", type=Path, help="a TOML file: game, rules, agents, deals, seeds")
    run.add_argument("--out", type=Path, metavar="DIR", help="where games are kept (default: out/NAME of NAME.toml)")
    run.add_argument("--threads", type=int, default=0, help="threads; no influence on the files (default: all cores)")
    run.add_argument(
        "--ray", metavar="ADDRESS", help="play on a Ray cluster: auto, local or HOST:PORT; no influence on the files"
    )
    run.add_argument("--no-progress", action="store_true", help="no progress bar")
    run.set_defaults(run=_run)

    report = commands.add_parser("report", help="make tables and plots of an experiment")
    report.add_argument("folder", type=Path, help="where stier run has kept the games")
    report.add_argument("--tables", type=Path, metavar="DIR", help="where tables go (default: FOLDER/tables)")
    report.add_argument("--figures", type=Path, metavar="DIR", help="where figures go (default: FOLDER/figures)")
    report.set_defaults(run=_report)

    decisions = commands.add_parser("decisions", help="collect the decisions of an experiment for learning")
    decisions.add_argument("folder", type=Path, help="where stier run has kept the games")
    decisions.add_argument("file", type=Path, help="the .npz file to write")
    decisions.add_argument(
        "--agent", action="append", metavar="NAME", help="only decisions of this agent; may be repeated"
    )
    decisions.add_argument(
        "--teacher", metavar="AGENT", help="who gives policies; own: who has played (default: nobody)"
    )
    decisions.add_argument(
        "--tensor",
        choices=["observation", "information_state"],
        default="observation",
        help="what stands for the view (default: observation)",
    )
    decisions.add_argument("--seed", type=int, default=0, help="seed of the teacher (default: 0)")
    decisions.add_argument(
        "--threads", type=int, default=0, help="threads; no influence on the result (default: all cores)"
    )
    decisions.add_argument("--no-progress", action="store_true", help="no progress bar")
    decisions.set_defaults(run=_decisions)

    exploit = commands.add_parser("exploit", help="bound from below what a best response gains against an agent")
    _add_game(exploit)
    exploit.add_argument("agent", help="such as greedy or ismcts:iterations=100")
    exploit.add_argument(
        "--responder",
        default=_exploit.RESPONDER,
        metavar="AGENT",
        help="who exploits it, such as lbr:worlds=100 or ismcts_br; is told whom it plays (default: %(default)s)",
    )
    exploit.add_argument("--deals", type=int, default=100, help="deals, each played from every seat (default: 100)")
    exploit.add_argument("--seed", type=int, default=0, help="seed of deals and agents (default: 0)")
    exploit.add_argument(
        "--threads", type=int, default=0, help="threads; no influence on the result (default: all cores)"
    )
    exploit.add_argument("--no-progress", action="store_true", help="no progress bar")
    exploit.set_defaults(run=_exploit_command)

    properties = commands.add_parser("properties", help="measure what decides how well search with open cards can do")
    properties.add_argument("game", nargs="+", help="such as schwinget or schwimmen:players=3")
    _add_rules(properties)
    properties.add_argument("--deals", type=int, default=1000, help="deals (default: 1000)")
    properties.add_argument("--games", type=int, default=32, help="games of each deal (default: 32)")
    properties.add_argument("--seed", type=int, default=0, help="seed of deals and play (default: 0)")
    properties.add_argument(
        "--play", choices=["random", "hints"], default="random", help="how everybody plays (default: random)"
    )
    properties.add_argument(
        "--threads", type=int, default=0, help="threads; no influence on the result (default: all cores)"
    )
    properties.add_argument("--no-progress", action="store_true", help="no progress bar")
    properties.add_argument("--markdown", action="store_true", help="one table in Markdown, a line for each game")
    properties.set_defaults(run=_properties)

    solve = commands.add_parser("solve", help="look for an equilibrium of a scaled-down game")
    _add_game(solve)
    solve.add_argument("--algorithm", default="cfr+", help="such as cfr+ or sequence_form (default: cfr+)")
    solve.add_argument("--iterations", type=int, default=1000, help="iterations at most (default: 1000)")
    solve.add_argument("--target", type=float, default=0.0, help="the NashConv at which to stop (default: none)")
    solve.add_argument("--seed", type=int, default=0, help="seed of algorithms that sample (default: 0)")
    solve.add_argument("--checkpoint", type=Path, metavar="FILE", help="go on from FILE, and keep what is done in it")
    solve.add_argument("--save", type=Path, metavar="FILE", help="write the policy to FILE")
    _add_enumeration(solve)
    solve.set_defaults(run=_solve)

    exploitability = commands.add_parser(
        "exploitability", help="find how far agents are from equilibrium in a scaled-down game"
    )
    _add_game(exploitability)
    exploitability.add_argument(
        "agents",
        nargs="+",
        metavar="agent",
        help="such as ismcts:iterations=1000, or a file of stier solve --save",
    )
    exploitability.add_argument("--seed", type=int, default=0, help="seed of the agents' decisions (default: 0)")
    _add_enumeration(exploitability)
    exploitability.set_defaults(run=_exploitability)

    leak = commands.add_parser("check-leak", help="check that players are given nothing that they cannot know")
    leak.add_argument("game", help="such as schwimmen:players=5, or open_spiel:leduc_poker for a game of OpenSpiel")
    _add_rules(leak)
    leak.add_argument("--games", type=int, default=10, help="random games (default: 10)")
    leak.add_argument("--worlds", type=int, default=3, help="other worlds for every position and player (default: 3)")
    leak.add_argument("--seed", type=int, default=0, help="seed of games and worlds (default: 0)")
    leak.add_argument(
        "--agent", action="append", metavar="AGENT", help="an agent that must not peek; may be repeated (default: two)"
    )
    leak.set_defaults(run=_check_leak)

    play = commands.add_parser("play", help="play against an agent in the terminal")
    _add_game(play)
    play.add_argument("--seat", type=int, default=0, help="your seat (default: 0)")
    play.add_argument("--against", default="ismcts:iterations=10000", metavar="AGENT", help="who has the other seats")
    play.add_argument("--seed", type=int, help="seed of the cards and the agent (default: a random one)")
    play.set_defaults(run=_play_command)

    replay = commands.add_parser("replay", help="go through a recorded game from one seat's perspective")
    replay.add_argument("file", type=Path, help="a record, as State.record gives it; - for the standard input")
    replay.add_argument("--seat", type=int, default=0, help="whose decisions (default: 0)")
    replay.add_argument(
        "--agent",
        default=_replay.AGENT,
        help="agent that searches and holds the beliefs (default: %(default)s)",
    )
    replay.add_argument(
        "--searches",
        type=int,
        default=_replay.SEARCHES,
        help="searches per decision; verdicts need 3 or more (default: %(default)s)",
    )
    replay.add_argument(
        "--tree-depth", type=int, default=0, help="show the lines of play searched so deep (default: 0)"
    )
    replay.add_argument("--reveal", action="store_true", help="show the true cards, too")
    replay.add_argument("--html", type=Path, metavar="FILE", help="write a web page to FILE instead of printing")
    replay.set_defaults(run=_replay_command)

    train = commands.add_parser("train", help="train a network by self-play")
    _add_game(train)
    train.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder of network, log and checkpoint, to go on from",
    )
    train.add_argument("--algorithm", default="ppo", help="ppo, ppo_torch or dmc (default: ppo)")
    train.add_argument("--steps", type=int, help="decisions to play (default: the algorithm's)")
    train.add_argument("--seed", type=int, default=0, help="seed of games, weights and choices (default: 0)")
    train.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="another setting, such as hidden=256,256"
    )
    train.add_argument(
        "--against",
        action="append",
        metavar="AGENT",
        help="opponent of evaluations; may be repeated (default: greedy)",
    )
    train.add_argument("--deals", type=int, default=500, help="paired deals of each evaluation (default: 500)")
    train.add_argument("--evaluations", type=int, default=20, help="evaluations on the way (default: 20)")
    train.add_argument("--exact", action="store_true", help="compute NashConv, too: for scaled-down games")
    train.add_argument(
        "--watch",
        action="append",
        metavar="ACTION",
        help="count the chances of ACTION that are taken; may be repeated",
    )
    train.add_argument("--judge", metavar="AGENT", help="group the chances of --watch by whether this agent takes them")
    train.add_argument(
        "--initial", type=Path, metavar="FILE", help="the network to start from (default: random weights)"
    )
    train.add_argument(
        "--opponents",
        action="append",
        metavar="AGENT",
        help="agent at the other seats in training; may be repeated (default: self, the learner at all seats)",
    )
    train.add_argument("--device", help="device of JAX or PyTorch, such as gpu:0 (default: one thread of the CPU)")
    train.add_argument(
        "--checkpoint-every",
        type=int,
        default=0,
        metavar="N",
        help="keep the network of every N iterations in DIR/checkpoints",
    )
    train.add_argument("--no-progress", action="store_true", help="do not show progress")
    train.set_defaults(run=_train)
    plain_help = train.format_help
    # The settings are listed only when help is asked for: they need the package's extra.
    train.format_help = lambda: plain_help() + _settings_help()  # type: ignore[method-assign]

    study = commands.add_parser("study", help="answer a question about the games by play")
    studies = study.add_subparsers(metavar="question", required=True)
    timing = studies.add_parser("attack-timing", help="when is an attack in Schwinget right?")
    timing.add_argument("--quick", action="store_true", help="a minute of one core instead of half an hour")
    timing.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where parts are kept (default: out/study, with --quick out/study/quick)",
    )
    timing.add_argument("--tables", type=Path, metavar="DIR", help="where tables and answer go (default: OUT/tables)")
    timing.add_argument("--figures", type=Path, metavar="DIR", help="where figures go (default: OUT/figures)")
    timing.add_argument(
        "--chapter", action="append", metavar="NAME", help="only this chapter; may be repeated (default: all)"
    )
    timing.add_argument("--scale", type=float, default=1.0, help="multiplies the number of games (default: 1)")
    timing.add_argument("--seed", type=int, default=0, help="seed of everything (default: 0)")
    timing.add_argument(
        "--threads", type=int, default=0, help="threads; no influence on the result (default: all cores)"
    )
    timing.add_argument("--no-progress", action="store_true", help="no progress bar")
    timing.set_defaults(run=_attack_timing)
    return parser


def _add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="such as schwinget or schwinget:scoring=schwinger")
    _add_rules(parser)


def _add_enumeration(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-histories", type=int, default=50_000_000, help="refuse larger games (default: %(default)s)"
    )
    parser.add_argument(
        "--threads", type=int, default=0, help="threads; no influence on the result (default: all cores)"
    )
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")


def _add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rule", action="append", default=[], metavar="NAME=VALUE", help="an option of the game; may be repeated"
    )


def _load_game(arguments: argparse.Namespace) -> Game:
    return stier.load_game(arguments.game, **_rules(arguments))


def _rules(arguments: argparse.Namespace) -> dict[str, str]:
    rules: dict[str, str] = {}
    for rule in arguments.rule:
        name, equals, value = rule.partition("=")
        if not equals or name in rules:
            raise ArgumentError(f"--rule '{rule}': give each option once, as NAME=VALUE")
        rules[name] = value
    return rules


def _print_option(option: OptionInfo) -> None:
    print(f"    {option.name} = {option.default}   ({option.allowed})")
    for line in wrap(option.about, 100):
        print(f"        {line}")


def _games(_: argparse.Namespace) -> int:
    for name in stier.registered_names():
        game = stier.load_game(name)
        print(f"{name}   ({game.num_players()} players by default)")
        for option in stier.describe_game(name):
            _print_option(option)
    return 0


def _agents(_: argparse.Namespace) -> int:
    for agent in stier.describe_agents():
        print(agent.name)
        for line in wrap(agent.about, 100):
            print(f"    {line}")
        for option in agent.options:
            _print_option(option)
    print("every agent\n    seed = 0   (0 to 18446744073709551615)\n        The seed of its random numbers.")
    return 0


def _pit(arguments: argparse.Namespace) -> int:
    result = stier.pit(
        _load_game(arguments),
        arguments.agents,
        deals=arguments.deals,
        seed=arguments.seed,
        paired=not arguments.unpaired,
        threads=arguments.threads,
        progress=not arguments.no_progress and sys.stderr.isatty(),
    )
    if arguments.csv is not None:
        _write_csv(result, arguments.csv)
    print(result, end="")
    return 0


def _write_csv(result: PitResult, path: Path) -> None:
    """Write every game; a file that was there stays whole until the new one is."""
    if not path.parent.is_dir():
        raise FileError(f"{path}: there is no folder {path.parent}")
    labels = result.agents

    def fill(temporary: Path) -> None:
        with temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["game", "deal", "seat", "entrant", "agent", "return"])
            for number, played in enumerate(result.games):
                for seat, (entrant, value) in enumerate(zip(played.agents, played.returns, strict=True)):
                    writer.writerow([number, played.deal, seat, entrant, labels[entrant], value])

    _files.write(path, fill)


def _schwingfest_command(arguments: argparse.Namespace) -> int:
    named = [_named(text) for text in arguments.agents]
    names = [name for name, _ in named]
    if any(name is not None for name in names):
        labels = [name or text for name, text in named]
        if len(set(labels)) < len(labels):
            raise ArgumentError("give each wrestler a name of its own")
        found = stier.schwingfest(
            dict(zip(labels, (text for _, text in named), strict=True)),
            seed=arguments.seed,
            threads=arguments.threads,
        )
    else:
        found = stier.schwingfest(arguments.agents, seed=arguments.seed, threads=arguments.threads)
    print(found, end="")
    if arguments.svg is not None:
        _files.write_text(arguments.svg, found.to_svg())
    return 0


def _named(text: str) -> tuple[str | None, str]:
    """A name and an agent, of ``NAME=AGENT``; an equals sign in the options of an agent is none."""
    name, equals, agent = text.partition("=")
    return (name, agent) if equals and ":" not in name else (None, text)


def _run(arguments: argparse.Namespace) -> int:
    games = _experiments().run(
        arguments.experiment,
        arguments.out,
        threads=arguments.threads,
        ray=arguments.ray,
        progress=not arguments.no_progress and sys.stderr.isatty(),
    )
    print(f"{games.experiment.games} games in {games.folder}")
    return 0


def _report(arguments: argparse.Namespace) -> int:
    found = _experiments().report(arguments.folder)
    tables = arguments.tables or arguments.folder / "tables"
    found.save(tables)
    print(found, end="")
    _draw(found, tables, arguments.figures or arguments.folder / "figures")
    return 0


def _decisions(arguments: argparse.Namespace) -> int:
    found = _experiments().decisions(
        arguments.folder,
        agents=arguments.agent,
        teacher=arguments.teacher,
        tensor=arguments.tensor,
        seed=arguments.seed,
        threads=arguments.threads,
        progress=not arguments.no_progress and sys.stderr.isatty(),
    )
    found.save(arguments.file)
    print(f"{len(found)} decisions in {arguments.file}")
    return 0


def _experiments() -> ModuleType:
    """The package, which needs an extra."""
    from stier import experiments

    return experiments


def _draw(found: _Drawable, tables: Path, figures: Path) -> None:
    """Draw, if that can be done, and say where things are."""
    print(f"\nTables in {tables}, ", end="")
    try:
        found.draw(figures)
    except MissingExtraError as error:
        print(f"no figures ({error})")
    else:
        print(f"figures in {figures}")


class _Drawable(Protocol):
    def draw(self, folder: Path, /) -> object: ...


def _exploit_command(arguments: argparse.Namespace) -> int:
    found = stier.exploit(
        _load_game(arguments),
        arguments.agent,
        arguments.responder,
        deals=arguments.deals,
        seed=arguments.seed,
        threads=arguments.threads,
        progress=not arguments.no_progress and sys.stderr.isatty(),
    )
    print(found, end="")
    return 0


def _properties(arguments: argparse.Namespace) -> int:
    rules = _rules(arguments)
    games = [stier.load_game(name, **rules) for name in arguments.game]
    if arguments.markdown:
        print("| game | players | leaf correlation | return correlation | bias | disambiguation | net |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
    for game in games:
        found = stier.properties(
            game,
            deals=arguments.deals,
            games=arguments.games,
            seed=arguments.seed,
            play=arguments.play,
            threads=arguments.threads,
            progress=not arguments.no_progress and sys.stderr.isatty(),
        )
        print(f"{_row(found)}\n" if arguments.markdown else found, end="", flush=True)
    return 0


def _row(found: Properties) -> str:
    """Give the line of a Markdown table."""
    figures = [
        found.leaf_correlation,
        found.return_correlation,
        found.bias,
        found.disambiguation,
        found.net_disambiguation,
    ]
    cells = ["-" if figure is None else f"{figure[0]:.3f}{plus_minus(figure[1])}" for figure in figures]
    return f"| `{found.game}` | {found.game.num_players()} | {' | '.join(cells)} |"


def _solve(arguments: argparse.Namespace) -> int:
    game = _load_game(arguments)
    found = stier.solve(
        game,
        arguments.algorithm,
        iterations=arguments.iterations,
        target=arguments.target,
        seed=arguments.seed,
        checkpoint=arguments.checkpoint,
        max_histories=arguments.max_histories,
        threads=arguments.threads,
        progress=not arguments.no_progress and sys.stderr.isatty(),
    )
    if arguments.save is not None:
        found.save(arguments.save)
    print(f"{game}: {found.histories} histories, {found.information_sets} information sets")
    print(f"{found.algorithm}, iterations {found.iterations}")
    print("values         " + " ".join(f"{value:+.6f}" for value in found.values))
    print(f"exploitability {found.exploitability:.3e}")
    print(f"NashConv       {found.nash_conv:.3e}")
    return 0


def _exploitability(arguments: argparse.Namespace) -> int:
    game = _load_game(arguments)
    heading = f"{'exploitability':>14} {'NashConv':>10} {'value':>9}  agent\n"
    for name in arguments.agents:
        agent: str | Solution = stier.load_solution(name) if Path(name).is_file() else name
        found = stier.best_response(
            game,
            agent,
            seed=arguments.seed,
            max_histories=arguments.max_histories,
            threads=arguments.threads,
            progress=not arguments.no_progress and sys.stderr.isatty(),
        )
        value = found.agent_values[0]
        figures = f"{found.exploitability:14.6f} {found.nash_conv:10.6f} {value:+9.4f}"
        print(f"{heading}{figures}  {found.against}", flush=True)
        heading = ""
    return 0


def _check_leak(arguments: argparse.Namespace) -> int:
    library, colon, name = arguments.game.partition(":")
    game: object
    if colon and library == "open_spiel":
        if arguments.agent or arguments.rule:
            raise ArgumentError(
                "of OpenSpiel give the game only, with its parameters: open_spiel:kuhn_poker(players=3)"
            )
        game = _open_spiel_game(name)
    else:
        game = _load_game(arguments)
    report = stier.check_no_leak(
        game, games=arguments.games, worlds=arguments.worlds, seed=arguments.seed, agents=arguments.agent
    )
    print(report)
    return 0 if report.ok else FOUND


def _open_spiel_game(name: str) -> object:
    # The adapter first: where OpenSpiel is missing, it says how to install it.
    import stier.open_spiel as adapter

    adapter.register()
    import pyspiel

    try:
        return pyspiel.load_game(name)
    except pyspiel.SpielError as error:
        raise ArgumentError(error) from None


def _play_command(arguments: argparse.Namespace) -> int:
    game = _load_game(arguments)
    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    opponent: Agent = stier.load_agent(arguments.against, game)
    return _play.play(game, opponent, arguments.seat, seed)


def _replay_command(arguments: argparse.Namespace) -> int:
    record = sys.stdin.read() if arguments.file == Path("-") else _read(arguments.file)
    found = stier.replay(
        record,
        arguments.seat,
        arguments.agent,
        searches=arguments.searches,
        tree_depth=arguments.tree_depth,
        reveal=arguments.reveal,
    )
    if arguments.html is None:
        print(found.to_text())
    else:
        arguments.html.write_text(found.to_page(), encoding="utf-8")
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: not a text: {error}") from None


def _settings_help() -> str:
    try:
        from stier.train.command import settings_help
    except ImportError as error:
        return f"\nThe settings of --set are not listed: {error}\n"
    return settings_help()


def _train(arguments: argparse.Namespace) -> int:
    from stier.train.command import train

    options = {name: value for name, value in vars(arguments).items() if name in inspect.signature(train).parameters}
    return train(**options | {"game": _load_game(arguments), "progress": not arguments.no_progress})


def _attack_timing(arguments: argparse.Namespace) -> int:
    from stier import study
    from stier.study._timing import default_folder

    out = arguments.out or default_folder(quick=arguments.quick)
    found = study.attack_timing(
        out,
        quick=arguments.quick,
        chapters=arguments.chapter,
        seed=arguments.seed,
        scale=arguments.scale,
        threads=arguments.threads,
        progress=not arguments.no_progress and sys.stderr.isatty(),
    )
    tables, figures = arguments.tables or out / "tables", arguments.figures or out / "figures"
    found.save(tables)
    print(found, end="")
    _draw(found, tables, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
