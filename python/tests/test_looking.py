"""Pictures of states, searches and beliefs, plots, and replays."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from math import isnan
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers import decisions, random_walk

import stier
from stier import draw, terminal
from stier._native import judge
from stier._output import duration
from stier.cli import main

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

SVG = "{http://www.w3.org/2000/svg}"
SECONDS = re.compile(r"\b[\d.]+ [mµ]?s\b")


def parsed(svg: str) -> ElementTree.Element:
    """The root of a picture, after what holds for every picture."""
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.findtext(f"{SVG}title")
    assert root.findtext(f"{SVG}desc")
    assert not list(root.iter(f"{SVG}script"))
    assert "href" not in svg
    style = root.findtext(f"{SVG}style") or ""
    light, _, dark = style.partition("@media (prefers-color-scheme:dark)")
    for element in root.iter():
        for name in element.get("class", "").split():
            if element is not root:
                assert f".{name}{{" in light, name
                assert f".{name}{{" in dark, name
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    for element in root.iter(f"{SVG}rect"):
        assert float(element.attrib["x"]) >= -0.1
        assert float(element.attrib["x"]) + float(element.attrib["width"]) <= width + 0.1
        assert float(element.attrib["y"]) + float(element.attrib["height"]) <= height + 0.1
    return root


def shown(root: ElementTree.Element) -> Counter[str]:
    return Counter(element.attrib["data-card"] for element in root.iter() if "data-card" in element.attrib)


def some_states(game: stier.Game, seed: int) -> list[stier.State]:
    """States of a random game from the first to the last, chance nodes and the end included."""
    states = [state.clone() for state in random_walk(game.new_initial_state(), seed)]
    return [*states[:: max(1, len(states) // 12)], states[-1]]


def test_pictures_show_every_card_that_is_seen_once(game: stier.Game) -> None:
    for state in some_states(game, 51):
        for player in [None, *range(game.num_players())]:
            scene = state.scene(player)
            seen = Counter(card for place in scene["places"] for group in place["groups"] for card in group["cards"])
            del seen[None]  # type: ignore[arg-type]
            root = parsed(state.to_svg(player))
            assert shown(root) == seen
            assert len([space for space in scene["track"] if space["piece"]]) == len(
                [title for title in root.iter(f"{SVG}title") if (title.text or "").startswith("pig ")]
            )


@pytest.mark.parametrize("name", ["dark_hex", "goofspiel", "liars_dice"])
def test_games_without_cards_show_every_seat_and_the_player_to_act(name: str) -> None:
    state = stier.load_game(name).new_initial_state(seed=7)
    root = parsed(state.to_svg(0))
    _, *words = (text.text or "" for text in root.iter(f"{SVG}text"))
    assert {"seat 0", "seat 1"} <= set(words)
    assert "_" not in "".join(words)
    assert [one.get("class") for one in root.iter(f"{SVG}path")] == ["mark"]


def test_the_board_of_dark_hex_keeps_its_slant() -> None:
    state = stier.load_game("dark_hex").new_initial_state(seed=7)
    state.apply_action(4)
    space = "{http://www.w3.org/XML/1998/namespace}space"
    rows = [text.text for text in parsed(state.to_svg()).iter(f"{SVG}text") if text.get(space) == "preserve"]
    assert rows == [row for place in state.scene()["places"] if place["seat"] is None for row in place["remarks"]]
    assert any("  . 0 ." in f" {row}" for row in rows)


def test_durations_have_the_unit_of_the_rounded_number() -> None:
    told = [duration(seconds) for seconds in (3e-5, 0.00099951, 0.0312, 0.9996, 9.996, 1234.5)]
    assert told == ["30.0 µs", "1.00 ms", "31.2 ms", "1.00 s", "10.0 s", "1230 s"]


def test_the_own_cards_are_in_the_picture(game: stier.Game) -> None:
    faces = game.card_faces()
    for state in decisions(game, 52):
        names = (state.action_to_string(action) for action in state.legal_actions())
        # The pigs that are placed have the names of cards, but are none.
        cards = {name.rpartition(":")[2] for name in names if not name.startswith("place:")} & set(faces)
        assert cards <= set(shown(parsed(state.to_svg(state.current_player()))))


def test_pictures_are_the_same_in_all_worlds_that_a_player_takes_for_possible(game: stier.Game) -> None:
    differ = 0
    # The ends of several games: the returns must not tell a hand that stays hidden, as in Kuhn poker.
    for state in [*some_states(game, 53), *(played(game, seed) for seed in range(10))]:
        for player in range(game.num_players()):
            other = state.resample_from_infostate(player, 9)
            assert state.to_svg(player) == other.to_svg(player)
            assert state.scene(player) == other.scene(player)
            assert terminal.state(state, player, colour=True) == terminal.state(other, player, colour=True)
            differ += state.to_svg() != other.to_svg()
    assert differ > 0


def test_faces_differ_without_colours(game: stier.Game) -> None:
    faces = game.card_faces()
    assert len({(rank, sign) for rank, sign, _ in faces.values()}) == len(faces)


def test_unknown_players_are_named_by_the_error(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    for call in [state.to_svg, state.scene, lambda player: terminal.state(state, player)]:
        with pytest.raises(stier.errors.SeatError, match="seats: 0 to 1"):
            call(2)


def test_colours_are_all_that_colours_change(game: stier.Game) -> None:
    agent = stier.load_agent("ismcts:iterations=50", game)
    for state in some_states(game, 54):
        pairs = [[terminal.state(state, 0, colour=colour) for colour in (False, True)]]
        if state.is_player_node():
            search, believed = agent.search(state, tree_depth=2), agent.beliefs(state)
            pairs.append([terminal.search(search, colour=colour) for colour in (False, True)])
            pairs.append([terminal.beliefs(believed, colour=colour) for colour in (False, True)])
        for plain, coloured in pairs:
            assert "\x1b" not in plain
            stripped = "\n".join(line.rstrip() for line in re.sub("\x1b\\[[0-9]*m", "", coloured).splitlines())
            assert stripped == "\n".join(line.rstrip() for line in plain.splitlines())


def test_terminals_get_colours_unless_they_want_none(
    schwinget: stier.Game, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    state = schwinget.new_initial_state(seed=7)
    assert "\x1b" not in terminal.state(state)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" in terminal.state(state)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in terminal.state(state)


def test_searches_are_drawn_action_by_action(game: stier.Game) -> None:
    agent = stier.load_agent("ismcts:iterations=60", game)
    for state in list(decisions(game, 55))[::7]:
        found = agent.search(state)
        root = parsed(found.to_svg())
        texts = {element.text for element in root.iter(f"{SVG}text")}
        for stats in found.actions:
            assert f"{stats.visits:,}" in texts
            assert (f"{stats.value:+.3f}" if stats.visits else "not tried") in texts
        assert [title.text for title in root.iter(f"{SVG}title")].count("chosen") == 1
        assert found._repr_html_() == found.to_svg() == draw.search(found)
        assert (found.player, found.game) == (state.current_player(), game)


@pytest.mark.parametrize(
    "options", ["", ",threads=2", ",observer=multi,selection=puct", ",reuse=on", ",opponents=fitted"]
)
def test_lines_of_play_are_the_top_of_the_tree(game: stier.Game, options: str) -> None:
    state = game.new_initial_state(seed=56)
    plain, noting = (stier.load_agent(f"ismcts:iterations=300{options}", game) for _ in range(2))
    for _ in range(4):
        expected, found = plain.search(state), noting.search(state, tree_depth=3)
        assert expected.lines == []
        assert [(a.action, a.visits, a.value) for a in found.actions] == [
            (a.action, a.visits, a.value) for a in expected.actions
        ]
        # After the same actions it may be either player's turn, as in dark_hex.
        paths = [tuple(zip(line.players, line.actions, strict=True)) for line in found.lines]
        visits = {path: line.visits for path, line in zip(paths, found.lines, strict=True)}
        assert len(visits) == len(found.lines)
        assert sum(count for path, count in visits.items() if len(path) == 1) == found.iterations
        for path, line in zip(paths, found.lines, strict=True):
            assert len(path) == len(line.players) == len(line.names) <= 3
            assert len(path) == 1 or visits[path[:-1]] >= line.visits
            assert line.players[0] == state.current_player()
            assert game.min_utility() <= line.value <= game.max_utility()
        if "reuse" not in options:
            values = {line.actions[0]: line.value for line in found.lines if len(line.actions) == 1}
            for stats in found.actions:
                if stats.visits and len(found.actions) > 1:
                    assert values[stats.action] == pytest.approx(stats.value, abs=1e-4)
        parsed(found.to_svg())
        state.apply_action(found.action)
        if state.is_terminal():
            break


def test_lines_of_the_same_actions_by_different_players_are_drawn_apart() -> None:
    """In dark_hex the searching seat may act twice: `a1 c2` is a line of one seat and another line of both."""
    game, alike = stier.load_game("dark_hex"), 0
    agent, state = stier.load_agent("ismcts:iterations=1000", game), game.new_initial_state()
    while not state.is_terminal():
        agent.restart(0)
        found = agent.search(state, tree_depth=3)
        alike += max(Counter(tuple(line.actions) for line in found.lines).values(), default=0) > 1
        branches = [
            one.attrib["d"] for one in parsed(found.to_svg()).iter(f"{SVG}path") if one.get("class") == "branch"
        ]
        assert len({" ".join(branch.split()[-2:]) for branch in branches}) == len(branches)
        state.apply_action(found.action)
    assert alike > 0


def test_results_of_a_search_are_what_their_constructors_make(schwinget: stier.Game) -> None:
    found = stier.load_agent("ismcts", schwinget).search(schwinget.new_initial_state(seed=7), tree_depth=2)
    for one in (found, found.actions[0], found.lines[0]):
        assert [*vars(one)] == [field.name for field in dataclasses.fields(one)]
        assert dataclasses.replace(one) == one
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.action = 0  # type: ignore[misc, union-attr]


def test_agents_without_a_tree_have_no_lines(schwinget: stier.Game) -> None:
    assert stier.load_agent("flat_mc", schwinget).search(schwinget.new_initial_state(seed=7), tree_depth=2).lines == []
    with pytest.raises(OverflowError):
        stier.load_agent("ismcts", schwinget).search(schwinget.new_initial_state(seed=7), tree_depth=-1)


def test_best_hands_lines_on(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    assert stier.load_agent("best:iterations=100", schwinget).search(state, tree_depth=1).lines


def test_beliefs_are_drawn_card_by_card(game: stier.Game) -> None:
    agent = stier.load_agent("ismcts", game)
    for state in list(decisions(game, 57))[::9]:
        found = agent.beliefs(state)
        root = parsed(found.to_svg())
        cells = [title.text or "" for title in root.iter(f"{SVG}title") if ": " in (title.text or "")]
        expected = [f"{card}: {found.of(card, seat):.3f}" for seat in range(game.num_players()) for card in found.cards]
        assert Counter(cells) == Counter(expected)
        says = f"{game.short_name()} has no cards to show"
        for shown_as in [found.to_svg(), terminal.beliefs(found)]:
            assert (says in shown_as) == (found.cards == [])
        assert found._repr_html_() == found.to_svg() == draw.beliefs(found)
        assert found.game == game


def test_cross_tables_are_plotted() -> None:
    from stier import plots

    result = stier.pit(stier.load_game("schwinget"), ["random", "greedy", "ismcts:iterations=10"], deals=3)
    mean, ci95 = result.cross_table()
    with matplotlib.style.context("dark_background"):
        ax = plots.cross_table(result)
    texts = [text.get_text() for text in ax.texts]
    assert texts == [f"{m:+.2f}\n± {h:.2f}" for m, h in zip(mean.ravel(), ci95.ravel(), strict=True) if not np.isnan(m)]
    matplotlib.pyplot.close(ax.figure)


def test_learning_curves_are_plotted() -> None:
    from stier import plots

    frame = {"step": [2, 1, 1, 2], "mean": [0.5, 0.1, 0.2, 0.3], "ci95": [0.1] * 4, "who": ["a", "a", "b", "b"]}
    _, ax = matplotlib.pyplot.subplots()
    assert plots.learning_curve(frame, by="who", ax=ax) is ax
    assert [line.get_ydata().tolist() for line in ax.lines] == [[0.1, 0.5], [0.2, 0.3]]
    assert len({(line.get_color(), line.get_linestyle(), line.get_marker()) for line in ax.lines}) == 2
    assert len(ax.collections) == 2
    assert len(plots.learning_curve(frame, ci95=None, ax=matplotlib.pyplot.subplots()[1]).lines) == 1
    with pytest.raises(KeyError, match="no column 'loss'; there are step, mean, ci95, who"):
        plots.learning_curve(frame, y="loss")
    matplotlib.pyplot.close("all")


def test_convergence_is_plotted() -> None:
    from stier import plots

    found = [stier.solve("kuhn_poker", name, iterations=40) for name in ("cfr", "cfr+")]
    exact = stier.solve("kuhn_poker", "sequence_form")
    _, ax = matplotlib.pyplot.subplots()
    assert plots.convergence(found, ax=ax) is ax
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_title()) == ("log", "log", "kuhn_poker")
    assert [line.get_label() for line in ax.lines] == ["cfr", "cfr+"]
    for line, solution in zip(ax.lines, found, strict=True):
        assert line.get_xdata().tolist() == solution.history["iterations"].tolist()
        assert line.get_ydata().tolist() == solution.history["nash_conv"].tolist()
    assert len({(line.get_color(), line.get_linestyle(), line.get_marker()) for line in ax.lines}) == 2
    named = plots.convergence({"first": found[0], "exact": exact}, x="seconds")
    assert named.lines[0].get_xdata().tolist() == found[0].history["seconds"].tolist()
    assert [text.get_text() for text in named.get_legend().get_texts()] == ["first", "exact"]
    assert len(plots.convergence(found[0]).lines) == 1
    with pytest.raises(stier.errors.ArgumentError, match="x must be 'iterations' or 'seconds', got 'hours'"):
        plots.convergence(found, x="hours")  # type: ignore[arg-type]
    matplotlib.pyplot.close("all")


def test_bars_are_plotted() -> None:
    from stier import plots

    values = {"a": (2.0, 1.5, 3.0), "b": (-1.0, float("nan"), float("nan")), "c": (0.5, 0.5, 0.5)}
    figure, axes = plots.panels((2, 2), (7.2, 4), "word " * 30, grid="x", height_ratios=[2, 1])
    assert len(axes) == 4
    assert axes[0].get_subplotspec().rowspan.start == axes[1].get_subplotspec().rowspan.start == 0
    assert not any(ax.spines[side].get_visible() for ax in axes for side in ("top", "right"))
    # As many letters as fit above a figure of this width, or as many as are asked for.
    assert [len(line) for line in figure.get_suptitle().split("\n")] == [18 * 5 - 1, 12 * 5 - 1]
    assert len(plots.panels((1, 1), (7.2, 4), "word " * 30, width=50)[0].get_suptitle().split("\n")) == 3
    ax = plots.bars(values, axes[0], title="game", colours=["red", "green", "blue"])
    assert ax is axes[0]
    assert ax.get_title() == "game"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c"]
    assert ax.yaxis_inverted()
    assert [bar.get_width() for bar in ax.patches] == [2.0, -1.0, 0.5]
    # Neither an exact value nor one without ends has caps.
    assert [one.tolist() for one in ax.collections[0].get_segments()] == [[[1.5, 0.0], [3.0, 0.0]]]
    assert [cap.get_xdata().tolist() for cap in ax.lines] == [[1.5], [3.0]]
    exact = plots.bars({"c": values["c"]})
    assert (len(exact.collections), len(exact.lines), len(exact.patches)) == (0, 0, 1)
    assert len({bar.get_facecolor() for bar in ax.patches}) == 3
    assert len(plots.bars(values).patches) == 3
    with pytest.raises(stier.errors.ArgumentError, match="values must have one agent or more, got none"):
        plots.bars({})
    matplotlib.pyplot.close("all")


def played(game: stier.Game, seed: int) -> stier.State:
    *_, last = random_walk(game.new_initial_state(seed=seed), seed)
    return last


def test_replays_go_through_every_decision_of_a_seat(game: stier.Game) -> None:
    last = played(game, 58)
    found = stier.replay(last.record(), 0, "ismcts:iterations=20", searches=2)
    assert [decision.action for decision in found] == [action for player, action in last.history() if player == 0]
    assert found.end == last
    for decision in found:
        assert decision.truth is None
        assert decision.view.current_player() == 0
        assert (decision.searches == ()) == (len(decision.view.legal_actions()) == 1)
        assert decision.searches == () or decision.best in {search.action for search in decision.searches}
        assert decision.name in decision.verdict()
    assert found.cost == sum(decision.cost or 0 for decision in found)
    assert found[-1] is found[len(found) - 1]
    assert str(found).count("── decision") == len(found)
    assert found.to_html().count("<details") == len(found)


def test_costs_are_gains_by_searches_that_did_not_choose() -> None:
    game = stier.load_game("schwimmen", players=2)
    found = stier.replay(played(game, 63), 0, "ismcts:iterations=200", searches=4)
    priced = [decision for decision in found if decision.cost]
    assert priced
    for decision in priced:
        values = [{one.action: one.value for one in search.actions} for search in decision.searches]
        gains = [
            each[search.action] - each[decision.action]
            for chooser, search in enumerate(decision.searches)
            for judge, each in enumerate(values)
            if judge != chooser
        ]
        assert len(gains) == 12
        assert decision.cost == pytest.approx(np.mean(gains))
    widths = [decision.cost_ci95 or 0 for decision in found]
    assert found.cost_ci95 == pytest.approx(np.sqrt(np.sum(np.square(widths))))


@pytest.mark.parametrize("searches", [3, 5, 10])
@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, -1.0]])
def test_costs_are_unbiased_and_intervals_hold(searches: int, values: list[float]) -> None:
    rng, truth = np.random.default_rng(64), np.array(values)
    choices = (rng.normal(size=(100_000, 4)) + truth).argmax(axis=1)
    expected = truth[choices].mean() - truth[0]
    costs, held, blamed = [], 0, 0
    for _ in range(3000):
        noisy = rng.normal(size=(searches, 4)) + truth
        chosen = noisy.argmax(axis=1)
        tried = [
            [SimpleNamespace(action=i, visits=1, value=one) for i, one in enumerate(row)] for row in noisy.tolist()
        ]
        found: list[Any] = [
            SimpleNamespace(action=one, actions=own) for one, own in zip(chosen.tolist(), tried, strict=True)
        ]
        _, cost, width = judge(found, 0)
        assert cost is not None
        assert width is not None
        costs.append(cost)
        held += abs(cost - expected) <= width
        blamed += cost - width > expected
    assert abs(np.mean(costs) - expected) < 4 * np.std(costs) / np.sqrt(3000)
    assert 0.88 < held / 3000 < 0.98
    assert blamed / 3000 < 0.06


def test_an_agent_judged_by_itself_costs_nothing(schwinget: stier.Game) -> None:
    agent = "ismcts:iterations=50"
    games = stier.pit(schwinget, [agent, agent], deals=30, seed=65).games
    found = [stier.replay(one.record(), number % 2, agent) for number, one in enumerate(games)]
    costs = [one.cost for one in found if one.cost is not None]
    assert len(costs) == 60
    assert abs(np.mean(costs)) < 4 * np.std(costs, ddof=1) / np.sqrt(60)
    # The maximum over the mean values is biased: it would find a cost where there is none.
    naive = [sum(map(highest_mean, one)) for one in found]
    assert np.mean(naive) > 5 * np.std(naive, ddof=1) / np.sqrt(60)


def highest_mean(decision: stier.replays.Decision) -> float:
    values = [{one.action: one.value for one in search.actions} for search in decision.searches]
    means = {action: np.mean([each[action] for each in values]) for action in (values[0] if values else [])}
    return float(max(means.values()) - means[decision.action]) if means else 0.0


def test_few_searches_give_no_verdict(schwinget: stier.Game) -> None:
    last = played(schwinget, 66)
    for searches in [1, 2]:
        found = stier.replay(last, 0, "ismcts:iterations=20", searches=searches)
        searched = [decision for decision in found if decision.searches]
        assert searched
        assert {
            decision.verdict() == f"chose {decision.name} (a verdict needs 3 searches)" for decision in searched
        } == {True}
        assert {decision.cost_ci95 for decision in searched} == {None} == {found.cost_ci95}
        assert {decision.cost is None for decision in searched} == {searches == 1} == {found.cost is None}
        assert "±" not in str(found)
        assert "better" not in str(found)


def test_verdicts_say_what_the_intervals_show(schwinget: stier.Game) -> None:
    found = stier.replay(played(schwinget, 67), 0, "ismcts:iterations=20")
    decision = next(one for one in found if any(search.action != one.action for search in one.searches))
    choices = [search.action for search in decision.searches]
    other = next(action for action in choices if action != decision.action)
    told = dataclasses.replace(decision, best=other, best_name="the other one")
    disagree = f"The searches disagree ({choices.count(other)} of 5: the other one)"
    all_searches = [dataclasses.replace(told, searches=(search,) * 5) for search in decision.searches]
    agreed = next(one for one in all_searches if one.searches[0].action == other)
    for known, cost, width, expected in [
        (told, 0.5, 0.2, f"{disagree}. Their choices are better by 0.500 ± 0.200 on average"),
        (told, 0.5, 0.7, f"{disagree}. No difference shown (+0.500 ± 0.700)"),
        (told, -0.5, 0.2, f"{disagree}. Their choices are worse by 0.500 ± 0.200 on average"),
        (told, None, None, f"{disagree}. {decision.name} has no value: not every search found one"),
        (agreed, 0.5, 0.2, "All 5 searches choose the other one. the other one is better by 0.500 ± 0.200 on average"),
    ]:
        verdict = dataclasses.replace(known, cost=cost, cost_ci95=width).verdict()
        assert verdict == f"chose {decision.name}. {expected}"
    liked = dataclasses.replace(told, best=decision.action)
    assert liked.verdict() == f"chose {decision.name}, like {choices.count(decision.action)} of 5 searches"


def test_the_sum_of_costs_says_what_it_adds_up(schwinget: stier.Game) -> None:
    found = stier.replay(played(schwinget, 67), 0, "ismcts:iterations=20")
    for shown in (str(found), found.to_html()):
        assert "The costs of all choices add up to " in shown
        assert "so the sum can exceed what a game pays." in shown
    assert "add up" not in str(stier.replay(schwinget.new_initial_state(seed=1), 0, "ismcts:iterations=20"))


def test_replays_are_the_same_in_all_worlds_that_the_seat_takes_for_possible(game: stier.Game) -> None:
    states = list(decisions(game, 59))
    state = states[len(states) * 2 // 3]
    replays = [
        stier.replay(world, 0, "ismcts:iterations=20,beliefs=policy,model=greedy,particles=64", tree_depth=2)
        for world in [state, state.resample_from_infostate(0, 4)]
    ]
    for show in [str, stier.replays.Replay.to_html]:
        one, other = (SECONDS.sub("", show(found)) for found in replays)
        assert one == other
    assert [decision.view for decision in replays[0]] == [decision.view for decision in replays[1]]


def test_the_truth_is_shown_only_if_asked_for(schwinget: stier.Game) -> None:
    last = played(schwinget, 60)
    found = stier.replay(last, 1, "ismcts:iterations=20", reveal=True)
    for decision in found:
        assert decision.truth is not None
        assert decision.truth.history() == last.history()[: decision.number]
    assert str(found).count("What was really there:") == len(found)
    assert "really there" not in str(stier.replay(last, 1, "ismcts:iterations=20"))


def test_replays_refuse_who_cannot_be_asked(schwinget: stier.Game) -> None:
    last = played(schwinget, 61)
    for agent, named in [
        ("greedy", "greedy does not search"),
        ("oracle", "an oracle decides by the cards that the seat cannot know"),
        (stier.load_agent("ismcts", stier.load_game("schwimmen")), "the agent was made for schwimmen"),
    ]:
        with pytest.raises(stier.AgentError, match=named):
            stier.replay(last, 0, agent)
    with pytest.raises(ValueError, match="searches must be at least 1, got 0"):
        stier.replay(last, 0, searches=0)
    with pytest.raises(stier.errors.SeatError, match="seats: 0 to 1"):
        stier.replay(last, 2)
    with pytest.raises(stier.errors.RecordError, match="line 1"):
        stier.replay("no record", 0)


def test_the_command_line_replays(schwinget: stier.Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = played(schwinget, 62)
    record, page = tmp_path / "game.txt", tmp_path / "game.html"
    record.write_text(last.record(), encoding="utf-8")
    command = ["replay", str(record), "--seat", "1", "--agent", "ismcts:iterations=20"]
    assert main(command) == 0
    expected = str(stier.replay(last, 1, "ismcts:iterations=20"))
    assert SECONDS.sub("", capsys.readouterr().out) == SECONDS.sub("", f"{expected}\n")
    assert main([*command, "--reveal", "--tree-depth", "2", "--searches", "2", "--html", str(page)]) == 0
    assert capsys.readouterr().out == ""
    text = page.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        parsed(svg)
    assert main(["replay", str(tmp_path / "none.txt")]) == 1
    assert "none.txt" in capsys.readouterr().err


def test_a_widget_goes_through_a_game_as_a_seat_sees_it(game: stier.Game) -> None:
    widget = pytest.importorskip("stier.widget")
    last = played(game, 71)
    table = widget.replay(last.record(), eyes=0)
    own = [event for event in last.history() if event[0] == 0]
    assert len(own) < len(table.frames) <= len(last.history()) + 1
    assert (table.index, table.playable) == (0, False)
    assert table.frames[-1]["seat"] is None
    # It shows the same for every game that the seat cannot tell apart.
    state = list(decisions(game, 59))[-1]
    seat = state.current_player()
    shown = widget.replay(state, eyes=seat).frames
    for seed in range(5):
        assert widget.replay(state.resample_from_infostate(seat, seed), eyes=seat).frames == shown


def test_a_person_plays_in_a_widget(game: stier.Game) -> None:
    widget = pytest.importorskip("stier.widget")
    table = widget.play(game, "random", seat=1, seed=3)
    again = widget.play(game, "random", seat=1, seed=3)
    for one in (table, again):
        while not one.state.is_terminal():
            assert one.state.current_player() == one.frames[-1]["seat"] == 1
            one._chosen(None, {"move": 1000}, None)
            before = len(one.frames)
            one._chosen(None, {"move": one.frames[-1]["legal"][0]["id"]}, None)
            assert len(one.frames) > before
            assert one.index == len(one.frames) - 1
    assert table.frames == again.frames
    with pytest.raises(stier.errors.SeatError):
        widget.play(game, "random", seat=9)


def test_solved_endings_have_probabilities_without_values() -> None:
    """In a solved ending, tables and pictures show probabilities alone."""
    schwinget = stier.load_game("schwinget")
    agent = stier.load_agent("network:choose=sample,endings=ranges,range_cut=0,ending_iterations=5", schwinget)
    found = [agent.search(state) for state in decisions(schwinget, 3) if len(state.legal_actions()) > 1]
    solved = [one for one in found if all(isnan(stats.value) for stats in one.actions)]
    assert 0 < len(solved) < len(found)
    for one in solved:
        table, texts = str(one), {element.text for element in parsed(one.to_svg()).iter(f"{SVG}text")}
        assert "nan" not in table + terminal.search(one)
        assert "no value" in texts
        for stats in one.actions:
            assert f"{stats.probability:.3f}" in table
            assert f"{stats.probability:.1%}" in texts
        likeliest = max(one.actions, key=lambda stats: stats.probability)
        assert table.splitlines()[2].startswith(likeliest.name)
