"""`stier.check_no_leak`: it passes what is tight, and finds every leak that is drilled."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers import fast_agent, has_chance, hides_attempts

import stier
from stier.cli import main


def hidden_cards(state: stier.State) -> tuple[int, ...]:
    """All results of chance: a player who sees them sees everything."""
    return tuple(action for player, action in state.history() if player == stier.CHANCE)


def dealt(state: stier.State, player: int) -> dict[str, list[Any]]:
    """The same, within containers."""
    return {"cards": [np.array(hidden_cards(state))]}


def hidden_at_first(game: stier.Game) -> bool:
    """Tells whether something is hidden from the first player before anybody has chosen."""
    state = game.new_initial_state(seed=1)
    worlds = (state.resample_from_infostate(0, seed) for seed in range(5))
    return any(str(world) != str(state) for world in worlds)


def test_our_games_are_tight(game: stier.Game) -> None:
    report = stier.check_no_leak(game, games=2, worlds=2, agents=["random", fast_agent(game), "ismcts:iterations=20"])
    assert report.ok, str(report)
    report.raise_for_leak()
    assert report.first is None
    assert report.games == 2
    # In these two the true world is often the only one or one of two.
    least = 0.1 if game.short_name() in ("goofspiel", "kuhn", "kuhn_poker") else 0.4
    assert report.other_worlds > least * report.worlds
    facts = {"information_state_string", "information_state_tensor", "observation_tensor", "legal_actions_mask"}
    assert facts | {"to_text", "to_html", f"agent {fast_agent(game)}", "agent ismcts:iterations=20"} <= set(
        report.compared
    )
    assert all(report.compared[fact] == report.worlds for fact in facts)
    assert "no leak found" in str(report)


def test_reports_are_a_function_of_the_arguments() -> None:
    once, again, other = (str(stier.check_no_leak("schwinget", games=2, seed=seed)) for seed in (1, 1, 2))
    assert once == again
    assert once != other


def test_the_share_of_what_could_not_be_tested_is_told() -> None:
    report = stier.check_no_leak("kuhn_poker", games=4, worlds=1)
    assert 0 < report.bare_places < report.places
    assert report.untested_share == report.bare_places / report.places
    said = f"{report.bare_places} of {report.places} views ({report.untested_share:.0%}) were not tested"
    assert said in str(report)
    assert stier.leaks.LeakReport("nothing", "").untested_share == 0


def test_agents_who_peek_are_found() -> None:
    def peeking(state: stier.State) -> int:
        legal = state.legal_actions()
        return legal[hash(hidden_cards(state)) % len(legal)]

    report = stier.check_no_leak("schwinget", games=3, agents=["greedy", peeking])
    assert not report.ok
    assert list(report.leaks) == ["agent peeking"]
    with pytest.raises(stier.errors.LeakError, match="LEAK in agent peeking"):
        report.raise_for_leak()
    first = report.first
    assert first is not None
    assert first.here != first.there
    assert first.truth.information_state_string(first.player) == first.world.information_state_string(first.player)
    assert first.here == peeking(first.truth)
    assert first.there == peeking(first.world)
    assert first.position == first.truth.move_number()
    assert str(first) in str(report)


def test_objects_with_a_step_are_agents_and_found_out() -> None:
    class Careless:
        def step(self, state: stier.State) -> int:
            legal = state.legal_actions()
            return legal[hash(hidden_cards(state)) % len(legal)]

    solution = stier.solve("kuhn_poker", iterations=10)
    assert stier.check_no_leak("kuhn_poker", games=3, agents=[solution]).compared["agent TabularPolicy"] > 0
    assert list(stier.check_no_leak("schwinget", games=3, agents=[Careless()]).leaks) == ["agent Careless"]


def test_agents_who_remember_what_they_saw_are_found() -> None:
    """In the other world, the answer to the same question would come from memory."""

    class Remembering:
        def __init__(self) -> None:
            self.answers: dict[str, int] = {}

        def step(self, state: stier.State) -> int:
            legal = state.legal_actions()
            peeked = legal[hash(hidden_cards(state)) % len(legal)]
            return self.answers.setdefault(state.information_state_string(), peeked)

    report = stier.check_no_leak("schwinget", games=3, agents=[Remembering(), Remembering().step])
    assert list(report.leaks) == ["agent Remembering", "agent step"]


def test_agents_of_one_name_are_told_apart() -> None:
    agents = [lambda state: max(state.legal_actions()), lambda state: hash(hidden_cards(state))]
    report = stier.check_no_leak("schwinget", games=1, agents=[*agents, "greedy", "greedy"])
    assert list(report.leaks) == ["agent <lambda> (2)"]
    assert {"agent <lambda>", "agent greedy", "agent greedy (2)"} <= set(report.compared)


def test_agents_who_cannot_peek_pass() -> None:
    """The same callable, shown only what its player knows."""
    agent = stier.PythonAgent(lambda state: max(state.legal_actions()), name="highest")
    oracle = "oracle:iterations=20,nodes=200,worlds=1"
    report = stier.check_no_leak("schwinget", games=3, agents=[agent, oracle])
    assert report.differences["agent highest"] == 0
    assert report.differences[f"agent {oracle}"] > 0


def test_agents_who_roll_dice_are_told_so() -> None:
    rng = random.Random(1)
    with pytest.raises(stier.AgentError, match="the same numbers"):
        stier.check_no_leak("schwinget", agents=[lambda state: rng.choice(state.legal_actions())])


def test_facts_of_the_callers_own(game: stier.Game) -> None:
    tight: dict[str, Callable[[stier.State, int], Any]] = {
        "number of cards": lambda state, player: len(hidden_cards(state)),
        "own text": lambda state, player: state.to_text(player),
    }
    leaking: dict[str, Callable[[stier.State, int], Any]] = {
        "text": lambda state, player: str(state),
        "other tensor": lambda state, player: state.observation_tensor((player + 1) % state.num_players()),
        "dealt": dealt,
    }
    report = stier.check_no_leak(game, games=1, worlds=2, agents=[], facts={**tight, **leaking})
    found = set(leaking) if has_chance(game) else set(leaking) - {"dealt"}
    assert set(report.leaks) == found
    assert all(report.compared[fact] == report.worlds for fact in (*tight, *leaking))


def test_the_bar_counts_games(terminal: pytest.CaptureFixture[str]) -> None:
    silent = stier.check_no_leak("kuhn_poker", games=3)
    assert not terminal.readouterr().err
    assert str(stier.check_no_leak("kuhn_poker", games=3, progress=True)) == str(silent)
    assert "3/3" in terminal.readouterr().err


def test_a_check_that_compares_nothing_does_not_pass() -> None:
    """Everything is known: the only card of the opponent's is the one that is left."""
    report = stier.check_no_leak(
        stier.load_game("schwinget", suits=1, values=3, referee="off", counter="off", hand_size=1, set_aside=1)
    )
    assert report.other_worlds == 0
    assert not report.ok
    assert "nothing was compared" in str(report)
    with pytest.raises(stier.errors.LeakError):
        report.raise_for_leak()


def test_arguments() -> None:
    with pytest.raises(TypeError, match=r"pyspiel.Game or a pettingzoo.AECEnv, got list"):
        stier.check_no_leak([])
    with pytest.raises(TypeError, match="for AEC environments only"):
        stier.check_no_leak("schwinget", twin=lambda env, agent, seed: env)
    with pytest.raises(ValueError, match="facts named to_text are compared already"):
        stier.check_no_leak("schwinget", facts={"to_text": lambda state, player: 0})
    with pytest.raises(ValueError, match="at least 1"):
        stier.check_no_leak("schwinget", games=0)
    with pytest.raises(stier.RulesError):
        stier.check_no_leak("nope")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-leak", "schwinget", "--games", "1", "--rule", "bouts=2", "--agent", "random"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("schwinget:bouts=2: no leak found")
    assert "agent random" in out
    tiny = "schwinget:suits=1,values=3,referee=off,counter=off,hand_size=1,set_aside=1"
    assert main(["check-leak", tiny]) == 1
    assert main(["check-leak", "nope"]) == 2


class TestOpenSpiel:
    """Games of OpenSpiel, ours and theirs."""

    @pytest.fixture
    def pyspiel(self) -> Any:
        return pytest.importorskip("pyspiel")

    @pytest.fixture
    def sos(self, pyspiel: Any) -> Any:
        del pyspiel
        return importlib.import_module("stier.open_spiel")

    def test_ours_are_tight(self, sos: Any, game: stier.Game) -> None:
        report = stier.check_no_leak(sos.StierGame(game), games=1, worlds=2)
        assert report.ok, str(report)
        assert "observation_string" in report.compared

    @pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "oh_hell", "liars_dice", "goofspiel(imp_info=True)"])
    def test_theirs_that_are_tight(self, pyspiel: Any, name: str) -> None:
        report = stier.check_no_leak(pyspiel.load_game(name), games=5)
        assert report.ok, str(report)
        # Without a resampler, the string says which worlds are alike.
        assert ("information_state_string" in report.untested) == ("information_state_string" not in report.compared)

    @pytest.mark.parametrize("name", ["hearts", "euchre"])
    def test_theirs_that_draw_impossible_worlds(self, pyspiel: Any, name: str) -> None:
        report = stier.check_no_leak(pyspiel.load_game(name), games=3)
        assert not report.ok
        assert report.impossible["an illegal past"] > 20
        assert not report.leaks
        world = report.impossible_worlds["an illegal past"]
        assert "is not among" in world.detail

    def test_strings_and_tensors_that_tell_too_much_are_found(self, sos: Any) -> None:

        class LeakyObserver(sos.StierObserver):
            def set_from(self, state: Any, player: int) -> None:
                super().set_from(state, 1 - player)

        class LeakyGame(sos.StierGame):
            def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
                del params
                return LeakyObserver(self.game, perfect_recall=bool(iig_obs_type and iig_obs_type.perfect_recall))

        report = stier.check_no_leak(LeakyGame(stier.load_game("schwinget")), games=1)
        assert set(report.leaks) == {"information_state_tensor", "observation_tensor"}
        assert not report.impossible

    def test_what_states_store_is_found(self, sos: Any, game: stier.Game) -> None:
        """The resampler copies it from the true state, so that only a replay shows it."""

        class Storing(sos.StierState):
            def __init__(self, game: Any) -> None:
                super().__init__(game)
                self.stored = ""

            def _apply_action(self, action: int) -> None:
                super()._apply_action(action)
                self.stored = str(self.stier_state)

            def resample_from_infostate(self, player: int, probability_sampler: Any) -> Any:
                world = super().resample_from_infostate(player, probability_sampler)
                world.stored = self.stored
                return world

        class Telling(sos.StierObserver):
            def string_from(self, state: Any, player: int) -> str:
                return str(state.stored)

        class Leaking(sos.StierGame):
            def new_initial_state(self) -> Any:
                return Storing(self)

            def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
                del params
                return Telling(self.game, perfect_recall=bool(iig_obs_type and iig_obs_type.perfect_recall))

        report = stier.check_no_leak(Leaking(game), games=1, worlds=1)
        assert set(report.leaks) == {"information_state_string", "observation_string"}, str(report)
        assert not report.impossible

    def test_worlds_with_the_history_of_another_are_impossible(self, sos: Any) -> None:
        class Lying(sos.StierState):
            def resample_from_infostate(self, player: int, probability_sampler: Any) -> Any:
                world = self.clone()
                world.stier_state = super().resample_from_infostate(player, probability_sampler).stier_state
                return world

        class Game(sos.StierGame):
            def new_initial_state(self) -> Any:
                return Lying(self)

        report = stier.check_no_leak(Game(stier.load_game("schwinget")), games=1, worlds=1)
        assert not report.ok
        assert report.impossible["a past that leads elsewhere"] > 0.5 * report.places

    def test_bots_who_peek_are_found(self, pyspiel: Any) -> None:
        def peeking(state: Any) -> int:
            legal = state.legal_actions()
            return int(legal[state.history()[0] % len(legal)])

        def honest(state: Any) -> int:
            return int(state.legal_actions()[-1])

        class Bot(pyspiel.Bot):  # type: ignore[misc, name-defined]
            """Has a method `step_with_policy` that raises."""

            def step(self, state: Any) -> int:
                return int(state.legal_actions()[0])

        report = stier.check_no_leak(pyspiel.load_game("leduc_poker"), games=10, agents=[peeking, honest, Bot()])
        assert list(report.leaks) == ["agent peeking"]
        assert report.compared["agent Bot"] == report.compared["agent honest"]

    def test_games_in_which_no_worlds_can_be_made(self, pyspiel: Any) -> None:
        for name, why in [("skat", "no other worlds can be made"), ("mfg_crowd_modelling", "mean-field")]:
            with pytest.raises(ValueError, match=why):
                stier.check_no_leak(pyspiel.load_game(name))

    def test_the_command(self, pyspiel: Any, capsys: pytest.CaptureFixture[str]) -> None:
        for name in ("openspiel:leduc_poker(players=3)", "open_spiel:leduc_poker(players=3)"):
            assert main(["check-leak", name, "--games", "3"]) == 0
            assert capsys.readouterr().out.startswith("leduc_poker(players=3): no leak found")
        assert main(["check-leak", "openspiel:leduc_poker", "--rule", "players=3", "--games", "1"]) == 0
        assert capsys.readouterr().out.startswith("leduc_poker(players=3): no leak found")
        assert main(["check-leak", "openspiel:kuhn_poker", "--agent", "random", "--games", "1"]) == 0
        out = capsys.readouterr().out
        assert out.startswith("openspiel:kuhn_poker(): no leak found")
        assert "agent random: 0 of " in out
        assert main(["check-leak", "openspiel:hearts", "--games", "1"]) == 1
        capsys.readouterr()
        assert main(["check-leak", "openspiel:hearts2"]) == 2
        error = capsys.readouterr().err
        assert error.startswith("stier: unknown game 'hearts2'; OpenSpiel has hearts, ")
        assert error.count("\n") == 1


class TestPettingZoo:
    """AEC environments, ours in wrappers and others."""

    @pytest.fixture
    def spz(self) -> Any:
        pytest.importorskip("pettingzoo")
        return importlib.import_module("stier.pettingzoo")

    @pytest.mark.parametrize("mode", [None, "ansi"])
    def test_ours_are_tight(self, spz: Any, game: stier.Game, mode: str | None) -> None:
        report = stier.check_no_leak(spz.env(game, render_mode=mode), games=1, worlds=2)
        assert report.ok, str(report)
        assert report.compared["observe"] == report.worlds
        assert ("render" in report.compared) == (mode == "ansi")

    def test_whatever_is_stored_on_the_way_is_found(self, spz: Any, game: stier.Game) -> None:
        """Every kind at once, as facts of their own; the real ones come in the next test."""
        from pettingzoo.utils import BaseWrapper

        class Inside(spz.CardGameEnv):
            def reset(self, seed: int | None = None, options: Any = None) -> None:
                self.past: list[str] = []
                super().reset(seed, options)
                self.at_reset = str(self.stier_state)

            def _go_on(self, world: Any) -> None:
                super()._go_on(world)
                self.past.append(str(world))

        class Outside(BaseWrapper):
            def reset(self, seed: int | None = None, options: Any = None) -> None:
                super().reset(seed, options)
                self.first = [self.unwrapped.state()]
                self.steps = 0

            def step(self, action: Any) -> None:
                super().step(action)
                self.first.append(self.unwrapped.state())
                self.steps += 1

        facts = {
            "at reset": lambda env, player: env.unwrapped.at_reset,
            "at the last step": lambda env, player: env.unwrapped.past[-1],
            "at any step": lambda env, player: env.unwrapped.past,
            "in a wrapper": lambda env, player: env.first,
            "seed": lambda env, player: env.unwrapped.deal_seed,
        }
        tight = {
            "steps": lambda env, player: env.steps,
            "own tensor": lambda env, player: env.unwrapped.state()[player],
        }
        report = stier.check_no_leak(Outside(Inside(game)), games=1, worlds=1, facts={**facts, **tight})
        found = set(facts)
        if not hidden_at_first(game):
            found -= {"at reset"}
        if hides_attempts(game):
            found |= {"steps"}
        assert set(report.leaks) == found, str(report)
        assert not report.impossible

    def test_every_fact_that_tells_too_much_is_found(self, spz: Any) -> None:
        from gymnasium.spaces import Discrete
        from pettingzoo.utils import BaseWrapper

        class Base(spz.CardGameEnv):
            """A game that makes its views when cards are dealt or played, and not when it is asked for them."""

            def reset(self, seed: int | None = None, options: Any = None) -> None:
                super().reset(seed, options)
                self.shown(hidden_cards(self.stier_state))

            def step(self, action: Any) -> None:
                super().step(action)
                if any(self.agents):
                    self.shown(hidden_cards(self.stier_state))

            def shown(self, cards: tuple[int, ...]) -> None:
                raise NotImplementedError

        class InInfo(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                self.infos = {agent: {"hands": cards} for agent in self.infos}

        class InInfoOfReset(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                if self.stier_state.move_number() == len(cards):
                    self.infos = {agent: {"hands": cards} for agent in self.infos}

        class InInfoAtTheEnd(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                if self.stier_state.is_terminal():
                    self.infos = {agent: {"hands": cards} for agent in self.infos}

        class InSeed(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                self.infos = {agent: {"seed": self.deal_seed} for agent in self.infos}

        class InReward(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                self.rewards = dict.fromkeys(self.rewards, float(cards[0]))

        class InCumulativeReward(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                self._cumulative_rewards = dict.fromkeys(self.rewards, float(cards[0]))

        class InObservation(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                self.cards = cards

            def observe(self, agent: str) -> Any:
                seen = super().observe(agent)
                seen["observation"][0] = self.cards[0]
                return seen

        class InMask(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                self.forbidden = cards[0] % 2

            def observe(self, agent: str) -> Any:
                seen = super().observe(agent)
                legal = np.flatnonzero(seen["action_mask"])
                if self.forbidden and len(legal) > 1:
                    seen["action_mask"][legal[0]] = 0
                return seen

        class InOrder(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                self.agents.sort(reverse=cards[0] % 2 == 1)

        class InSpace(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                size = self.game.num_distinct_actions()
                self.action_spaces = {agent: Discrete(size + cards[0] % 2) for agent in self.possible_agents}

        class InTruncation(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                over = self.stier_state.move_number() > len(cards) + 4 and cards[0] % 2 == 1
                self.truncations = dict.fromkeys(self.truncations, over)

        class InText(Base):
            def shown(self, cards: tuple[int, ...]) -> None:
                self.cards = cards

            def render(self) -> str:
                return f"{super().render()} {self.cards}"

        class Caching(BaseWrapper):
            """Looks once, with the eyes of all."""

            def reset(self, seed: int | None = None, options: Any = None) -> None:
                super().reset(seed, options)
                self.cached = {"hands": self.unwrapped.state()}

            @property
            def infos(self) -> dict[str, Any]:
                return dict.fromkeys(self.env.infos, self.cached)

        class Lazy(BaseWrapper):
            """Keeps the first answer of a game for ever."""

            def reset(self, seed: int | None = None, options: Any = None) -> None:
                super().reset(seed, options)
                self.cached: Any = None

            def observe(self, agent: str) -> Any:
                if self.cached is None:
                    self.cached = self.unwrapped.state()
                return {**super().observe(agent), "hands": self.cached}

        deck = stier.load_game("schwinget")
        leaking: list[tuple[Any, str]] = [
            (InInfo(deck), "info"),
            (InInfoOfReset(deck), "info"),
            (InInfoAtTheEnd(deck), "info"),
            (InSeed(deck), "info"),
            (InReward(deck), "reward"),
            (InCumulativeReward(deck), "last"),
            (InObservation(deck), "observe"),
            (InMask(deck), "observe"),
            (InOrder(deck), "agents"),
            (InSpace(deck), "action_space"),
            (InTruncation(deck), "truncation"),
            (InText(deck, render_mode="ansi"), "render"),
            (Caching(spz.env(deck)), "info"),
            (Lazy(spz.env(deck)), "observe"),
        ]
        for env, fact in leaking:
            report = stier.check_no_leak(env, games=2, worlds=1)
            assert fact in report.leaks, f"{type(env).__name__}\n{report}"
            assert not report.impossible
            # The order decides at the end who gets which return.
            also = {"info": {"last"}, "observe": {"last"}, "truncation": {"last"}}
            also["agents"] = {"agent_selection", "reward", "last"}
            assert set(report.leaks) <= {fact, *also.get(fact, ())}, f"{type(env).__name__}\n{report}"

    def test_wrappers_that_remember_what_a_player_saw_are_tight(self, spz: Any) -> None:
        from pettingzoo.utils import BaseWrapper, OrderEnforcingWrapper

        class Stacking(BaseWrapper):
            """Counts games and stacks what was looked at. Its actions start at 10."""

            played = 0

            def reset(self, seed: int | None = None, options: Any = None) -> None:
                super().reset(seed, options)
                self.played += 1
                self.frames: dict[str, list[Any]] = {agent: [] for agent in self.possible_agents}

            def observe(self, agent: str) -> Any:
                seen = super().observe(agent)
                self.frames[agent].append(seen["observation"])
                return {**seen, "frames": self.frames[agent].copy(), "played": self.played}

            def action_space(self, agent: str) -> Any:
                from gymnasium.spaces import Discrete

                return Discrete(int(super().action_space(agent).n), start=10)

            def step(self, action: Any) -> None:
                super().step(None if action is None else action - 10)

        report = stier.check_no_leak(OrderEnforcingWrapper(Stacking(spz.env("schwinget"))), games=2, worlds=2)
        assert report.ok, str(report)
        # There, all worlds differ in choices, and those have other names in the wrapper.
        report = stier.check_no_leak(OrderEnforcingWrapper(Stacking(spz.env("dark_hex"))), games=2, worlds=2)
        assert not report.ok
        assert "nothing was compared, because no other world was drawn" in str(report)

    def test_environments_that_cannot_be_dealt_to_are_untested(self, spz: Any) -> None:
        class Own(spz.CardGameEnv):
            def reset(self, seed: int | None = None, options: Any = None) -> None:
                super().reset(seed, options)
                self._world = self.game.new_initial_state(seed=seed)

        class Longer(spz.CardGameEnv):
            def deal_as(self, world: stier.State) -> None:
                self._scripted = []

        faults = {
            Own: {
                "not tested, other cards than those it was told to deal",
                "not tested, it ends early when it is played again",
            },
            Longer: {"not tested, the cards cannot be dealt again"},
        }
        for kind, found in faults.items():
            report = stier.check_no_leak(kind("schwinget"), games=1, worlds=1)
            assert not report.ok
            assert "nothing was compared" in str(report)
            assert report.worlds == 0
            assert set(report.impossible) == found
            assert report.impossible.total() == report.places

    def test_environments_that_cannot_be_copied_are_refused(self, spz: Any) -> None:
        class Locked(spz.CardGameEnv):
            def __deepcopy__(self, memo: Any) -> Any:
                raise TypeError("cannot pickle '_thread.lock' object")

        class Same(spz.CardGameEnv):
            def __deepcopy__(self, memo: Any) -> Any:
                return self

        for kind, why in [(Locked, "cannot be copied .*lock.*: give twin"), (Same, "shares its state with its copies")]:
            with pytest.raises(TypeError, match=why):
                stier.check_no_leak(kind("schwinget"))

    @pytest.mark.parametrize("mode", ["ansi_open", "human"])
    def test_the_environment_is_left_as_it_is(self, spz: Any, capsys: pytest.CaptureFixture[str], mode: str) -> None:
        env = spz.env("schwinget", render_mode=mode)
        env.reset(seed=3)
        capsys.readouterr()
        before = env.stier_state.clone()
        report = stier.check_no_leak(env, games=1, worlds=1)
        assert report.ok
        assert env.stier_state == before
        assert env.render_mode == mode
        assert list(report.untested) == ["render"]
        assert f"not tested  render: only in mode ansi, not in {mode}" in str(report)
        assert not capsys.readouterr().out

    def test_environments_of_others_need_a_twin(self, spz: Any) -> None:
        from pettingzoo.test.example_envs import generated_agents_env_v0

        with pytest.raises(TypeError, match="give twin"):
            stier.check_no_leak(generated_agents_env_v0.env())

    def test_parallel_environments_are_none(self, spz: Any) -> None:
        with pytest.raises(TypeError, match="takes AEC environments"):
            stier.check_no_leak(spz.parallel_env("up_and_down"))

    def test_twins_of_the_callers_own(self, spz: Any) -> None:
        env = spz.env("schwinget")

        def faithful(env: Any, agent: str, seed: int) -> Any:
            world = env.stier_state.resample_from_infostate(env.possible_agents.index(agent), seed)
            other = spz.env("schwinget")
            other.deal_as(world)
            other.reset()
            for player, action in world.history():
                if player != stier.CHANCE:
                    other.step(action)
            return other

        assert stier.check_no_leak(env, games=1, twin=faithful).ok
        nothing = stier.check_no_leak(env, games=1, twin=lambda env, agent, seed: None)
        assert not nothing.ok
        assert nothing.worlds == 0

    def test_agents_are_not_for_environments(self, spz: Any) -> None:
        with pytest.raises(TypeError, match="as facts"):
            stier.check_no_leak(spz.env("schwinget"), agents=["greedy"])
