"""A trick-taking game in Python: `stier.register_game(Trumps)`, then `stier.load_game("trumps", hand_size=3)`."""

from typing import Literal, NamedTuple

import stier


class State(NamedTuple):
    hands: tuple[frozenset[int], ...] = (frozenset(), frozenset())
    played: tuple[int, ...] = ()  # all cards in order, two to a trick
    player: int = stier.CHANCE  # whose turn it is
    lead: int = 0  # the tricks of player 0 less those of player 1


class Trumps:
    """Two players follow suit if they can, and the last suit is trumps. The winner of a trick leads to the next one.

    hand_size: Cards in a hand, and suits of three cards in the deck. The return is the tricks won less those lost.
    """

    name = "trumps"
    num_players = 2
    utility_sum = 0.0

    def __init__(self, hand_size: Literal[2, 3, 4] = 2) -> None:
        self.hand_size = hand_size
        self.cards = [suit + rank for suit in "CDHS"[:hand_size] for rank in "QKA"]
        self.num_actions = self.num_outcomes = len(self.cards)
        self.max_decisions = 2 * hand_size
        self.utility_range = (-hand_size, hand_size)

    def initial_state(self) -> State:
        return State()

    def current_player(self, state: State) -> int:
        return state.player

    def legal_actions(self, state: State) -> list[int]:
        hand = sorted(state.hands[state.player])
        led = state.played[-1] // 3 if len(state.played) % 2 else None
        return [card for card in hand if card // 3 == led] or hand

    def chance_outcomes(self, state: State) -> list[tuple[int, float]]:
        deck = sorted(set(range(self.num_outcomes)) - state.hands[0] - state.hands[1])
        return [(card, 1 / len(deck)) for card in deck]

    def apply(self, state: State, card: int) -> State:
        first, second = state.hands
        if state.player == stier.CHANCE:
            hands = (first | {card}, second) if len(first) < self.hand_size else (first, second | {card})
            return state._replace(hands=hands, player=0 if len(hands[1]) == self.hand_size else stier.CHANCE)
        hands, played = (first - {card}, second - {card}), (*state.played, card)
        if len(played) % 2:
            return State(hands, played, 1 - state.player, state.lead)
        is_beaten = card > played[-2] and card // 3 in (played[-2] // 3, self.hand_size - 1)
        winner = state.player if is_beaten else 1 - state.player
        return State(hands, played, winner if any(hands) else stier.TERMINAL, state.lead + 1 - 2 * winner)

    def returns(self, state: State) -> list[float]:
        return [state.lead, -state.lead]

    def observation(self, state: State, player: int | None) -> tuple:
        is_hidden = player is None or state.player == stier.CHANCE  # the order of dealing must not be known
        return None if is_hidden else state.hands[player], state.played

    def facts(self, state: State, player: int | None) -> dict[str, object]:
        return {"trumps": self.cards[-1][0], "table": [self.cards[card] for card in state.played[-2:]]}

    def hand(self, state: State, player: int) -> list[str]:
        return [self.cards[card] for card in sorted(self.observation(state, player)[0] or ())]

    def action_name(self, card: int) -> str:
        return self.cards[card]

    outcome_name = action_name


if __name__ == "__main__":
    print(stier.check_game(Trumps))
