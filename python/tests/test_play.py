"""``stier play``, and the words of goals, endings and tables."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from helpers import OWN_GAMES, run

import stier
from stier import terminal
from stier._output import in_words
from stier.cli import _endings as endings, _goals as goals, _worlds, main

HERE = Path(__file__).parent

pytestmark = pytest.mark.usefixtures("own_folder")


PLAY = ["play", "schwinget", "--seed", "3", "--against", "random"]


def lines_of_moves(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.startswith("1) ")]


def test_play_to_the_end_by_numbers() -> None:
    done = run(*PLAY, stdin="1\n" * 30)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "The game is over." in done.stdout
    # The result is told once: the record is in a file.
    assert len(re.findall(r"seat 1 [+-]\d", done.stdout)) == 1
    assert "stier-record 1" not in done.stdout


def test_play_by_names_whatever_the_case() -> None:
    by_name = run(*PLAY, stdin="ATTACK\ng2\nq\n")
    by_number = run(*PLAY, stdin="6\n1\nq\n")
    assert lines_of_moves(by_name.stdout)[0].endswith("6) attack")
    by_name, by_number = (re.sub("(?m)^(> |Saved).*\n", "", done.stdout) for done in (by_name, by_number))
    assert by_name == by_number


def test_play_helps_and_asks_again() -> None:
    done = run(*PLAY, stdin="?\nG7\n99\n0\n\ns\nq\n")
    assert done.returncode == 0
    assert "q, quit     end the game" in done.stdout
    for wrong in ["G7", "99", "0"]:
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


def test_play_keeps_the_record_of_a_game_that_ctrl_c_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Slow:
        name = "slow"

        def restart(self, _: int) -> None:
            pass

        def step(self, _: stier.State) -> int:
            raise KeyboardInterrupt

    monkeypatch.setattr("stier.cli.play.as_opponent", lambda *_: Slow())
    monkeypatch.setattr("builtins.input", lambda _: "1")
    file = tmp_path / "game.txt"
    assert main([*PLAY, "--record", str(file)]) == 130
    assert len(stier.read_record(file.read_text("utf-8")).history()) > 0


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
    before_the_end, _, end = done.stdout.partition("You leave")
    open_table = terminal.state(state, colour=False).rpartition("\n")[0]
    assert open_table not in before_the_end
    assert open_table in end


def test_hidden_cards_are_those_never_shown(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=3)
    hidden = _worlds.hidden_events(state, 0)
    assert hidden == sorted((stier.CHANCE, card) for _, card in state.history()[1:10:2])


def test_play_suggests_what_was_meant() -> None:
    done = run("play", "schwinget", "--seed", "3", "--against", "random", stdin="Atack\nbeleifs\nq\n")
    assert "> Atack\n'Atack' is not one of your moves (did you mean 'attack'?): 1) " in done.stdout
    assert "'beleifs' is not one of your moves (did you mean 'beliefs'?): 1) " in done.stdout


def test_play_takes_bids_by_their_names() -> None:
    """After the bid 1, the first of the moves is 2: the answer 1 must not be taken for it."""
    done = run("play", "goofspiel", "--seed", "3", "--against", "random", stdin="1\n1\n2\nq\n")
    assert "\n1   2   3   4\n> 1\n" in done.stdout
    assert "\n2   3   4\n> 1\n'1' is not one of your moves: 2   3   4\n> 2\n  you: 2\n" in done.stdout


def test_play_takes_cards_for_moves_before_other_answers() -> None:
    done = run("play", "schweins_galopp", "--seed", "3", "--seat", "1", "--against", "random", stdin="b\nbeliefs\nq\n")
    assert ", beliefs, " in done.stdout.partition("Besides your moves")[2].splitlines()[0]
    assert "you: b\n" in done.stdout
    assert "What seat 1 believes" in done.stdout


def test_play_advises_and_takes_back() -> None:
    done = run(*PLAY, "--adviser", "ismcts:iterations=50", stdin="u\nG6\nh\nb\nu\nq\n")
    assert "There is nothing to take back." in done.stdout
    hint = done.stdout.partition("5 searches by ismcts:iterations=50:\n")[2].partition("\n1) ")[0].splitlines()
    in_words, first, *others = hint
    assert re.fullmatch(r"▶ \S+ +[+-]\d\.\d\d  chosen by [1-5] of 5 searches", first)
    compared = r"  (\S+) +(?:less than )?\d\.\d\d (?:worse|better) ± \d\.\d\d(: no difference shown)?"
    rows = [re.fullmatch(compared, line) for line in others]
    assert len(rows) > 1
    told = [(row[1], row[2] is not None) for row in rows if row is not None]
    assert len(told) == len(rows)
    # The sentence names the same moves as the table.
    alike = [first.split()[1], *(name for name, is_alike in told if is_alike)]
    assert in_words.startswith(f"{', '.join(alike)}: no difference shown" if alike[1:] else f"{alike[0]} is the choice")
    assert set(re.findall(r"\w+", in_words)) >= {name for name, _ in told}
    believed = done.stdout.partition("What seat 0 believes")[2].partition("\n1) ")[0]
    assert "\nseat 1\n" in believed
    assert "seat 0" not in believed
    game = stier.load_game("schwinget")
    assert done.stdout.count(terminal.state(game.new_initial_state(seed=3), 0, colour=False)) == 2
    assert "Saved" not in done.stdout  # nothing that was chosen stands


def test_play_shows_beliefs_in_games_without_pictures_of_cards() -> None:
    done = run("play", "liars_dice", "--seed", "3", "--seat", "1", "--against", "random", stdin="b\nq\n")
    believed = done.stdout.partition("worlds drawn at random\n")[2].splitlines()
    assert believed[0] == "seat 0"
    # The bid 2x5 is not evidence: worlds are drawn by chance alone.
    shown = {line.partition("%  ")[2] for line in believed[1:-1] if "%" in line}
    assert shown <= {f"own dice: {face}" for face in range(1, 7)}
    assert len(shown) >= 5


@pytest.mark.parametrize("name", stier.registered_names())
def test_every_game_can_be_played_to_its_end_and_looked_at_again(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(9)
    path = tmp_path / "stier-records" / f"{name}-001.txt"

    def answer(_: str) -> str:
        moves = capsys.readouterr().out
        asked.append(moves)
        if len(asked) <= len(words):
            return words[len(asked) - 1]
        line = moves.splitlines()[-1].split("   ")
        return rng.choice(line).split(") ")[-1]

    asked: list[str] = []
    words = ["help", "hint", "beliefs", "rules"]
    monkeypatch.setattr("builtins.input", answer)
    command = ["play", name, "--seed", "4", "--against", "random", "--seat", "1", "--adviser", "ismcts:iterations=50"]
    assert main(command) == 0
    out = capsys.readouterr().out
    help_, hint, beliefs, rules = (said.partition("\n")[2] for said in asked[1 : len(words) + 1])
    assert re.search("^  (h, )?hint  ", help_, re.MULTILINE)
    assert re.match(r"5 searches by ismcts:iterations=50:\n.*\.\n▶ .* chosen by [1-5] of 5 searches\n", hint)
    assert beliefs.startswith(("What seat 1 believes", "What the others may have"))
    assert len(rules.splitlines()) > 3
    assert "is not one of your moves" not in "".join(asked)
    end = stier.read_record(path.read_text("utf-8"))
    assert end.is_terminal()
    title = "Goal" if name in OWN_GAMES else "Game"
    goal = re.search(rf"^{title}: (.+(?:\n  .+)*)\n", "".join([*asked, out]), re.MULTILINE)
    assert goal is not None
    assert len(goal[0].splitlines()) <= 3
    ending = " ".join(out.partition("The game is over.\n")[2].partition("\n\n")[0].split())
    returns = end.returns().tolist()
    assert ending.count(f"you {round(returns[1], 3):+g}") == 1
    assert "  " not in endings.why(end, 1)
    assert endings.why(end, 1) in ending
    for player, hand in enumerate(dealt(end)):
        shown = hand and player != 1 and "With all cards open" not in ending
        assert bool(re.search(f"Seat {player} was dealt.*: {' '.join(hand)}\\.", ending)) == bool(shown)
    choices = 0
    replayed = stier.load_game(name).new_initial_state()
    for player, action in end.history():
        choices += player == 1 and len(replayed.legal_actions()) > 1
        replayed.apply_action(action)
    assert len(asked) == choices + len(words)
    assert main(["replay", str(path), "--seat", "1", "--agent", "ismcts:iterations=20", "--searches", "1"]) == 0


def dealt(end: stier.State) -> list[list[str]]:
    """The hands after the last deal: the last that came after a time without cards in any hand."""
    states = [end.get_game().new_initial_state()]
    for _, action in end.history():
        states.append(states[-1].child(action))
    hands = [[state.hand(player) for player in range(state.num_players())] for state in states]
    empty = [index for index, state in enumerate(states) if state.is_chance_node() and not any(hands[index])]
    chosen = [hand for hand, state in zip(hands, states, strict=True) if not state.is_chance_node()]
    return chosen[sum(not state.is_chance_node() for state in states[: empty[-1]])] if empty else []


#: Games, and words of the reasons for their ends that random play finds.
REASONS = {
    "dark_hex": ["connected row 1 to row 3", "connected column a to column c"],
    "goofspiel": ["You won the most points: you ", "Seat 1 won the most points: you "],
    "kuhn_poker": ["had the best card: your ", "nobody paid to see the card"],
    "leduc_poker": ["You folded", "Seat 1 folded", "had the best card: your ", "are worth the same"],
    "liars_dice": ["You doubted ", "Seat 1 doubted ", "which was true", "which was false", "1 die shows"],
    "schweins_galopp": ["banked the most food: you "],
    "schwimmen": ["your hand was worth least", "'s hand was worth least", "shared the lowest hand", "knocked, and"],
    "schwimmen:play=match": ["lasted longest, to deal "],
    "schwimmen:utility=win": ["had the hand worth most: "],
    "schwinget": ["obody attacked, and", "attacked before trick", "both players collected", "flat throw: "],
    "schwinget:bouts=2": ["scored the most points in all bouts: you "],
    "up_and_down": ["collected the most tricks: you ", "Nobody got the 1 in the pot"],
}


def test_reasons_are_given_in_all_games_of_the_package() -> None:
    assert {spec.partition(":")[0] for spec in REASONS} == set(OWN_GAMES)


@pytest.mark.parametrize("spec", REASONS)
def test_reasons_name_the_winner(spec: str) -> None:
    game, rng, found = stier.load_game(spec), random.Random(7), []
    for seed in range(60):
        state = game.new_initial_state(seed=seed)
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        why, returns = endings.why(state, 0), state.returns().tolist()
        found.append(why)
        if spec == "schwinget":
            # A flat throw is worth 5 or 7 points, and nothing else is.
            assert ("flat throw" in why) == (max(abs(value) for value in returns) >= 4), why
        if re.search("most|best card|connected|lasted|collected [0-9]|every trick", why) and max(returns) > min(
            returns
        ):
            best = [player for player, value in enumerate(returns) if value == max(returns)]
            named = re.split("attacked, and |attacked before trick [0-9]+, and |knocked, and ", why)[-1]
            assert named.lower().startswith(in_words("you" if one == 0 else f"seat {one}" for one in best)), why
    assert [words for words in REASONS[spec] if not any(words in why for why in found)] == []


def test_play_keeps_every_record_in_a_file_of_its_own(tmp_path: Path) -> None:
    for number in (1, 2):
        done = run(*PLAY, stdin="attack\nq\n")
        assert done.stdout.endswith(f"stier replay stier-records/schwinget-00{number}.txt --seat 0\n")
    assert len(list((tmp_path / "stier-records").iterdir())) == 2
    run(*PLAY, stdin="q\n")
    assert len(list((tmp_path / "stier-records").iterdir())) == 2, "nothing was chosen"


def test_play_prints_a_record_that_cannot_be_saved(tmp_path: Path) -> None:
    (tmp_path / "stier-records").write_text("a file")
    done = run(*PLAY, stdin="attack\nq\n")
    assert done.returncode == 1
    assert done.stderr.startswith("stier: stier-records: ")
    assert "\nstier-record 1\ngame: schwinget\n" in done.stdout


#: The goal of a game by its rules: what is at stake, for seat 1.
STAKES = {
    "dark_hex": "Connect column a to column c with stones: +1; if the opponent connects row 1 to row 3 first, -1.",
    "goofspiel": "You get 1 for winning, 0 for a draw, -1 for losing.",
    "goofspiel:utility=score": "You get your points.",
    "kuhn_poker": "Everybody has paid 1 chip; to bet costs 1 more.",
    "leduc_poker": "Both players have paid 1 chip; a raise costs 2 more, or 4 after the public card.",
    "liars_dice:dice=2,sides=4": "+1, otherwise -1. Each player has 2 dice, and 4 counts as every face.",
    "schweins_galopp:players=2,rounds=1": "Bank food in one round: ",
    "schweins_galopp:players=3,utility=win": "You get 1 for first place, -0.5 otherwise.",
    "schwimmen:players=4": "the loser gets -1, and the others share 1.",
    "schwimmen:play=match,players=4": "The last player left wins 6.",
    "schwimmen:utility=win": "Hold the highest hand. You get 1 for first place, -0.5 otherwise.",
    "schwinget": "Win more tricks: 2 points, 3 after an attack. A flat throw, every trick after the attack, is 7 for ",
    "schwinget:scoring=schwinger,bouts=4": "in 4 bouts. Win more tricks: 9.75 points. A flat throw, every trick after ",
    "up_and_down": "You get your tricks less the others' average.",
    "up_and_down:players=2,rounds=3": "in 3 rounds: ",
}


def test_every_game_of_the_package_has_a_goal() -> None:
    assert {spec.partition(":")[0] for spec in STAKES} == set(OWN_GAMES)


@pytest.mark.parametrize("spec", STAKES)
def test_play_begins_with_the_stakes(spec: str) -> None:
    told = run("play", spec, "--seed", "3", "--seat", "1", "--against", "random", stdin="q\n").stdout
    start = told.partition("Besides")[0].splitlines()
    assert STAKES[spec] in " ".join(line.strip() for line in start)
    assert len(start) <= 8
    assert max(map(len, start[1:])) <= 80


@pytest.mark.parametrize("utility", ["margin", "win"])
@pytest.mark.parametrize("name", ["goofspiel", "schweins_galopp", "schwimmen", "up_and_down"])
def test_returns_are_those_of_the_goal(name: str, utility: str) -> None:
    """At random, of three players where there can be three."""
    three = {} if name == "goofspiel" else {"players": 3}
    game = stier.load_game(name, **three, utility="stakes" if (name, utility) == ("schwimmen", "margin") else utility)
    rng, found = random.Random(3), set()
    told = goals.goal(game.new_initial_state(), 0)
    for seed in range(20):
        state = game.new_initial_state(seed=seed)
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        found |= {round(value, 2) for value in state.returns().tolist()}
    if (name, utility) == ("schwimmen", "margin"):
        assert found == {-1, 0.5}
        assert "the loser gets -1, and the others share 1." in told
    elif utility == "win":
        lowest = -0.5 if three else -1
        assert min(found) == lowest
        assert max(found) == 1
        assert f", {lowest} " in told


def test_points_of_a_bout_have_reasons() -> None:
    rules = [{}, {"consolation_tricks": 1, "hand_size": 3, "set_aside": 2}, {"scoring": "schwinger"}]
    rng, seen = random.Random(1), set()
    for number, options_ in enumerate(rules):
        game = stier.load_game("schwinget", **options_)
        goal = goals.goal(game.new_initial_state(), 0)
        assert goal.endswith("You get your points less the opponent's.")
        loss = {0: "a loss with 3 tricks or more, is 1.", 1: "a loss with one trick or more, is 1."}.get(number)
        assert loss is None or loss in goal
        for seed in range(300):
            state = game.new_initial_state(seed=seed)
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
            facts, why = state.facts(0), endings.why(state, 0)
            (low, loser), (high, _) = sorted(zip(facts["scores"], range(2), strict=True))
            kind = (
                "drawn" if low == high else "flat" if "flat throw" in why else "attack" if "attacked b" in why else ""
            )
            wanted = {"drawn": 1, "flat": 7 if "the attacker's" in why else 5, "attack": 3, "": 2}[kind]
            if "scoring" in options_:
                wanted = {"drawn": 9, "flat": 10, "attack": 9.75, "": 9.75}[kind]
            assert high == wanted, why
            assert f": {'one' if high == 1 else f'{high:g}'} point" in why
            if kind != "drawn" and "scoring" not in options_:
                assert facts["tricks"][loser] >= game.rules()["consolation_tricks"] or low == 0
                assert (" with at least " in why) == (low == 1)
                assert (" with fewer than " in why) == (low == 0)
            seen.add((number, kind))
    assert len(seen) > 9


def test_play_explains_the_words_on_the_table() -> None:
    done = run(*PLAY, stdin="?\nq\n")
    start = " ".join(done.stdout.partition("Beside")[0].split())
    assert "Cards: G R B Y 1-6; KR makes a trick neutral; BK beats only the highest value." in start
    assert start.endswith("Words: attack = lock the draw pile and play out the cards in hand.")
    assert "\ntrick: two cards, one from each player; one player collects both\n" in done.stdout


def test_the_transcript_of_a_game() -> None:
    """A whole game at a terminal without colours; its answers are the lines that begin with ``>``."""
    game = "schwinget:values=3,referee=off,hand_size=3,set_aside=1"
    transcript = (HERE / "play.txt").read_text("utf-8")
    answers = "".join(f"{answer}\n" for answer in re.findall("^> (.*)$", transcript, re.MULTILINE))
    command = ["play", game, "--seed", "1", "--against", "greedy", "--adviser", "ismcts:iterations=200"]
    done = run(*command, stdin=answers)
    assert done.stderr == ""
    assert re.sub(r"\b[\d.]+ [mµ]?s$", "0.0 ms", done.stdout, flags=re.MULTILINE) == transcript
