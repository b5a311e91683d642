"""`stier.check_no_leak`: it passes what is tight, and finds every leak that is drilled."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers import fast_agent, has_chance

import stier
from stier.cli import main


def hidden_cards(state: stier.State) -> tuple[int, ...]:
    """What chance has brought: who sees this sees everything."""
    return tuple(action for player, action in state.history() if player == stier.CHANCE)


def dealt(state: stier.State, player: int) -> dict[str, list[Any]]:
    """The same, within containers."""
    return {"cards": [np.array(hidden_cards(state))]}


def test_our_games_are_tight(game: stier.Game) -> None:
    report = stier.check_no_leak(game, games=2, worlds=2, agents=["random", fast_agent(game), "ismcts:iterations=20"])
    assert report.ok, str(report)
    report.raise_for_leak()
    assert report.first is None
    assert report.games == 2
    # In these two the true world is often the only one or one of two.
    least = 0.1 if game.short_name() in ("goofspiel", "kuhn_poker") else 0.5
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
    assert stier.check_no_leak("kuhn_poker", games=3, agents=[solution]).compared["agent Solution"] > 0
    assert list(stier.check_no_leak("schwinget", games=3, agents=[Careless()]).leaks) == ["agent Careless"]


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
    assert "nothing shown" in str(report)
    with pytest.raises(stier.errors.LeakError):
        report.raise_for_leak()


def test_arguments() -> None:
    with pytest.raises(TypeError, match=r"pyspiel.Game or a pettingzoo.AECEnv, got list"):
        stier.check_no_leak([])
    with pytest.raises(TypeError, match="for AEC environments only"):
        stier.check_no_leak("schwinget", twin=lambda env, agent, seed: env)
    with pytest.raises(ValueError, match="to_text is compared anyway"):
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

    def test_bots_who_peek_are_found(self, pyspiel: Any) -> None:
        def peeking(state: Any) -> int:
            legal = state.legal_actions()
            return int(legal[state.history()[0] % len(legal)])

        def honest(state: Any) -> int:
            return int(state.legal_actions()[-1])

        report = stier.check_no_leak(pyspiel.load_game("leduc_poker"), games=10, agents=[peeking, honest])
        assert list(report.leaks) == ["agent peeking"]

    def test_games_in_which_no_worlds_can_be_made(self, pyspiel: Any) -> None:
        for name, why in [("skat", "no other worlds can be made"), ("mfg_crowd_modelling", "mean-field")]:
            with pytest.raises(ValueError, match=why):
                stier.check_no_leak(pyspiel.load_game(name))

    def test_the_command(self, pyspiel: Any, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check-leak", "open_spiel:leduc_poker(players=3)", "--games", "3"]) == 0
        assert capsys.readouterr().out.startswith("leduc_poker(players=3): no leak found")
        assert main(["check-leak", "open_spiel:hearts", "--games", "1"]) == 1
        capsys.readouterr()
        assert main(["check-leak", "open_spiel:hearts2"]) == 2
        error = capsys.readouterr().err
        assert error == "stier: unknown game 'hearts2' of OpenSpiel; did you mean 'hearts'?\n"
        assert main(["check-leak", "open_spiel:hearts", "--agent", "random"]) == 2


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

    def test_wrappers_that_tell_too_much_are_found(self, spz: Any) -> None:
        from pettingzoo.utils import BaseWrapper

        class InInfo(BaseWrapper):
            @property
            def infos(self) -> dict[str, dict[str, Any]]:
                return {agent: {"hands": self.env.unwrapped.state()} for agent in self.env.agents}

        class InObservation(BaseWrapper):
            def observe(self, agent: str) -> Any:
                seen = super().observe(agent)
                seen["observation"][0] = hidden_cards(self.env.unwrapped.stier_state)[0]
                return seen

        class InMask(BaseWrapper):
            def observe(self, agent: str) -> Any:
                seen = super().observe(agent)
                other = next(seat for seat in self.env.possible_agents if seat != agent)
                theirs = super().observe(other)["observation"]
                return {**seen, "action_mask": theirs[: len(seen["action_mask"])].astype(np.int8)}

        for wrapper, fact in [(InInfo, "info"), (InObservation, "observe"), (InMask, "observe")]:
            report = stier.check_no_leak(wrapper(spz.env("schwinget")), games=1, facts={})
            assert fact in report.leaks, str(report)

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
            other = spz.env("schwinget")
            other.reset(seed=env.deal_seed)
            for player, action in env.stier_state.history():
                if player != stier.CHANCE:
                    other.step(action)
            other.exchange_hidden_cards(agent, seed)
            return other

        assert stier.check_no_leak(env, games=1, twin=faithful).ok
        nothing = stier.check_no_leak(env, games=1, twin=lambda env, agent, seed: None)
        assert not nothing.ok
        assert nothing.worlds == 0

    def test_agents_are_not_for_environments(self, spz: Any) -> None:
        with pytest.raises(TypeError, match="as facts"):
            stier.check_no_leak(spz.env("schwinget"), agents=["greedy"])
