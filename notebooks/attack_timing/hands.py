"""The counts of the player on lead in Schwinget before an attack, and the parts of a return."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from stier import Game, State

REFEREE, COUNTER = "KR", "BK"
#: The parts of the return of a bout: by tricks, added by a flat throw of one's own, lost by one of the opponent's, and
#: the consolation points.
PARTS = ("result", "flat_throw", "opponents_flat_throw", "consolation")
#: The columns that `count` needs.
COUNTED = ("has_trump", "trumps", "boss_trumps", "longest_plain", "referee")

#: By the points of the winner, and the points between the players if the same bout had no flat throw.
FLAT_THROWS = {"points": ((7, 5), 3.0), "schwinger": ((10,), 1.0)}


def count(hand: Any) -> Any:
    """Returns the count of the rule of thumb, of a hand or of a table of hands; it needs a trump suit."""
    return 2 * hand["trumps"] + hand["longest_plain"] + hand["referee"] - hand["boss_trumps"]


class Deck:
    """The cards of a game of Schwinget."""

    def __init__(self, game: Game) -> None:
        self.rules = game.rules()
        self.attack = game.string_to_action("attack")
        self.cards = frozenset(game.card_faces())
        self.suit = {card: card[0] for card in self.cards - {REFEREE, COUNTER}}
        trumps = {None, *self.suit.values()}
        self.winners = {(trump, led): self._winners(trump, led) for trump, led in product(trumps, self.cards)}

    def _winners(self, trump: str | None, led: str) -> frozenset[str]:
        """Returns the replies that win the trick. Any card wins against the referee, as in the last trick."""
        highest = str(self.rules["values"])

        def wins(reply: str) -> bool:
            if REFEREE in (led, reply):
                return led == REFEREE
            if COUNTER in (led, reply):
                return (reply[1] != highest) if led == COUNTER else (led[1] == highest)
            return reply > led if reply[0] == led[0] else reply[0] == trump

        return frozenset(reply for reply in self.cards - {led} if wins(reply))

    def circumstances(self, state: State, opener: int) -> dict[str, float]:
        """Returns what the player on lead knows: counts of its hand, of tricks, and of the match.

        ``boss_trumps`` are trumps that no unseen trump beats, and ``strength`` is the share of the unseen cards that do
        not beat a card if it is led, on average over the hand.
        """
        facts, hand, me = state.facts(), state.hand(), state.current_player()
        played = [card for cards in facts["played"] for card in cards]
        unseen, trump = self.cards - {*hand, *played, facts["turned_up"]}, facts["trump"]
        suits = [self.suit[card] for card in hand if card in self.suit]
        plain = [suit for suit in suits if suit != trump]
        trumps = [card for card in hand if card in self.suit and self.suit[card] == trump]
        highest = max((card for card in unseen if card in self.suit and self.suit[card] == trump), default="")
        beaten = sum(len(unseen & self.winners[trump, card]) for card in hand)
        own, other = facts["tricks"][me], facts["tricks"][1 - me]
        found = {
            "tricks": len(played) // 2,
            "opened": opener == me,
            "lead": own - other,
            "neutral": facts["neutral_trick"],
            "has_trump": trump is not None,
            "trumps": len(trumps),
            "boss_trumps": sum(card > highest for card in trumps),
            "plain_suits": len(set(plain)),
            "longest_plain": max(map(plain.count, plain), default=0),
            "referee": REFEREE in hand,
            "counter": COUNTER in hand,
            "strength": 1 - beaten / max(1, len(unseen) * len(hand)),
            "score_lead": facts["scores"][me] - facts["scores"][1 - me],
            "bouts_left": self.rules["bouts"] - facts["bout"],
        }
        return {name: float(value) for name, value in found.items()}

    def rule_attacks(self, hand: Mapping[str, float]) -> bool:
        """Returns true if the rule of thumb attacks with a hand, given its circumstances."""
        return not hand["has_trump"] or count(hand) >= self.rules["hand_size"] - 1

    def parts_of_return(self, end: State, seat: int) -> dict[str, float]:
        """Returns the `PARTS` of a seat's return, which they add up to; nothing if it is not that of a single bout."""
        if self.rules["bouts"] > 1 or self.rules["utility"] != "margin":
            return {}
        facts = end.facts(seat)
        (own, other), (took, lost) = ((facts[name][seat], facts[name][1 - seat]) for name in ("scores", "tricks"))
        throws, without = FLAT_THROWS[self.rules["scoring"]]
        consolation = 0.0
        if self.rules["scoring"] == "points" and own != other:
            consolation = float(own if own < other else -other)
        margin = own - other - consolation
        thrown = max(own, other) in throws
        result = without * ((took > lost) - (took < lost)) if thrown else margin
        mine, theirs = (margin - result, 0.0) if own > other else (0.0, margin - result)
        return dict(zip(PARTS, (result, mine, theirs, consolation), strict=True))
