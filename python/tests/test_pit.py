"""Agents against each other."""

from __future__ import annotations

import math
import pickle
import random
import re
import subprocess
import sys
import threading
from itertools import permutations

import numpy as np
import pytest
from helpers import fast_agent

import stier


def first(state: stier.State) -> int:
    return state.legal_actions()[0]


def entrants(game: stier.Game) -> list[str]:
    """As many agents as fill a table."""
    return ["random", fast_agent(game), "random:seed=1", "random:seed=3", "random:seed=2"][: game.num_players()]


#: Games of a deal with different agents, by their number: all cyclic orders in all rotations; one order of five.
GAMES_PER_DEAL = {2: 2, 3: 6, 4: 24, 5: 5}


def test_result_adds_the_games_up(game: stier.Game) -> None:
    agents = entrants(game)
    seats, per_deal = len(agents), GAMES_PER_DEAL[len(agents)]
    result = stier.pit(game, agents, deals=20, seed=3)
    assert (result.game, result.agents) == (game, agents)
    assert (result.deals, result.seed, result.paired) == (20, 3, True)
    games = result.games
    assert len(games) == 20 * per_deal
    for array in [result.mean, result.ci95, result.wins, result.wins_low, result.wins_high]:
        assert array.dtype == np.float64
        assert array.shape == (seats,)
    by_agent: list[list[float]] = [[] for _ in agents]
    for played in games:
        assert sorted(played.agents) == list(range(seats))
        for agent, value in zip(played.agents, played.returns, strict=True):
            by_agent[agent].append(value)
    assert result.mean == pytest.approx(np.mean(by_agent, axis=1))
    by_deal = np.reshape(by_agent, (seats, 20, per_deal)).mean(axis=2)
    # Student's t with 19 degrees of freedom, wider by what was not seen.
    assert (result.ci95 >= 2.0930 * by_deal.std(axis=1, ddof=1) / math.sqrt(20) - 1e-4).all()
    assert (result.ci95 <= max(game.max_utility() - result.mean.min(), result.mean.max() - game.min_utility())).all()
    assert result.wins.sum() == pytest.approx(1)
    assert result.totals() == sorted(
        [(agent, pytest.approx(sum(values))) for agent, values in enumerate(by_agent)], key=lambda row: -row[1].expected
    )


def test_every_deal_is_played_in_every_arrangement(game: stier.Game) -> None:
    seats, per_deal = game.num_players(), GAMES_PER_DEAL[game.num_players()]
    result = stier.pit(game, entrants(game), deals=3)
    assert [played.deal for played in result.games] == [deal for deal in range(3) for _ in range(per_deal)]
    for deal in range(3):
        games = [played for played in result.games if played.deal == deal]
        arrangements = sorted(played.agents for played in games)
        if seats < 5:
            assert arrangements == list(permutations(range(seats)))
        else:
            around = games[0].agents
            assert arrangements == sorted(around[seat:] + around[:seat] for seat in range(seats))
        drawn = [[action for player, action in played.state().history() if player < 0] for played in games]
        # Some games end before all cards are turned up.
        assert all(card == first for cards in drawn for card, first in zip(cards[: 2 * seats], drawn[0], strict=False))
    unpaired = stier.pit(game, entrants(game), deals=3, paired=False)
    assert [played.deal for played in unpaired.games] == list(range(3 * per_deal))


def test_one_against_copies_takes_a_game_for_each_seat(game: stier.Game) -> None:
    seats = game.num_players()
    result = stier.pit(game, [fast_agent(game), *["random"] * (seats - 1)], deals=3)
    assert [played.agents.index(0) for played in result.games].count(0) == 3
    assert len(result.games) == 3 * seats


def test_five_players_sit_in_an_order_drawn_for_each_deal() -> None:
    game = stier.load_game("schwimmen", players=5)
    sat = [played.agents for played in stier.pit(game, entrants(game), deals=20).games[::5]]
    around = {agents[agents.index(0) :] + agents[: agents.index(0)] for agents in sat}
    assert len(around) > 10


class Bot:
    """A bot as OpenSpiel has them, which notes how often it is restarted."""

    def __init__(self) -> None:
        self.restarts = self.decisions = 0

    def restart(self) -> None:
        self.restarts += 1
        self.decisions = 0

    def step(self, state: stier.State) -> int:
        # Of its own decisions in this game, all are in the state.
        assert sum(player == state.current_player() for player, _ in state.full_history()) == self.decisions
        self.decisions += 1
        return state.legal_actions()[0]


def test_objects_are_restarted_before_each_game() -> None:
    bot = Bot()
    stier.pit("kuhn_poker", [bot, "random"], deals=5)
    assert bot.restarts == 10
    stier.PythonAgent(bot).restart()
    assert bot.restarts == 11
    assert pickle.loads(pickle.dumps(stier.PythonAgent(bot, name="bot"))).name == "bot"


def test_agents_of_the_package_draw_on_from_game_to_game() -> None:
    agent = stier.PythonAgent(stier.load_agent("random", stier.load_game("kuhn_poker"), seed=1), name="wrapped")
    games = stier.pit("kuhn_poker", [agent, "random"], deals=40).games
    # The first action after the two cards: with the same random numbers in each game it would always be the same.
    assert len({stier.read_record(played.record()).history()[2] for played in games if played.agents[0] == 0}) == 2


class Last:
    """A callable without a name of its own."""

    def __call__(self, state: stier.State) -> int:
        return state.legal_actions()[-1]


@pytest.mark.parametrize("paired", [True, False])
def test_naming_the_agents_in_another_order_gives_the_same_numbers(game: stier.Game, paired: bool) -> None:
    agents = [first, fast_agent(game), stier.PythonAgent(Last(), name="z", seed=3), "random", "random:seed=1"]
    agents = agents[: game.num_players()]
    numbers = []
    for order in [range(len(agents)), reversed(range(len(agents))), np.roll(range(len(agents)), 1)]:
        result = stier.pit(game, [agents[index] for index in order], deals=4, paired=paired)
        figures = [result.mean, result.ci95, result.wins, result.wins_low, result.wins_high]
        found = sorted(zip(result.agents, *figures, strict=True))
        numbers.append((found, [played.record() for played in result.games]))
    assert numbers[0] == numbers[1] == numbers[2]


def test_callables_have_the_random_numbers_of_their_seed(schwinget: stier.Game) -> None:
    def shown(seed: int) -> list[str]:
        states = []

        def note(state: stier.State) -> int:
            states.append(str(state))
            return first(state)

        stier.pit(schwinget, [stier.PythonAgent(note, name="note", seed=seed), "random"], deals=2)
        return states

    assert shown(1) == shown(1) != shown(2)


def test_games_are_states_and_records(game: stier.Game) -> None:
    for played in stier.pit(game, entrants(game), deals=2).games:
        state = played.state()
        assert state.is_terminal()
        assert state.get_game() == game
        assert tuple(state.returns()) == played.returns
        assert stier.read_record(played.record()) == state
        assert f"deal {played.deal}" in repr(played)


def test_results_depend_on_the_seed_and_on_nothing_else(game: stier.Game) -> None:
    def play(**settings) -> list[str]:
        agents = ["ismcts:iterations=20", *entrants(game)[1:]]
        return [played.record() for played in stier.pit(game, agents, deals=6, **settings).games]

    assert play(threads=1) == play(threads=2) == play() == play(threads=3, progress=False)
    assert play(seed=1) != play(seed=2)


def test_agents_enter_as_their_text(schwinget: stier.Game) -> None:
    agent = stier.load_agent("ismcts", schwinget, iterations=20, seed=5)
    state = schwinget.new_initial_state(seed=1)
    agent.step(state)
    as_object, as_text = (stier.pit(schwinget, [who, "random"], deals=5) for who in (agent, str(agent)))
    assert as_object.agents == as_text.agents == ["ismcts:iterations=20,seed=5", "random"]
    assert [p.record() for p in as_object.games] == [p.record() for p in as_text.games]


def test_one_deal_has_no_interval(schwinget: stier.Game) -> None:
    result = stier.pit(schwinget, ["random", "greedy", "random:seed=1"], deals=1)
    for array in (result.ci95, result.wins_low, result.wins_high, result.cross_table()[1]):
        assert np.isnan(array).all()
    for text in (str(result), result._repr_html_(), repr(result)):
        assert not re.search(r"inf|nan|±|\(.* to ", text.lower())
    assert "±" in str(stier.pit(schwinget, ["random", "greedy"], deals=2))


def test_winning_every_game_is_not_certain_to_go_on() -> None:
    game = stier.load_game("schwinget", utility="win")
    result = stier.pit(game, ["greedy", "random"], deals=20)
    assert (result.wins_low <= result.wins).all()
    assert (result.wins <= result.wins_high).all()
    assert (result.wins_low < result.wins_high).all()
    assert result.wins_low[0] == pytest.approx(1 - result.wins_high[1])
    wins, low, high = 100 * result.wins[0], 100 * result.wins_low[0], 100 * result.wins_high[0]
    assert f"{wins:.1f} % ({low:.1f} to {high:.1f})" in str(result)


def test_cross_tables(schwinget: stier.Game) -> None:
    result = stier.pit(schwinget, ["random", "greedy", "random:seed=1"], deals=10)
    assert len(result.games) == 3 * 10 * 2
    means, intervals = result.cross_table()
    for table in (means, intervals):
        assert table.shape == (3, 3)
        assert np.isnan(np.diag(table)).all()
    assert means[0, 1] == pytest.approx(-means[1, 0])
    meeting = result.meeting(0, 1)
    assert meeting is not None
    mean, ci95, wins, wins_low, wins_high = meeting
    assert (mean, ci95) == (means[0, 1], intervals[0, 1])
    assert 0 <= wins_low <= wins <= wins_high <= 1
    assert result.meeting(1, 1) is None
    for bad in [-1, 3, 10**30]:
        with pytest.raises(ValueError, match=r"the number of an agent must be between 0 and 2"):
            result.meeting(0, bad)


def test_results_as_text(schwinget: stier.Game) -> None:
    result = stier.pit(schwinget, ["random", stier.PythonAgent(first, name="<b>&")], deals=3)
    assert str(result).startswith("schwinget (default rules), 3 paired deals, 6 games\n")
    assert "random" in str(result)
    assert repr(result) == "<stier.PitResult of 6 games of schwinget: 'random', '<b>&'>"
    html = result._repr_html_()
    assert html.startswith("<table>")
    assert "&lt;b&gt;&amp;" in html


def test_results_as_a_table_of_pandas(game: stier.Game) -> None:
    result = stier.pit(game, entrants(game), deals=4)
    frame = result.to_pandas()
    assert list(frame.columns) == ["game", "deal", "seat", "entrant", "agent", "return"]
    assert len(frame) == 4 * GAMES_PER_DEAL[game.num_players()] * game.num_players()
    means = frame.groupby("entrant")["return"].mean()
    assert means.to_numpy() == pytest.approx(result.mean)
    assert [result.agents[entrant] for entrant in frame["entrant"]] == list(frame["agent"])
    assert frame["return"].tolist() == [value for played in result.games for value in played.returns]


def test_callables_play_in_this_thread_in_the_order_of_the_games(schwinget: stier.Game) -> None:
    threads, deals = set(), []

    def play(state: stier.State) -> int:
        threads.add(threading.get_ident())
        deals.append(state.history()[:10])
        return first(state)

    result = stier.pit(schwinget, [play, "random"], deals=4, threads=0)
    assert threads == {threading.get_ident()}
    assert result.agents == ["play", "random"]
    assert len(deals) == sum(
        1 for p in result.games for player, _ in p.state().history() if player == p.agents.index(0)
    )


def test_callables_are_the_agents_they_seem_to_be(schwinget: stier.Game) -> None:
    """A callable that asks an agent plays as that agent, whatever the threads and whoever wraps it."""
    greedy = stier.load_agent("greedy", schwinget)

    def play(state: stier.State) -> int:
        policy = dict(greedy.step_with_policy(state)[0])
        return max(policy, key=lambda action: policy[action])

    wrapped = stier.pit(schwinget, [stier.PythonAgent(play, name="deterministic"), "random"], deals=10, threads=2)
    bare = stier.pit(schwinget, [play, "random"], deals=10)
    assert [p.record() for p in wrapped.games] == [p.record() for p in bare.games]
    assert wrapped.agents[0] == "deterministic"


def test_callables_see_no_hidden_card(schwinget: stier.Game) -> None:
    """One that plays by what it is shown of the other hand cannot tell one seed of the draws from another."""
    hands: list[frozenset[int]] = []

    def look(state: stier.State) -> int:
        player = state.current_player()
        hands.append(frozenset(card for _, card in state.history()[1 - player : 10 : 2]))
        return first(state)

    result = stier.pit(schwinget, [look, "random"], deals=30)
    true_hands = []
    for played in result.games:
        seat = played.agents.index(0)
        state = played.state().get_game().new_initial_state()
        for player, action in played.state().history():
            if player == seat:
                true_hands.append(frozenset(card for _, card in state.history()[1 - seat : 10 : 2]))
            state.apply_action(action)
    agree = sum(shown == true for shown, true in zip(hands, true_hands, strict=True))
    assert agree < len(hands) / 2


def test_what_callables_raise_is_the_cause_of_an_error_that_names_them(schwinget: stier.Game) -> None:
    error = KeyError("mine")
    calls = 0

    def fail(state: stier.State) -> int:
        nonlocal calls
        calls += 1
        if calls == 20:
            raise error
        return first(state)

    with pytest.raises(
        stier.AgentError, match=r"agent fail in schwinget raised KeyError, after \w+ .*: 'mine'"
    ) as caught:
        stier.pit(schwinget, ["random", fail, fail], deals=1000)
    assert caught.value.__cause__ is error
    assert calls == 20


def test_callables_that_choose_illegal_actions_are_told(schwinget: stier.Game) -> None:
    with pytest.raises(stier.IllegalActionError, match=r"wrong chose an illegal action 300: .*; legal here: "):
        stier.pit(schwinget, [stier.PythonAgent(lambda _: 300, name="wrong"), "random"], deals=1000)
    with pytest.raises(stier.AgentError, match=r"TypeError, .*: it must return the number of an action, got NoneType"):
        stier.pit(schwinget, [lambda _: None, "random"])


def test_callables_may_pit_others(schwinget: stier.Game) -> None:
    def study(state: stier.State) -> int:
        stier.pit(schwinget, ["random", "random"], deals=1)
        return first(state)

    assert len(stier.pit(schwinget, [study, "random"], deals=1).games) == 2


def test_callables_with_luck_of_their_own_are_repeatable(schwinget: stier.Game) -> None:
    def play() -> list[str]:
        rng = random.Random(1)
        result = stier.pit(schwinget, [lambda state: rng.choice(state.legal_actions()), "random"], deals=5)
        return [played.record() for played in result.games]

    assert play() == play()


FORK = """
import multiprocessing, stier
game = stier.load_game("schwinget")
def play(seed):
    return stier.pit(game, ["random", "greedy"], deals=20, seed=seed).mean.tolist()
here = [play(seed) for seed in range(4)]
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(play, range(4)) == here
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_forked_processes_play_too() -> None:
    subprocess.run([sys.executable, "-c", FORK], check=True, timeout=20)


@pytest.mark.parametrize(
    ("agents", "settings", "error", "named"),
    [
        (["random"], {}, stier.AgentError, "needs at least 2 agents"),
        ([], {}, stier.AgentError, "needs at least 2 agents"),
        (["random", "alphazero"], {}, stier.AgentError, "agents: "),
        (["random", "ismcts:iterations=0"], {}, stier.AgentError, "between 1 and "),
        (["random", 7], {}, TypeError, "an object with step(state) or a callable, got int"),
        (["random", "none.safetensors"], {}, stier.FileError, "neither an agent nor a file has this name"),
        ("random", {}, TypeError, "agents must be a list, got the text 'random'"),
        (
            {"a": "random", "b": "greedy"},
            {},
            TypeError,
            "agents must be a list, got a dict: give list(agents.values())",
        ),
        (["random", "random"], {"deals": 0}, ValueError, "deals must be between 1 and "),
        (["random", "random"], {"deals": -5}, ValueError, "deals must be between 1 and "),
        (["random", "random"], {"deals": 10**9}, ValueError, "would take 670.0 GB of memory for 2000000000 games"),
        (["random", "random"], {"deals": 10**30}, ValueError, "deals must be between 1 and "),
        (["random", "random"], {"deals": 2.5}, TypeError, ""),
        (["random", "random"], {"threads": -1}, ValueError, "threads must be between 0 and "),
        (["random", "random"], {"threads": 10**6}, ValueError, "threads must be between 0 and "),
        (["random", "random"], {"seed": -1}, ValueError, "seed must be between 0 and "),
    ],
)
def test_bad_arguments(schwinget: stier.Game, agents, settings, error, named) -> None:
    with pytest.raises(error) as caught:
        stier.pit(schwinget, agents, **settings)
    assert named in str(caught.value)


def test_agents_of_other_games_are_refused(schwinget: stier.Game) -> None:
    agent = stier.load_agent("random", stier.load_game("schwinget", bouts=2))
    with pytest.raises(stier.AgentError, match="made for schwinget:bouts=2, not for schwinget"):
        stier.pit(schwinget, [agent, "random"])


def test_progress_goes_to_stderr(schwinget: stier.Game, terminal: pytest.CaptureFixture[str]) -> None:
    stier.pit(schwinget, ["random", "random"], deals=50, progress=True)
    out, err = terminal.readouterr()
    assert out == ""
    assert "100/100" in err
    assert "games" in err


def test_progress_without_a_terminal_is_lines(
    schwinget: stier.Game, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stier.pit(schwinget, ["random", "random"], deals=50, progress=True)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("stier._output.PAUSE", 0.0)
    stier.pit(schwinget, ["random", "random"], deals=50, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("0 of 100 games (0%)\n")
    assert err.endswith("100 of 100 games (100%)\n")


def test_progress_without_tqdm_is_lines(
    schwinget: stier.Game, terminal: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr("stier._output.PAUSE", 0.0)
    stier.pit(schwinget, ["random", "random"], deals=5, progress=True)
    assert terminal.readouterr().err.endswith("10 of 10 games (100%)\n")


def test_equal_agents_are_numbered(schwinget: stier.Game) -> None:
    result = stier.pit(schwinget, ["random", "greedy", "random"], deals=1)
    assert result.agents == ["random", "greedy", "random #2"]
    assert "random #2" in str(result)
    assert pickle.loads(pickle.dumps(result)) == result
    taken = stier.PythonAgent(first, name="random #2")
    assert stier.pit(schwinget, ["random", "random", taken], deals=1).agents == ["random", "random #3", "random #2"]
