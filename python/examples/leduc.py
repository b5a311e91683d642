"""Leduc poker in Python: a card each and one for both, two rounds of betting.

Run this file, or `stier.register_game(Leduc)` and then `stier.load_game("leduc")`.
"""

from typing import NamedTuple

import stier

FOLD, CALL, RAISE = 0, 1, 2


class State(NamedTuple):
    cards: tuple[int, ...] = ()  # of player 0, of player 1 and of both, once they are dealt
    bets: tuple[tuple[int, ...], ...] = ((), ())  # of each round
    paid: tuple[int, ...] = (1, 1)


def has_ended(bets: tuple[int, ...]) -> bool:
    return bets[-1:] == (FOLD,) or (bets[-1:] == (CALL,) and len(bets) > 1)


class Leduc:
    """Jacks are cards 0 and 1, queens 2 and 3, kings 4 and 5. A pair with the public card beats all other cards."""

    name = "leduc"
    num_players = 2
    num_actions = 3
    num_outcomes = 6
    max_decisions = 8
    utility_range = (-13.0, 13.0)
    utility_sum = 0.0

    def initial_state(self) -> State:
        return State()

    def current_player(self, state: State) -> int:
        second_round = has_ended(state.bets[0])
        if FOLD in state.bets[0] or has_ended(state.bets[1]):
            return stier.TERMINAL
        return stier.CHANCE if len(state.cards) < 2 + second_round else len(state.bets[second_round]) % 2

    def legal_actions(self, state: State) -> list[int]:
        bets = state.bets[has_ended(state.bets[0])]
        legal = {FOLD: bets[-1:] == (RAISE,), CALL: True, RAISE: bets.count(RAISE) < 2}
        return [action for action in legal if legal[action]]

    def chance_outcomes(self, state: State) -> list[tuple[int, float]]:
        deck = [card for card in range(6) if card not in state.cards]
        return [(card, 1 / len(deck)) for card in deck]

    def apply(self, state: State, action: int) -> State:
        player, second_round = self.current_player(state), has_ended(state.bets[0])
        if player == stier.CHANCE:
            return state._replace(cards=(*state.cards, action))
        bets, paid = list(state.bets), list(state.paid)
        bets[second_round] += (action,)
        if action != FOLD:  # a raise adds 2 to what the other player has paid, in the second round 4
            paid[player] = paid[1 - player] + (action == RAISE) * (4 if second_round else 2)
        return State(state.cards, tuple(bets), tuple(paid))

    def returns(self, state: State) -> list[float]:
        bets = state.bets[1] or state.bets[0]
        first, second = (10 if card // 2 == state.cards[-1] // 2 else card // 2 for card in state.cards[:2])
        second_wins = len(bets) % 2 if bets[-1] == FOLD else second > first
        if bets[-1] != FOLD and first == second:
            return [0, 0]
        return [-state.paid[0], state.paid[0]] if second_wins else [state.paid[1], -state.paid[1]]

    def observation(self, state: State, player: int | None) -> tuple:
        own_card = () if player is None else state.cards[:2][player : player + 1]
        return own_card, state.cards[2:], state.bets

    def action_name(self, action: int) -> str:
        return ["fold", "call", "raise"][action]


if __name__ == "__main__":
    print(stier.check_game(Leduc))
