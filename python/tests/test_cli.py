"""The command line."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import hides_attempts

import stier
from stier import terminal
from stier.cli import _knowledge, main


def test_games_are_listed_with_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    out = capsys.readouterr().out
    for name in stier.registered_names():
        assert name in out
        for option in stier.describe_game(name):
            assert f"{option.name} = {option.default}   ({option.allowed})" in out


def test_agents_are_listed_with_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents"]) == 0
    out = capsys.readouterr().out
    for agent in stier.describe_agents():
        assert f"\n{agent.name}\n" in f"\n{out}"
    assert "iterations = 1000   (1 to " in out
    assert "seed = 0" in out


TINY = "schwinget:suits=2,values=2,counter=off,hand_size=1,set_aside=1"


def test_solve_prints_and_saves_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, kept = tmp_path / "tiny.policy", tmp_path / "tiny.checkpoint"
    command = ["solve", TINY, "--target", "0.01", "--save", str(path), "--checkpoint", str(kept), "--threads", "1"]
    assert main(command) == 0
    found = stier.load_solution(path)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{TINY}: 1093 histories, 544 information sets"
    assert lines[1] == f"cfr+, iterations {found.iterations}"
    assert lines[2] == f"values         {found.values[0]:+.6f} {found.values[1]:+.6f}"
    assert lines[3:] == [f"exploitability {found.exploitability:.3e}", f"NashConv       {found.nash_conv:.3e}"]
    assert 0 < found.nash_conv <= 0.01
    assert kept.exists()
    assert main(["exploitability", TINY, str(path), "ismcts:iterations=20", "--seed", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[-1] for line in lines] == ["agent", "cfr+", "ismcts:iterations=20"]
    assert float(lines[1].split()[0]) == pytest.approx(found.exploitability, abs=1e-6)
    searched = stier.exploitability(stier.load_game(TINY), "ismcts:iterations=20", seed=2)
    assert float(lines[2].split()[0]) == pytest.approx(searched, abs=1e-6)


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
    expected = [stier.properties(game, deals=6, games=4, seed=3, play="hints") for game in games]
    assert capsys.readouterr().out == "".join(map(str, expected))


def test_properties_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["properties", *stier.registered_names(), "--deals", "3", "--games", "2", "--markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(stier.registered_names())
    assert {line.count("|") for line in lines} == {8}
    found = stier.properties(stier.load_game("schwinget"), deals=3, games=2)
    (row,) = [line for line in lines if line.startswith("| `schwinget` | 2 |")]
    assert f"| {found.bias[0]:.3f} ± {found.bias[1]:.3f} |" in row


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (["properties", "jass"], "unknown game 'jass'; games: "),
        (
            ["solve", "schwinget"],
            "estimated from random games, and 50000000 are allowed; it would need at least",
        ),
        (["solve", TINY, "--max-histories", "1000"], "the game has more than 1000 histories; use smaller rules"),
        (["exploitability", "schwimmen", "random"], "use smaller rules: the limit is 1073741823"),
        (["solve", TINY, "--algorithm", "minimax"], "algorithm must be cfr | cfr+ |"),
        (["exploitability", TINY, "oracle"], "oracle sees everything"),
        (["properties", "schwinget", "--deals", "0"], "deals must be 1 to "),
        (["properties", "schwinget", "--games", "1"], "games must be 2 to "),
        (["properties", "schwinget", "--rule", "bouts"], "NAME=VALUE"),
        (["pit", "jass", "random", "random"], "unknown game 'jass'; games: "),
        (["pit", "schwinget", "random"], "needs at least 2 agents"),
        (["pit", "schwinget", "random", "alphazero"], "the agents are"),
        (["pit", "schwinget", "random", "random", "--deals", "0"], "deals must be 1 to "),
        (["pit", "schwinget", "random", "random", "--threads", "-1"], "threads must be 0 to "),
        (["pit", "schwinget", "random", "random", "--rule", "bouts"], "NAME=VALUE"),
        (["pit", "schwinget", "random", "random", "--rule", "bouts=2", "--rule", "bouts=3"], "once"),
        (["pit", "schwinget:bouts=2", "random", "random", "--rule", "bouts=3"], "given twice"),
        (["pit", "schwinget", "random", "random", "--rule", "bouts=99"], "1 to 12"),
        (["exploit", "schwinget", "nobody"], "the agents are"),
        (["exploit", "schwinget", "random", "--responder", "lbr:ply=2"], "lbr has no option 'ply'"),
        (["exploit", "schwinget", "random", "--deals", "0"], "deals must be 1 to "),
        (["exploit", "schwinget", "random", "--rule", "utility=score"], "utility=margin or utility=win"),
        (["play", "schwinget", "--seat", "2"], "players 0 to 1"),
        (["play", "schwinget", "--against", "nobody"], "the agents are"),
        (["play", "schwinget", "--seed", "-1"], "seed must be 0 to "),
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


def test_errors_of_files_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    for command in [
        ["replay", str(tmp_path / "none.txt")],
        ["replay", str(tmp_path / "bytes.txt")],
        ["replay", str(tmp_path)],
        ["report", str(tmp_path / "none")],
        ["exploitability", TINY, str(tmp_path / "bytes.txt")],
        ["pit", "schwinget", "random", "random", "--deals", "1", "--csv", str(tmp_path / "none" / "games.csv")],
        ["play", "schwinget", "--record", str(tmp_path / "none" / "game.txt")],
    ]:
        assert main(command) == 1, command
        err = capsys.readouterr().err
        assert err.startswith("stier: ")
        assert err.count("\n") == 1
        assert str(tmp_path) in err


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


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stier", *arguments], input=stdin, capture_output=True, text=True, check=False
    )


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


PLAY = ["play", "schwinget", "--seed", "3", "--against", "random"]


def lines_of_moves(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.startswith("1) ")]


def test_play_to_the_end_by_numbers() -> None:
    done = run(*PLAY, stdin="1\n" * 30)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "The game is over." in done.stdout
    assert "With all cards open:" in done.stdout
    assert "By seat: " in done.stdout


def test_play_by_names_whatever_the_case() -> None:
    by_name = run(*PLAY, stdin="ATTACK\ng2\nq\n")
    by_number = run(*PLAY, stdin="6\n1\nq\n")
    assert lines_of_moves(by_name.stdout)[0].endswith("6) attack")
    by_name, by_number = (re.sub("^> .*\n", "", done.stdout, flags=re.MULTILINE) for done in (by_name, by_number))
    assert by_name == by_number


def test_play_helps_and_asks_again() -> None:
    done = run(*PLAY, stdin="?\nG7\n99\n0\n\ns\nq\n")
    assert done.returncode == 0
    assert "q        end the game" in done.stdout
    for wrong in ["g7", "99", "0"]:
        assert f"'{wrong}' is not one of your moves: 1) " in done.stdout
    assert "You leave the game." in done.stdout


def test_play_ends_politely_with_the_input() -> None:
    done = run(*PLAY)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "You leave the game." in done.stdout


def test_play_ends_politely_on_ctrl_c(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    assert main(PLAY) == 0
    assert "You leave the game." in capsys.readouterr().out


def test_play_on_the_other_seat_tells_what_happened() -> None:
    done = run(*PLAY, "--seat", "1", stdin="q\n")
    game = stier.load_game("schwinget")
    state = game.new_initial_state(seed=3)
    agent = stier.load_agent("random", game)
    agent.restart(3)
    while state.current_player() == 0:
        action = agent.step(state)
        assert f"  seat 0: {state.action_to_string(action)}\n" in done.stdout
        state.apply_action(action)
    assert terminal.state(state, 1, colour=False) in done.stdout
    before_the_end = done.stdout.partition("You leave")[0]
    assert terminal.state(state, colour=False) not in before_the_end
    assert terminal.state(state, colour=False) in done.stdout


def test_what_is_told_is_the_same_in_all_worlds(game: stier.Game) -> None:
    """What the person is told after each move of a random game leaks nothing: another world says the same."""
    state = game.new_initial_state(seed=51)
    while not state.is_terminal():
        for player in range(game.num_players()):
            known, acted = _knowledge.known_events(state, player)
            assert known <= acted
            assert {index for index, (who, _) in enumerate(state.history()) if who == player} <= known
            history, other = state.history(), state.resample_from_infostate(player, 1000).history()
            own, theirs = (_knowledge.by_own_actions(events, player) for events in (history, other))
            assert own == theirs or hides_attempts(game)
            assert all(history[index] == other[theirs.index(own[index])] for index in known)
        state.apply_action(state.legal_actions()[-1])


def test_hidden_cards_are_those_never_shown(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=3)
    hidden = _knowledge.hidden_events(state, 0)
    assert hidden == sorted((stier.CHANCE, card) for _, card in state.history()[1:10:2])
