"""The goal of a game and its stakes, under the rules that are played, in a sentence or two."""

from __future__ import annotations

from collections.abc import Callable

from stier._native import Game, State
from stier._output import counted


def goal(state: State, seat: int) -> str:
    """Returns the goal of the seat at the start of a game; nothing for games that others wrote."""
    tell = _GOALS.get(state.get_game().short_name())
    return "" if tell is None else tell(state, seat)


def _rules(game: Game) -> dict[str, str]:
    return {name: str(value) for name, value in game.rules().items()}


def _gets(game: Game, things: str) -> str:
    """The return of a player, from the final scores."""
    seats, utility = game.num_players(), game.rules()["utility"]
    if utility == "score":
        return f"You get your {things}."
    if utility == "margin":
        less = "the opponent's" if seats == 2 else "the others' average"
        return f"You get your {things} less {less}."
    if seats == 2:
        return "You get 1 for winning, 0 for a draw, -1 for losing."
    return f"You get 1 for first place, {-1 / (seats - 1):.2g} otherwise."


def _dark_hex(state: State, seat: int) -> str:
    goals = state.facts(seat)["goal"]
    again = "choose again" if _rules(state.get_game())["obstruction"] == "classical" else "lose your turn"
    rest = f"if the opponent connects {goals[1 - seat]} first, -1. On a stone of the opponent you {again}."
    return f"Connect {goals[seat]} with stones: +1; {rest}"


def _goofspiel(state: State, _: int) -> str:
    how = "Win prizes worth more points than the opponent's; the higher card wins one."
    return f"{how} {_gets(state.get_game(), 'points')}"


def _kuhn_poker(_: State, __: int) -> str:
    costs = "Everybody has paid 1 chip; to bet costs 1 more."
    return f"The highest card wins the pot, or the only player who has bet. {costs}"


def _leduc_poker(_: State, __: int) -> str:
    costs = "Both players have paid 1 chip; a raise costs 2 more, or 4 after the public card."
    return f"A pair with the public card wins the pot, otherwise the higher rank. {costs}"


def _liars_dice(state: State, _: int) -> str:
    rules = _rules(state.get_game())
    dice = "1 die" if rules["dice"] == "1" else f"{rules['dice']} dice"
    rest = f"Each player has {dice}, and {rules['sides']} counts as every face."
    return f"Be right about the last bid: +1, otherwise -1. {rest}"


def _schweins_galopp(state: State, _: int) -> str:
    game = state.get_game()
    food = "moving a pig into first place takes it, doing so with your last card banks it"
    return f"Bank food in {counted(_rules(game)['rounds'], 'round')}: {food}. {_gets(game, 'food')}"


def _schwimmen(state: State, _: int) -> str:
    game = state.get_game()
    rules, wins = _rules(game), game.rules()["utility"] == "win"
    if rules["play"] == "deal":
        if wins:
            return f"Hold the highest hand. {_gets(game, 'points')}"
        return "Do not hold the lowest hand: the loser gets -1, and the others share 1."
    gets = _gets(game, "lives") if wins else f"The last player left wins {3 * max(1, game.num_players() - 2)}."
    return f"Do not hold the lowest hand: it costs a stake, and after your third, the next loss is the end. {gets}"


def _schwinget(state: State, _: int) -> str:
    game = state.get_game()
    rules = _rules(game)
    if rules["scoring"] == "points":
        tricks = "2 points, 3 after an attack"
        throw = "A flat throw, every trick after the attack, is 7 for the attacker and 5 for the other"
        needed = int(rules["consolation_tricks"])
        least = f", and a loss with {counted(needed, 'trick')} or more," if needed else ""
        throw += f". A draw{least} is 1"
    else:
        tricks = "9.75 points"
        throw = "A flat throw, every trick after an attack, is 10. A loss is 8.5 to 8.75, a draw 9"
    parts = [f"Win more tricks: {tricks}", throw]
    if rules["bouts"] != "1":
        parts.insert(0, f"Score the most points in {rules['bouts']} bouts")
    return ". ".join([*parts, _gets(game, "points")])


def _up_and_down(state: State, _: int) -> str:
    game = state.get_game()
    rest = f"cards of your own suit or the trump value can win, equal values cancel. {_gets(game, 'tricks')}"
    return f"Collect the most tricks in {counted(_rules(game)['rounds'], 'round')}: {rest}"


_GOALS: dict[str, Callable[[State, int], str]] = {
    "dark_hex": _dark_hex,
    "goofspiel": _goofspiel,
    "kuhn_poker": _kuhn_poker,
    "leduc_poker": _leduc_poker,
    "liars_dice": _liars_dice,
    "schweins_galopp": _schweins_galopp,
    "schwimmen": _schwimmen,
    "schwinget": _schwinget,
    "up_and_down": _up_and_down,
}
