"""The command line."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from helpers import OWN_GAMES, run

import stier
from stier.cli import main, rules as rules_command
from stier.cli._app import app
from stier.cli._command import Command

HERE = Path(__file__).parent

pytestmark = pytest.mark.usefixtures("own_folder")


def test_games_are_listed_by_line_and_one_by_one_with_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    *lines, hint = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == stier.registered_names()
    assert hint == "Options of a game: stier games NAME"
    for name in stier.registered_names():
        assert main(["games", name]) == 0
        out = capsys.readouterr().out
        for option in stier.catalogue.describe_game(name):
            assert f"{option.name} = {option.default}   ({option.allowed})" in out


def test_agents_are_listed_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents"]) == 0
    *lines, hint = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [agent.name for agent in stier.describe_agents()]
    assert hint == "Options of an agent: stier agents NAME"
    assert any(line.endswith("Browne et al. 2012)") for line in lines), "an abbreviation does not end a sentence"
    for line, agent in zip(lines, stier.describe_agents(), strict=True):
        assert f"{agent.description} ".startswith((f"{line[16:]}. ", f"{line[16:].strip()}. "))
    assert any("`" in line for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        "network:endings=ranges",
        "best:endings=ranges",
        "mmds:beliefs=exact",
        "ismcts:beliefs=exact,model=fitted",
        "lbr:against=network,particles=exact",
    ],
)
def test_an_agent_is_listed_that_one_game_alone_has(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", text]) == 0
    out = capsys.readouterr().out
    for option in text.partition(":")[2].split(","):
        assert f"    {option.replace('=', ' = ')}" in out


def test_one_game_or_agent_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "schwinget"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("schwinget   (2 players by default)\n")
    assert "    bouts = 1   (1 to 12)\n" in out
    assert "schwimmen" not in out
    assert main(["agents", "random"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("random\n")
    assert "    seed = 0   (0 to " in out
    assert "greedy" not in out
    assert main(["agents", "ismcts:iterations=5"]) == 0
    out = capsys.readouterr().out
    assert "    iterations = 5   (1 to " in out
    assert "    c = 0.7   (" in out
    assert main(["agents", "ismcts:iterations=0"]) == 2
    assert "iterations must be at least 1, got 0\n" in capsys.readouterr().err
    for kind in ["game", "agent"]:
        assert main([f"{kind}s", "nobody"]) == 2
        assert capsys.readouterr().err.startswith(f"stier: unknown {kind} 'nobody'")


def test_rules_are_printed_without_marks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "schwinget.md").write_text("# Schwinget\n\nA *game*\nfor two.\n\n## Cards\n\nThere are 26.\n")
    monkeypatch.setattr(rules_command, "files", lambda _: tmp_path)
    assert main(["rules", "schwinget"]) == 0
    out = capsys.readouterr().out
    assert "A game for two." in out
    assert "There are 26." in out
    assert "#" not in out
    assert "\x1b" not in out
    assert "\x1b" in rules_command.text("schwinget", colour=True)
    assert main(["games", "schwinget"]) == 0
    assert "\n    A game for two.\n" in capsys.readouterr().out
    assert main(["rules", "schwimmen"]) == 2
    assert capsys.readouterr().err == "stier: no rules page for 'schwimmen'\n"
    assert main(["rules", "jass"]) == 2
    assert capsys.readouterr().err.startswith("stier: unknown game 'jass'")


def commands() -> list[tuple[str, Command]]:
    """Every command with its name, without the groups."""
    found: list[tuple[str, click.Command]] = list(app.commands.items())
    for name, command in found:
        if isinstance(command, click.Group):
            found += [(f"{name} {below}", inner) for below, inner in command.commands.items()]
    return [(name, command) for name, command in found if isinstance(command, Command)]


def test_the_list_of_commands_cuts_no_description(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out.partition("\nCommands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == list(app.commands)
    for line, command in zip(listed, app.commands.values(), strict=True):
        first = (command.help or "").partition("\n\n")[0]
        assert line.endswith(f"  {first}")
        assert len(first) <= 50


def test_help_recommends_what_was_measured() -> None:
    """Discounted CFR, and the settings of training in poker, as in the pages of results and the guide."""
    rows = re.findall(r"^\| (.*) \| `(.*)` \|.*\| (\S+) \| \S+ \|$", page("benches/SOLVING.md"), re.MULTILINE)
    needed = {(game, algorithm): int(count) for game, algorithm, count in rows if count.isdecimal()}
    shares = {game: needed[game, "discounted_cfr"] / needed[game, "cfr+"] for game, _ in needed}
    told = " ".join((app.commands["solve"].help or "").split())
    assert "takes less than half of its iterations in Schwinget, about two thirds in Leduc poker and Liar" in told
    assert max(share for game, share in shares.items() if "Schwinget" in game) < 0.5
    assert {round(shares[game] * 3) for game in ("Leduc", "Liar's Dice")} == {2}
    assert [round(shares[game], 1) for game in ("Goofspiel 4", "Goofspiel 5")] == [1.1, 1]
    advice = page("python/docs/guides/training.md").partition("**")[2].partition("`.")[0]
    wanted = set(re.findall(r"--set\s+(\S+=[\w.,-]+)", advice))
    examples = [line for _, command in commands() for line in command.examples if re.match("stier train .*poker", line)]
    assert examples
    for line in examples:
        given = set(re.findall(r"--set (\S+)", line))
        # The critic is the only part whose effect was small.
        assert {each for each in wanted if not re.match("central_critic|action_critic|hidden", each)} <= given <= wanted


def test_help_names_every_default(capsys: pytest.CaptureFixture[str]) -> None:
    for name, _ in commands():
        assert main([*name.split(), "--help"]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert re.findall(r"default:? ?[\])]", told) == [], name


def page(path: str) -> str:
    return (HERE.parents[1] / path).read_text("utf-8")


@pytest.mark.parametrize(("name", "command"), commands())
def test_help_has_examples_that_can_be_run(name: str, command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*name.split(), "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Usage: stier {name} ")
    lines = out[out.index("Examples:\n") :].splitlines()[1:]
    assert lines == [f"  {example}" for example in command.examples]
    # The others are in the quotes of eval.
    for words in [shlex.split(line, comments=True) for line in lines if "eval" not in line]:
        prefix, words = ["stier", *name.split()], words[: words.index("|")] if "|" in words else words
        assert words[: len(prefix)] == prefix
        words = words[: words.index(">")] if ">" in words else words
        command.make_context(name, words[len(prefix) :])


def test_help_says_what_every_option_is_for() -> None:
    for name, command in commands():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert (parameter.help or "").rstrip().endswith("."), (name, parameter.name)


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (["pitt"], "'pit'"),
        (["pit", "schwinget", "random", "greedy", "--deal", "3"], "'--deals'"),
        (["pit", "schwinget", "random", "greedy", "--deals", "many"], "'many' is not a valid integer"),
        (["pit"], "Missing argument 'GAME'"),
    ],
)
def test_wrong_usage_names_what_was_meant(command: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert out == ""
    first, second = err.splitlines()
    assert first.startswith("stier: ")
    assert named in first
    assert re.fullmatch(r"Try 'stier.* --help'\.", second)


def completions(words: str) -> set[str]:
    count = len(words.split()) - 1 + words.endswith(" ")
    asked = {
        "_STIER_COMPLETE": "fish_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": "" if words.endswith(" ") else words.split()[count],
    }
    done = subprocess.run(
        [sys.executable, "-m", "stier"], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    return {line.partition(",")[2].partition("\t")[0] for line in done.stdout.splitlines()}


def test_the_shell_completes_names() -> None:
    assert completions("stier re") == {"replay", "report"}
    assert completions("stier pit ") == set(OWN_GAMES)
    assert completions("stier pit schwinget ismcts") == {"ismcts", "ismcts_br"}
    assert completions("stier pit schwinget:scoring=points,b") == {"schwinget:scoring=points,bouts="}
    assert completions("stier play schwinget --against random:") == {"random:seed="}
    assert completions("stier pit schwinget --no") == {"--no-progress"}


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_completion_is_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert f"_STIER_COMPLETE={shell}_complete" in capsys.readouterr().out


TINY = "schwinget:suits=2,values=2,counter=off,hand_size=1,set_aside=1"


def test_solve_prints_and_saves_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, kept = tmp_path / "tiny.policy", tmp_path / "tiny.checkpoint"
    command = ["solve", TINY, "--target", "0.01", "--save", str(path), "--checkpoint", str(kept), "--threads", "1"]
    assert main(command) == 0
    found = stier.solving.load_solution(path)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{TINY}: 1093 histories, 544 information sets"
    assert lines[1] == f"cfr+, iterations {found.iterations}"
    assert lines[2] == f"values         {found.values[0]:+.6f} {found.values[1]:+.6f}"
    assert lines[3:] == [f"exploitability {found.exploitability:.3e}", f"NashConv       {found.nash_conv:.3e}"]
    assert 0 < found.nash_conv <= 0.01
    assert kept.exists()
    assert main(["exploitability", TINY, str(path), "ismcts:iterations=20", "--seed", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    asked = "asked with one seed; if the agent draws at random, use --seeds 20: noise raises the figure"
    assert [line.split("  ")[-1] for line in lines] == [
        "agent",
        str(path),
        "ismcts:iterations=20",
        f"ismcts:iterations=20: {asked}",
    ]
    assert float(lines[1].split()[0]) == pytest.approx(found.exploitability, abs=1e-6)
    searched = stier.exploitability(stier.load_game(TINY), "ismcts:iterations=20", seed=2)
    assert float(lines[2].split()[0]) == pytest.approx(searched, abs=1e-6)


def test_solve_tells_what_is_kept_and_what_is_faster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kept = tmp_path / "tiny.policy", tmp_path / "tiny.checkpoint"
    monkeypatch.setattr("stier.cli.solve.MANY_HISTORIES", 1000)
    faster = "solved on the tree of histories; if all plays are public, as in Schwinget, --ranges is ten times as fast"
    for options, is_told in ([], True), (["--ranges"], False), (["--no-ranges"], False):
        assert main(["solve", TINY, "--iterations", "9", *options]) == 0
        out, err = capsys.readouterr()
        assert (faster in err) == is_told
        assert ("public states, " in out) == ("--ranges" in options)
    for others in (["kuhn_poker"], [TINY, "--algorithm", "external_sampling", "--save", str(path)]):
        assert main(["solve", *others]) == 0
        assert capsys.readouterr().err == ""
    for iterations, told in (5, ""), (8, f"stier: continues from {kept}\n"), (3, f"stier: {kept} has 8 iterations"):
        command = ["solve", "kuhn_poker", "--iterations", str(iterations), "--checkpoint", str(kept)]
        assert main(command) == 0
        err = capsys.readouterr().err
        assert told in err
        assert bool(err) == (iterations != 5)
        assert main([*command, "--no-progress"]) == 0
        assert "continues" not in capsys.readouterr().err
    assert main(["exploitability", "kuhn_poker", str(path)]) == 2
    assert f"{path}: external_sampling is for {TINY}, not for kuhn_poker" in capsys.readouterr().err


def test_algorithms_may_be_abbreviated_in_errors(capsys: pytest.CaptureFixture[str]) -> None:
    for short, name in ("dcfr", "discounted_cfr"), ("pcfr+", "predictive_cfr+"), ("scfr", "scheduled_cfr"):
        assert main(["solve", "kuhn_poker", "--algorithm", short]) == 2
        assert f"did you mean '{name}'?" in capsys.readouterr().err


def test_pit_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["pit", "schwinget", "random", "greedy", "ismcts:iterations=20", "--deals", "5", "--seed", "3"]
    assert main([*command, "--threads", "2", "--no-progress", "--rule", "scoring=schwinger", "--rule", "bouts=2"]) == 0
    game = stier.load_game("schwinget", scoring="schwinger", bouts=2)
    expected = stier.pit(game, ["random", "greedy", "ismcts:iterations=20"], deals=5, seed=3)
    assert capsys.readouterr().out == str(expected)


def test_pit_takes_rules_in_the_name_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pit", "schwinget:bouts=2", "random", "greedy", "--deals", "1", "--unpaired"]) == 0
    assert capsys.readouterr().out.startswith("schwinget (bouts=2), 1 deals, 2 games\n")


def test_pit_writes_every_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.csv"
    path.write_text("old")
    assert main(["pit", "schwinget", "random", "greedy", "--deals", "3", "--csv", str(path)]) == 0
    capsys.readouterr()
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    result = stier.pit(stier.load_game("schwinget"), ["random", "greedy"], deals=3)
    assert [float(row["return"]) for row in rows] == [value for played in result.games for value in played.returns]
    assert {row["agent"] for row in rows} == {"random", "greedy"}
    assert {row["stier"] for row in rows} == {stier.__version__}
    assert list(tmp_path.iterdir()) == [path]


def test_exploit_prints_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "exploit",
        "schwinget",
        "random",
        "--responder",
        "lbr:worlds=5,particles=64",
        "--deals",
        "4",
        "--seed",
        "3",
    ]
    assert main([*command, "--threads", "2", "--no-progress", "--rule", "scoring=schwinger"]) == 0
    game = stier.load_game("schwinget", scoring="schwinger")
    expected = stier.exploit(game, "random", "lbr:worlds=5,particles=64", deals=4, seed=3)
    assert capsys.readouterr().out == str(expected)


def test_properties_prints_what_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    settings = ["--deals", "6", "--games", "4", "--seed", "3", "--play", "hints", "--threads", "2", "--no-progress"]
    assert main(["properties", "schwinget", "up_and_down:players=3", "--rule", "utility=win", *settings]) == 0
    games = [stier.load_game("schwinget", utility="win"), stier.load_game("up_and_down", players=3, utility="win")]
    expected = [stier.playing.properties(game, deals=6, games=4, seed=3, play="hints") for game in games]
    assert capsys.readouterr().out == "".join(map(str, expected))


def test_properties_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["properties", *stier.registered_names(), "--deals", "3", "--games", "2", "--markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(stier.registered_names())
    assert {line.count("|") for line in lines} == {8}
    found = stier.playing.properties(stier.load_game("schwinget"), deals=3, games=2)
    (row,) = [line for line in lines if line.startswith("| `schwinget` | 2 |")]
    assert f"| {found.bias[0]:.3f} ± {found.bias[1]:.3f} |" in row


def test_figures_come_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    def figures(*command: str) -> Any:
        assert main([*command, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    game = stier.load_game("kuhn_poker")
    (listed,) = figures("games", "schwinget")
    assert (listed["name"], listed["players"]) == ("schwinget", 2)
    assert [option["name"] for option in listed["options"]] == [
        option.name for option in stier.catalogue.describe_game("schwinget")
    ]
    assert [one["name"] for one in figures("games")] == stier.registered_names()
    assert [one["name"] for one in figures("agents")] == stier.registered_agents()
    assert figures("agents", "random")[0]["options"][-1]["name"] == "seed"

    pitted = figures("pit", "kuhn_poker", "random", "greedy", "--deals", "5")
    result = stier.pit(game, ["random", "greedy"], deals=5)
    assert [one["mean"] for one in pitted["agents"]] == result.mean.tolist()
    assert pitted["meetings"][0] == {
        "agent": "random",
        "opponent": "greedy",
        "mean": result.mean[0],
        "ci95": result.ci95[0],
    }
    single = figures("pit", "kuhn_poker", "random", "greedy", "--deals", "1")
    assert single["agents"][0]["ci95"] is None  # not a number: JSON has none
    solved = figures("solve", "kuhn_poker", "--iterations", "20")
    assert solved["nash_conv"] == stier.solve(game, iterations=20).nash_conv
    bound = figures("exploit", "kuhn_poker", "random", "--deals", "5")
    assert bound["gain"] == stier.exploit(game, "random", deals=5).gain
    (exact,) = figures("exploitability", "kuhn_poker", "random")
    assert exact["exploitability"] == stier.exploitability(game, "random")
    (measured,) = figures("properties", "kuhn_poker", "--deals", "10")
    assert measured["bias"]["mean"] == stier.playing.properties(game, deals=10).bias[0]


def options(command: click.Command, name: str) -> Iterator[str]:
    """A line for each command, with its options and arguments."""
    if isinstance(command, click.Group):
        for part, inner in sorted(command.commands.items()):
            yield from options(inner, f"{name} {part}")
    else:
        yield f"{name}: {' '.join(sorted(one for each in command.params for one in each.opts + each.secondary_opts))}"


def keys(value: Any) -> str:
    """The keys of a JSON value, those of a list from its first element."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} {keys(one)}'.strip() for key, one in sorted(value.items()))}}}"
    return f"[{keys(value[0]) if value else ''}]" if isinstance(value, list) else ""


FIGURES = (
    "games kuhn_poker",
    "agents random",
    "pit kuhn_poker random greedy --deals 5",
    "solve kuhn_poker --iterations 2",
    "exploit kuhn_poker random --deals 5",
    "exploitability kuhn_poker random",
    "properties kuhn_poker --deals 5 --games 2",
)


def test_options_and_keys_of_json_are_those_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    """Names that griffe does not see; `STIER_UPDATE=1` writes the file."""
    lines = list(options(app, "stier"))
    for command in FIGURES:
        assert main([*command.split(), "--json"]) == 0
        lines.append(f"{command.split()[0]} --json: {keys(json.loads(capsys.readouterr().out))}")
    for game in OWN_GAMES:
        lines.append(" ".join([f"game {game}:", *(option.name for option in stier.catalogue.describe_game(game))]))
    for agent in stier.describe_agents():
        lines.append(" ".join([f"agent {agent.name}:", *(option.name for option in agent.options)]))
    file = HERE / "interface.txt"
    if os.environ.get("STIER_UPDATE"):
        file.write_text("\n".join(lines) + "\n", "utf-8")
    assert lines == file.read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (["properties", "jass"], "unknown game 'jass'; games: "),
        (
            ["solve", "schwinget"],
            "an estimated 2.1e33 histories, and --max-histories is 50000000; on public states the hands of a ",
        ),
        (
            ["solve", TINY, "--max-histories", "1000", "--no-ranges"],
            "more than 1000 histories, and --max-histories is 1000",
        ),
        (
            ["exploitability", "schwimmen", "random"],
            "use smaller rules; `stier exploit` gives a lower bound without a tree",
        ),
        (["solve", TINY, "--algorithm", "minimax"], "algorithm must be cfr, cfr+, "),
        (["solve", TINY, "--algorithm", "sequence_form", "--iterations", "9"], "takes neither iterations nor a target"),
        (["solve", TINY, "--algorithm", "sequence_form", "--target", "0.1"], "takes neither iterations nor a target"),
        (["properties", "kuhn_poker", "--markdown", "--json"], "give --markdown or --json, not both"),
        (["exploitability", TINY, "oracle"], "oracle sees everything"),
        (["properties", "schwinget", "--deals", "0"], "deals must be at least 1, got 0"),
        (["properties", "schwinget", "--games", "1"], "games must be at least 2, got 1"),
        (["properties", "schwinget", "--rule", "bouts"], "NAME=VALUE"),
        (["pit", "jass", "random", "random"], "unknown game 'jass'; games: "),
        (["pit", "schwinget", "random"], "needs at least 2 agents"),
        (["pit", "schwinget", "random", "alphazero"], "agents: "),
        (["pit", "schwinget", "random", "random(x=1.5)"], "random has no option 'x'"),
        (["pit", "schwinget", "random", "random", "--deals", "0"], "deals must be at least 1, got 0"),
        (["pit", "schwinget", "random", "random", "--deals", "9" * 13], "deals must be between 1 and 1000000000000, "),
        (["pit", "schwinget", "random", "random", "--threads", "-1"], "threads must be between 0 and 1024, got -1"),
        (["solve", TINY, "--iterations", "0"], "iterations must be at least 1, got 0"),
        (["check-leak", TINY, "--games", "0"], "games must be at least 1, got 0"),
        (["pit", "schwinget", "random", "random", "--rule", "bouts"], "NAME=VALUE"),
        (["pit", "schwinget", "random", "random", "--rule", "bouts=2", "--rule", "bouts=3"], "twice"),
        (["pit", "schwinget:bouts=2", "random", "random", "--rule", "bouts=3"], "given twice"),
        (["pit", "schwinget", "random", "random", "--rule", "bouts=99"], "between 1 and 12"),
        (["exploit", "schwinget", "nobody"], "agents: "),
        (["exploit", "schwinget", "random", "--responder", "lbr:ply=2"], "lbr has no option 'ply'"),
        (["exploit", "schwinget", "random", "--deals", "0"], "deals must be at least 1, got 0"),
        (["exploit", "schwinget", "random", "--rule", "utility=score"], "utility=margin or utility=win"),
        (["play", "schwinget", "--seat", "2"], "seats: 0 to 1"),
        (["web", "--port", "65536"], "port must be between 0 and 65535, got 65536"),
        (["play", "schwinget", "--against", "nobody"], "agents: "),
        (["play", "schwinget", "--seed", "-1"], "seed must be at least 0, got -1"),
        (["play", "schwinget", "--adviser", "oracle"], "an oracle decides by the cards that the seat cannot know"),
    ],
)
def test_errors_are_one_line(command: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("stier: ")
    assert err.count("\n") == 1
    assert named in err


@pytest.mark.parametrize(
    "error",
    [
        ValueError("operands could not be broadcast together"),
        OSError("device failed"),
        FileNotFoundError(2, "No such file or directory", "/proc/none"),
        TypeError("unhashable"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_of_the_program_are_not_taken_for_wrong_arguments(
    error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(stier, "pit", fail)
    with pytest.raises(type(error)):
        main(["pit", "schwinget", "random", "random", "--csv", str(tmp_path / "games.csv")])


def test_what_is_not_a_record_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.txt").write_text("hello\n")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    for file in ("bad.txt", "bytes.txt", "-"):
        monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
        assert main(["replay", file]) == 1
        name = "the standard input" if file == "-" else file
        assert capsys.readouterr().err.startswith(f"stier: {name} is not a record of stier play: ")


def test_what_is_not_an_experiment_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "bad.toml").write_text("hello\n")
    assert main(["run", "bad.toml"]) == 2
    assert capsys.readouterr().err.startswith("stier: bad.toml: this is not a TOML file: Expected '=' ")


def test_errors_of_files_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")  # stier report
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    for command in [
        ["replay", str(tmp_path / "none.txt")],
        ["replay", str(tmp_path / "bytes.txt")],
        ["replay", str(tmp_path)],
        ["report", str(tmp_path / "none")],
        ["pit", "schwinget", "random", str(tmp_path / "none.safetensors")],
        ["pit", "schwinget", "random", str(tmp_path / "none")],
        ["exploitability", TINY, str(tmp_path / "bytes.txt")],
        ["pit", "schwinget", "random", "random", "--deals", "1", "--csv", str(tmp_path / "none" / "games.csv")],
        ["play", "schwinget", "--record", str(tmp_path / "none" / "game.txt")],
    ]:
        assert main(command) == 1, command
        err = capsys.readouterr().err
        assert err.startswith("stier: ")
        assert err.count("\n") == 1
        assert str(tmp_path) in err


@pytest.mark.parametrize(
    ("work", "command"),
    [
        ("pit", ["pit", "schwinget", "random", "random", "--csv"]),
        ("solve", ["solve", "kuhn_poker", "--save"]),
        ("solve", ["solve", "kuhn_poker", "--checkpoint"]),
        ("replay", ["replay", "game.txt", "--html"]),
        ("load_agent", ["play", "schwinget", "--record"]),
    ],
)
@pytest.mark.parametrize(("file", "wrong"), [("none/file", "there is no folder "), (".", "this is a folder; ")])
def test_a_file_that_cannot_be_written_is_an_error_before_the_work(
    work: str,
    command: list[str],
    file: str,
    wrong: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(stier, work, None)
    assert main([*command, str(tmp_path / file)]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"stier: {tmp_path / file}: {wrong}")
    assert err.count("\n") == 1


def test_the_result_of_a_match_is_printed_although_its_file_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise stier.errors.FileError("the disk is full")

    monkeypatch.setattr("stier._files.write", full)
    command = ["pit", "schwinget", "random", "greedy", "--deals", "2", "--csv", str(tmp_path / "games.csv")]
    assert main(command) == 1
    out, err = capsys.readouterr()
    assert err == "stier: the disk is full\n"
    assert "greedy" in out


@pytest.mark.parametrize("place", [0, 1, 4])
def test_debug_shows_the_traceback(place: int, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["pit", "schwinget", "random", "nobody"]
    assert main([*command[:place], "--debug", *command[place:]]) == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback")
    assert "stier.errors.AgentError" in err
    assert err.splitlines()[-1].startswith("stier: unknown agent 'nobody'")
    assert main(command) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
def test_ctrl_c_ends_a_command() -> None:
    command = [sys.executable, "-m", "stier", "pit", "schwinget", "random", "random", "--deals", "5000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            time.sleep(1.5)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (130, "", "stier: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are closed as on Unix")
def test_a_reader_that_goes_away_is_no_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "stier", "agents"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 0


def test_nothing_is_imported_before_it_is_needed() -> None:
    """The package must load fast without the command line's libraries, and the command line without colours."""
    for module, absent in [("stier", "click rich"), ("stier.cli", "rich matplotlib pandas scipy")]:
        code = f"import {module}, sys; print(*set('{absent}'.split()) & set(sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "\n", module


def test_the_module_is_the_command() -> None:
    done = run("pit", "schwinget", "random", "random", "--deals", "2")
    assert done.returncode == 0
    assert done.stdout.startswith("schwinget (default rules), 2 paired deals, 4 games\n")
    assert done.stderr == ""
    done = run("pit", "schwinget", "random", "nobody")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("stier: unknown agent 'nobody'")
    assert "Traceback" not in done.stderr
    assert run().returncode == 2
    assert run("--version").stdout == f"stier {stier.__version__}\n"


def test_solutions_in_files_play_under_the_names_of_the_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["solve", "kuhn_poker", "--iterations", "50", "--save", "k.policy"]) == 0
    capsys.readouterr()
    for command in ("pit", "exploitability"):
        assert main([command, "kuhn_poker", "k.policy", "random"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert sum("k.policy" in line.split() for line in lines) == 1
    assert main(["pit", "kuhn_poker", "none.policy", "random"]) != 0
    assert "none.policy" in capsys.readouterr().err
