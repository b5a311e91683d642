"""Games: names, rules, numbers, notation."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import stier


def test_names_are_sorted_and_load() -> None:
    names = stier.registered_names()
    assert "schwinget" in names
    assert names == sorted(names)
    assert [stier.load_game(name).short_name() for name in names] == names


def test_rules_are_every_option_and_load_the_same_game(game: stier.Game) -> None:
    rules = game.rules()
    assert list(rules) == [option.name for option in stier.catalogue.describe_game(game.short_name())]
    again = stier.load_game(game.short_name(), **rules)
    assert again == game
    assert hash(again) == hash(game)
    assert again.rules() == rules


def test_games_say_whether_players_choose_at_once() -> None:
    simultaneous = [name for name in stier.registered_names() if stier.load_game(name).is_simultaneous()]
    assert simultaneous == ["goofspiel", "up_and_down"]


def test_options_have_their_types() -> None:
    rules = stier.load_game("schwinget", scoring="schwinger", bouts=4).rules()
    assert rules["scoring"] == "schwinger"
    assert rules["bouts"] == 4
    assert type(rules["bouts"]) is int
    assert rules["referee"] == "on"


@pytest.mark.parametrize(
    "same",
    [
        lambda: stier.load_game("schwinget", scoring="schwinger", bouts=4),
        lambda: stier.load_game("schwinget", bouts="4", scoring="schwinger"),
        lambda: stier.load_game("schwinget", bouts=np.int64(4), scoring=np.str_("schwinger"), referee=True),
        lambda: stier.load_game("schwinget:scoring=schwinger,bouts=4"),
        lambda: stier.load_game("schwinget:scoring=schwinger", bouts=4),
        lambda: stier.load_game("schwinget(scoring=schwinger,bouts=4)"),
        lambda: stier.load_game(" schwinget ( bouts=4 , scoring=schwinger )"),
        lambda: stier.load_game("schwinget:scoring=schwinger,bouts=4,referee=on"),
    ],
)
def test_ways_to_write_the_same_game(same) -> None:
    assert str(same()) == "schwinget:scoring=schwinger,bouts=4"


def test_default_rules_need_no_text() -> None:
    for text in ["schwinget", "schwinget:", "schwinget()"]:
        assert stier.load_game(text) == stier.load_game("schwinget")


def test_switches_take_bools() -> None:
    assert stier.load_game("schwinget", counter=False, referee=False).rules()["counter"] == "off"
    assert stier.load_game("schwinget", counter=True) == stier.load_game("schwinget")


@pytest.mark.parametrize(
    ("name", "options", "named"),
    [
        ("jass", {}, ["unknown game 'jass'", "schwinget"]),
        ("", {}, ["unknown game ''", "schwinget"]),
        ("schwinget", {"scorin": "points"}, ["no option 'scorin'", "scoring", "bouts"]),
        ("schwinget", {"scoring": "jass"}, ["schwinget: scoring must be points or schwinger, got 'jass'"]),
        ("schwinget", {"scoring": ""}, ["scoring must be points or schwinger, got ''"]),
        ("schwinget", {"bouts": 0}, ["bouts must be between 1 and 12, got 0"]),
        ("schwinget", {"bouts": -1}, ["got -1", "between 1 and 12"]),
        ("schwinget", {"bouts": 10**30}, [str(10**30), "between 1 and 12"]),
        ("schwinget", {"bouts": 2.5}, ["got 2.5", "between 1 and 12"]),
        ("schwinget", {"bouts": True}, ["'on'", "between 1 and 12"]),
        ("schwinget", {"scoring": "points,bouts=4"}, ["'scoring' must not contain ',' or '=', got 'points,bouts=4'"]),
        ("schwinget", {"scoring=points,bouts": 4}, ["must not contain ',' or '='"]),
        ("schwinget:bouts=4", {"bouts": 4}, ["'bouts' is given twice"]),
        ("schwinget:bouts", {}, ["name=value", "bouts"]),
        ("schwinget(bouts=4", {}, ["unknown game", "schwinget"]),
        ("schwinget", {"set_aside": 3}, ["pile of 13", "even"]),
        ("schwinget", {"suits": 1}, ["more than the 8 cards"]),
    ],
)
def test_what_is_no_game_is_refused_with_what_there_is(name, options, named) -> None:
    with pytest.raises(stier.RulesError) as caught:
        stier.load_game(name, **options)
    assert isinstance(caught.value, ValueError)
    for part in named:
        assert part in str(caught.value)


@pytest.mark.parametrize("value", [None, [4], {"a": 1}, object()])
def test_options_of_other_types_are_refused(value) -> None:
    with pytest.raises(TypeError, match="option 'bouts' must be a string, a number, a bool or a path"):
        stier.load_game("schwinget", bouts=value)


def test_numbers_fit_together(game: stier.Game) -> None:
    assert 2 <= game.num_players() <= 5
    assert game.num_distinct_actions() > 0
    assert game.max_game_length() > 0
    chance = game.short_name() not in ("dark_hex", "goofspiel")
    assert (game.max_chance_outcomes() > 0) == chance
    assert (game.max_chance_nodes_in_history() > 0) == chance
    assert game.min_utility() < game.max_utility()
    total = game.utility_sum()
    assert total is None or game.min_utility() <= total / game.num_players() <= game.max_utility()


def test_utility_sum_is_none_where_it_is_not_constant() -> None:
    assert stier.load_game("schwinget").utility_sum() == 0
    assert stier.load_game("schwinget", utility="score").utility_sum() is None


def test_tensor_shapes_are_those_of_the_layouts(game: stier.Game) -> None:
    for shape, layout in [
        (game.observation_tensor_shape(), game.observation_tensor_layout()),
        (game.information_state_tensor_shape(), game.information_state_tensor_layout()),
    ]:
        assert shape == [sum(int(np.prod(part)) for _, part in layout)]
        names = [name for name, _ in layout]
        assert len(set(names)) == len(names)


def test_every_action_has_one_name(game: stier.Game) -> None:
    actions = range(game.num_distinct_actions())
    names = [game.action_to_string(0, action) for action in actions]
    assert len(set(names)) == len(names)
    assert [game.string_to_action(name) for name in names] == list(actions)
    assert game.action_to_string(game.num_players() - 1, np.uint8(0)) == names[0]


def test_every_outcome_has_one_name(game: stier.Game) -> None:
    names = {game.action_to_string(stier.CHANCE, outcome) for outcome in range(game.max_chance_outcomes())}
    assert len(names) == game.max_chance_outcomes()


def test_notation_of_schwinget(schwinget: stier.Game) -> None:
    assert [schwinget.string_to_action(name) for name in ["G1", "Y6", "KR", "BK", "attack"]] == [0, 23, 24, 25, 26]
    assert schwinget.action_to_string(1, 28) == "lead:opponent"
    assert schwinget.action_to_string(stier.CHANCE, 24) == "KR"


@pytest.mark.parametrize("action", [-1, 29, 256, 300, 10**30])
def test_actions_that_the_game_does_not_have(schwinget: stier.Game, action: int) -> None:
    with pytest.raises(stier.IllegalActionError, match=f"no action {action}: schwinget has actions 0 to 28"):
        schwinget.action_to_string(0, action)
    with pytest.raises(stier.IllegalActionError, match="outcomes 0 to 25"):
        schwinget.action_to_string(stier.CHANCE, action)


def test_names_that_the_game_does_not_have(schwinget: stier.Game) -> None:
    with pytest.raises(
        stier.IllegalActionError, match="'G7' is not a valid action of schwinget; expected one of G1 G2"
    ):
        schwinget.string_to_action("G7")


@pytest.mark.parametrize("player", [-2, 2, 255, 256, 10**30, -(10**30)])
def test_players_that_the_game_does_not_have(schwinget: stier.Game, player: int) -> None:
    with pytest.raises(stier.errors.SeatError, match="seats: 0 to 1") as caught:
        schwinget.action_to_string(player, 0)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, RuntimeError)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_out_of_range(schwinget: stier.Game, seed: int) -> None:
    with pytest.raises(ValueError, match=r"seed must be between 0 and 18446744073709551615"):
        schwinget.new_initial_state(seed=seed)


def test_seeds_at_the_bounds(schwinget: stier.Game) -> None:
    states = {schwinget.new_initial_state(seed=seed) for seed in [0, np.uint64(2**64 - 1), 2**63]}
    assert len(states) == 3
    with pytest.raises(TypeError):
        schwinget.new_initial_state(seed=1.5)


def test_equality_hash_repr(game: stier.Game) -> None:
    assert eval(repr(game)) == game
    assert stier.load_game(str(game)) == game
    assert pickle.loads(pickle.dumps(game)) == game
    assert copy.deepcopy(game) == game
    assert game != str(game)
    assert game != stier.load_game("schwinget", bouts=9)
    assert len({game, stier.load_game(str(game)), stier.load_game("schwinget", bouts=9)}) == 2


def test_descriptions_name_defaults_and_values() -> None:
    options = {option.name: option for option in stier.catalogue.describe_game("schwinget")}
    assert options["bouts"].default == 1
    assert options["bouts"].allowed == "1 to 12"
    assert options["scoring"].allowed == "points | schwinger"
    with pytest.raises(stier.RulesError, match="schwinget"):
        stier.catalogue.describe_game("jass")


def test_every_option_is_explained() -> None:
    for name in stier.registered_names():
        for option in stier.catalogue.describe_game(name):
            assert option.description
            assert stier.load_game(name, **{option.name: option.default}) == stier.load_game(name)


def test_everything_public_is_documented() -> None:
    for name in stier.__all__:
        thing = getattr(stier, name)
        if name in ("CHANCE", "TERMINAL", "__version__"):
            continue
        assert thing.__doc__, name
        if isinstance(thing, type):
            for member in vars(thing):
                if not member.startswith("_") and member not in ("count", "index"):
                    assert getattr(thing, member).__doc__, f"{name}.{member}"
