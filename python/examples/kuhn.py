"""Kuhn poker in Python: `stier.register_game(Kuhn)`, then `stier.load_game("kuhn", players=3)`."""

from typing import Literal, NamedTuple

import stier

PASS, BET = 0, 1


class State(NamedTuple):
    cards: tuple[int, ...] = ()  # one for each player, once they are dealt
    actions: tuple[int, ...] = ()


class Kuhn:
    """One card each and one bet of 1. The deck has one card more than there are players. The highest card wins.

    players: The number of players.
    """

    name = "kuhn"
    num_actions = 2
    utility_sum = 0.0

    def __init__(self, players: Literal[2, 3] = 2) -> None:
        self.num_players, self.num_outcomes = players, players + 1
        self.cards = list("JQKA"[: players + 1])
        self.max_decisions = 2 * players - 1
        self.utility_range = (-2.0, 2.0 * (players - 1))

    def initial_state(self) -> State:
        return State()

    def current_player(self, state: State) -> int:
        if len(state.cards) < self.num_players:
            return stier.CHANCE
        first_bet = state.actions.index(BET) if BET in state.actions else 0
        is_over = len(state.actions) == first_bet + self.num_players
        return stier.TERMINAL if is_over else len(state.actions) % self.num_players

    def legal_actions(self, state: State) -> list[int]:
        return [PASS, BET]

    def chance_outcomes(self, state: State) -> list[tuple[int, float]]:
        deck = [card for card in range(self.num_outcomes) if card not in state.cards]
        return [(card, 1 / len(deck)) for card in deck]

    def apply(self, state: State, action: int) -> State:
        if len(state.cards) < self.num_players:
            return state._replace(cards=(*state.cards, action))
        return state._replace(actions=(*state.actions, action))

    def returns(self, state: State) -> list[float]:
        players = range(self.num_players)
        bets = [BET in state.actions[player :: self.num_players] for player in players]
        paid = [2.0 if bet else 1.0 for bet in bets]
        winner = max((bets[player] or not any(bets), state.cards[player], player) for player in players)[2]
        return [sum(paid) - paid[player] if player == winner else -paid[player] for player in players]

    def observation(self, state: State, player: int | None) -> tuple:
        own_card = () if player is None else state.cards[player : player + 1]
        return own_card, state.actions  # a spectator (None) sees the actions alone

    def facts(self, state: State, player: int | None) -> dict[str, object]:
        return {"actions": [self.action_name(action) for action in state.actions]}

    def hand(self, state: State, player: int) -> list[str]:
        return [self.outcome_name(card) for card in state.cards[player : player + 1]]

    def action_name(self, action: int) -> str:
        return ["pass", "bet"][action]

    def outcome_name(self, outcome: int) -> str:
        return self.cards[outcome]


if __name__ == "__main__":
    print(stier.check_game(Kuhn))
    print(stier.solve(Kuhn).values)
