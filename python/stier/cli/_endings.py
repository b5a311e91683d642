"""The reason for which a game ended as it did, in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from stier._native import State
from stier._output import counted, in_words
from stier.playing import replayed


def why(state: State, seat: int) -> str:
    """Returns the reason for the result of a finished game, told to the seat; nothing for games that others wrote."""
    tell = _ENDINGS.get(state.get_game().short_name())
    if tell is None:
        return ""
    words = tell(state, seat)
    return words[0].upper() + words[1:]


def called(player: int, seat: int) -> str:
    return "you" if player == seat else f"seat {player}"


def _whose(player: int, seat: int) -> str:
    return "your" if player == seat else f"seat {player}'s"


def _all(players: Iterable[int], seat: int) -> str:
    return in_words(called(player, seat) for player in players)


def _by_seat(values: list[float], seat: int) -> str:
    return ", ".join(f"{called(player, seat)} {value:g}" for player, value in enumerate(values))


def _most(fact: str, verb: str, thing: str) -> Callable[[State, int], str]:
    """An ending in which the highest of the values of a fact wins."""

    def tell(state: State, seat: int) -> str:
        values = state.facts(seat)[fact]
        best = [player for player, value in enumerate(values) if value == max(values)]
        return f"{_all(best, seat)} {verb} the most {thing}: {_by_seat(values, seat)}."

    return tell


def _schwinget(state: State, seat: int) -> str:
    if int(state.get_game().rules()["bouts"]) > 1:
        return _most("scores", "scored", "points in all bouts")(state, seat)
    facts = state.facts(seat)
    tricks, scores, attacker = facts["tricks"], facts["scores"], facts["attacker"]
    winner, loser = (0, 1) if scores[0] > scores[1] else (1, 0)
    then = _at_the_attack(state).facts(seat)
    attacked, trick = "nobody attacked", sum(map(len, then["played"])) // 2 + 1
    if attacker is not None:
        attacked = f"{called(attacker, seat)} attacked before trick {trick}"
    if scores[0] == scores[1]:
        return f"{attacked}, and both players collected {tricks[0]} tricks: {_points(scores[0])} each."
    fewer = f"{_points(scores[loser])} for {called(loser, seat)}{_consolation(state, scores[loser])}"
    if attacker is not None and tricks[loser] == then["tricks"][loser]:
        whose = "the attacker's" if winner == attacker else "the other player's"
        throw = f"won every trick from then on, {whose} flat throw: {_points(scores[winner])}, {fewer}"
        return f"{attacked}, and {called(winner, seat)} {throw}."
    when = "without" if attacker is None else "after"
    more = f"{_points(scores[winner])} for more tricks {when} an attack, {fewer}"
    return f"{attacked}, and {called(winner, seat)} collected {tricks[winner]} tricks of {sum(tricks)}: {more}."


def _points(score: float) -> str:
    return counted(f"{score:g}", "point")


def _consolation(state: State, score: float) -> str:
    """The reason for the points of a player who has lost a bout, where it has one of its own."""
    rules = state.get_game().rules()
    needed = int(rules["consolation_tricks"])
    if rules["scoring"] != "points" or needed == 0:
        return ""
    return f" with {'at least' if score else 'fewer than'} {counted(needed, 'trick')}"


def _at_the_attack(state: State) -> State:
    """The state in which a player attacked; the last one if nobody did."""
    attacks = (then for then, *event in replayed(state) if state.action_to_string(*event) == "attack")
    return next(attacks, state)


def _up_and_down(state: State, seat: int) -> str:
    pot = state.facts(seat)["pot"]
    left = f" Nobody got the {pot} in the pot." if pot else ""
    return _most("scores", "collected", "tricks")(state, seat) + left


def _schwimmen(state: State, seat: int) -> str:
    facts, returns = state.facts(seat), state.returns().tolist()
    if facts["lives"] is not None:
        best = [player for player, value in enumerate(returns) if value == max(returns)]
        return f"{_all(best, seat)} lasted longest, to deal {facts['deal']}."
    worth, loser = facts["worth"], returns.index(min(returns))
    knocker = facts["knocker"]
    begin = "" if knocker is None else f"{called(knocker, seat)} knocked, and "
    lowest = [player for player, value in enumerate(worth) if value == min(worth)]
    hands = _by_seat(worth, seat)
    if state.get_game().rules()["utility"] == "win":
        highest = [player for player, value in enumerate(worth) if value == max(worth)]
        return f"{begin}{_all(highest, seat)} had the hand worth most: {hands}."
    if len(lowest) == 1:
        return f"{begin}{_whose(loser, seat)} hand was worth least: {hands}."
    cut = ", ".join(f"{called(player, seat)} {facts['cut'][player]}" for player in lowest)
    return f"{begin}{_all(lowest, seat)} shared the lowest hand ({hands}); the lowest cut lost: {cut}."


def _kuhn_poker(state: State, seat: int) -> str:
    bet = {player for player, action in state.history() if player >= 0 and state.action_to_string(action) == "bet"}
    if len(bet) == 1:
        return f"{_all(bet, seat)} bet, and nobody paid to see the card."
    return _cards(state, seat, sorted(bet) or range(state.num_players()))


def _leduc_poker(state: State, seat: int) -> str:
    player, action = state.history()[-1]
    if player >= 0 and state.action_to_string(player, action) == "fold":
        return f"{called(player, seat)} folded."
    public = state.facts(seat)["public_card"]
    return f"{_cards(state, seat, range(2))[:-1]}, with {public} on the table."


def _cards(state: State, seat: int, players: Iterable[int]) -> str:
    cards = ", ".join(f"{_whose(player, seat)} {state.hand(player)[0]}" for player in players)
    winners = [player for player, value in enumerate(state.returns().tolist()) if value > 0]
    best = f"{_all(winners, seat)} had the best card" if winners else "the cards are worth the same"
    return f"{best}: {cards}."


def _liars_dice(state: State, seat: int) -> str:
    *_, bid, _ = state.facts(seat)["bids"]
    quantity, face = map(int, bid.split("x"))
    dice = [sum(counts) for counts in zip(*(state.facts(player)["own_dice"] for player in range(2)), strict=True)]
    wild = len(dice)
    count = dice[face - 1] + (dice[-1] if face != wild else 0)
    caller = state.history()[-1][0]
    verdict = "true" if count >= quantity else "false"
    also = "" if face == wild else f" or the wild {wild}"
    dice_show = "1 die shows" if count == 1 else f"{count} dice show"
    return f"{called(caller, seat)} doubted {bid}, which was {verdict}: {dice_show} {face}{also}."


def _dark_hex(state: State, seat: int) -> str:
    facts = state.facts(seat)
    return f"{called(facts['winner'], seat)} connected {facts['goal'][facts['winner']]}."


_ENDINGS: dict[str, Callable[[State, int], str]] = {
    "dark_hex": _dark_hex,
    "goofspiel": _most("points", "won", "points"),
    "kuhn_poker": _kuhn_poker,
    "leduc_poker": _leduc_poker,
    "liars_dice": _liars_dice,
    "schweins_galopp": _most("banked", "banked", "food"),
    "schwimmen": _schwimmen,
    "schwinget": _schwinget,
    "up_and_down": _up_and_down,
}
