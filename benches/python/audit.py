"""Leak checks of the card games of OpenSpiel, PettingZoo and RLCard: writes AUDIT.md, audit.csv and audit.png.

Every game has a file of its own under out/audit. A run that was interrupted goes on with the games that have none, or
one by other options, versions or programs, or one with an error.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import importlib
import io
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from charts import draw, illustrated
from pettingzoo.utils import BaseWrapper

import stier
import stier.leaks
from stier import experiments
from stier._files import write_text

ROOT = Path(__file__).parents[2]
PARTS = ROOT / "out" / "audit"

#: Candidates for every world of an environment, and the actions after which a game ends early: replaying is quadratic.
TRIES, ACTIONS = 8, 120

#: Cases in which a view of RLCard is that of a seat that is not to move.
IDLE = ", not to move"


class RejectedError(Exception):
    """A candidate in which a recorded action is illegal, or that the player can tell apart from the truth."""


# ---- Environments that can be replayed with other cards


class Stacked(np.random.RandomState):
    """The numbers of another generator; the first deck that is shuffled gets another order on top."""

    def __init__(self, rng: np.random.RandomState, order: list[int] | None) -> None:
        super().__init__()
        self.set_state(rng.get_state())
        self.order = order
        self.deck: list[Any] | None = None

    def shuffle(self, x: Any) -> None:
        """Shuffle in place."""
        super().shuffle(x)
        if self.deck is None:
            if self.order is not None:
                x[:] = [x[place] for place in self.order]
            self.deck = list(x)


class Replayable(BaseWrapper):
    """An environment that remembers its seed and actions, and what each seat knows after each of them.

    Subclasses say how to deal other cards. A place is an index into what is dealt; cards whose places a seat has never
    seen are exchanged for its twins, and a candidate is a twin if every recorded action is legal in it and the seat
    knows the same after each.
    """

    def __init__(self, make: Callable[[], Any], order: list[int] | None = None) -> None:
        super().__init__(make())
        self.make = make
        self.order = order
        self.seed = 0
        self.actions: list[int] = []
        #: By seat: what it knew after each action, and the cards that it has seen.
        self.known: list[list[Any]] = []
        self.seen: list[set[Any]] = []
        self.views: dict[Any, Any] = {}
        #: The only seat whose knowledge counts in a replay.
        self.watched: int | None = None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal."""
        self.seed = seed or 0
        self.actions = []
        self.before_reset()
        self.env.reset(seed=self.seed, options=options)
        self.known = [[] for _ in self.possible_agents]
        self.seen = [set() for _ in self.possible_agents]
        self._learn()

    def __deepcopy__(self, memo: dict[int, Any]) -> Replayable:
        """Return itself: some games cannot be copied, and what a report keeps is not looked at."""
        return self

    def step(self, action: int | None) -> None:
        """Play; the game ends early after many actions."""
        self.env.step(action)
        if action is not None:
            self.actions.append(action)
        if self.agents and not any(self.unwrapped.terminations.values()):
            self._learn()
        if len(self.actions) >= ACTIONS:
            self.unwrapped.agents = []

    def _learn(self) -> None:
        self.views = {}
        for seat in range(len(self.possible_agents)) if self.watched is None else [self.watched]:
            cards, rest = self.knowledge(seat)
            self.seen[seat].update(mark(card) for pile in cards for card in pile)
            self.known[seat].append(([[self.title(card) for card in pile] for pile in cards], rest))

    def twin(self, seat: int, seed: int) -> Replayable | None:
        """Find another world for a seat, or give up."""
        rng = random.Random(seed)
        dealt, hidden = self.places(seat)
        for attempt in range(TRIES if len(hidden) > 1 else 0):
            chosen = rng.sample(hidden, max(2, len(hidden) >> attempt))
            order = list(range(len(dealt)))
            for place, source in zip(chosen, rng.sample(chosen, len(chosen)), strict=True):
                order[place] = source
            if all(dealt[place] == dealt[source] for place, source in enumerate(order)):
                continue
            other = type(self)(self.make, order)
            try:
                other.follow(self, seat)
            except RejectedError:
                continue
            return other
        return None

    def follow(self, truth: Replayable, seat: int) -> None:
        """Replay another game, with these cards."""
        self.dealt_by(truth)
        self.watched = seat
        self.reset(seed=truth.seed)
        for number, action in enumerate(truth.actions):
            if self.known[seat][number:] != [truth.known[seat][number]] or action not in self.legal():
                raise RejectedError
            self.step(action)
        if self.known[seat][len(truth.actions) :] != [truth.known[seat][-1]]:
            raise RejectedError

    def title(self, card: Any) -> Any:
        """Return all that can be told about a card by its owner."""
        return text(card)

    def before_reset(self) -> None:
        """Prepare to deal the cards in another order."""

    def dealt_by(self, truth: Replayable) -> None:
        """Look up what the true game dealt."""

    def places(self, seat: int) -> tuple[list[Any], list[int]]:
        """Return what was dealt, and the places that the seat has not seen."""
        raise NotImplementedError

    def knowledge(self, seat: int) -> tuple[list[list[Any]], Any]:
        """Return the cards that a seat sees, pile by pile, and the rest of what it knows."""
        raise NotImplementedError

    def legal(self) -> Any:
        """Return the legal actions of the seat to move."""
        raise NotImplementedError


def text(card: Any) -> Any:
    """Return a card's name. Cards have a different method for it in every game."""
    if hasattr(card, "get_str"):
        return card.get_str()
    if hasattr(card, "get_index"):
        return card.get_index()
    return card


def mark(card: Any) -> Any:
    """Return a value that tells a card from all others, also from a copy of the card."""
    return (card.suit, card.rank) if hasattr(card, "rank") else card


# ---- RLCard, by itself and in PettingZoo


class RlcardReplay(Replayable):
    """A game of RLCard. The deck is a permutation of the true one, and all other random numbers stay.

    The same goes for the games of RLCard in PettingZoo.
    """

    def before_reset(self) -> None:
        """Have the deck stacked."""
        base, order = self.unwrapped, self.order

        def stack(seed: int | None = None) -> None:
            type(base)._seed(base, seed)
            base.env.np_random = base.env.game.np_random = Stacked(base.env.np_random, order)

        base._seed = stack

    @property
    def rlcard(self) -> Any:
        """The environment of RLCard."""
        return self.unwrapped.env

    def places(self, seat: int) -> tuple[list[Any], list[int]]:
        """Return the deck as it was dealt, and where the cards are that the seat has not seen."""
        deck = self.rlcard.np_random.deck
        hidden = [place for place, card in enumerate(deck) if mark(card) not in self.seen[seat]]
        return [self.title(card) for card in deck], hidden

    def title(self, card: Any) -> Any:
        """Return the name; in Dou Dizhu suits do not count and are never shown."""
        return (card.rank or card.suit) if self.rlcard.name == "doudizhu" else text(card)

    def knowledge(self, seat: int) -> tuple[list[list[Any]], Any]:
        """Return what the rules say."""
        env = self.rlcard
        cards, rest = KNOWLEDGE[env.name](env.game, seat)
        return cards, (env.get_player_id(), rest)

    def legal(self) -> Any:
        """Return the actions of the mask."""
        return self.unwrapped.next_legal_moves

    def view(self, seat: int) -> dict[str, Any]:
        """Return everything in RLCard's state of a seat, by path."""
        if seat not in self.views:
            try:
                self.views[seat] = dict(leaves(self.rlcard.get_state(seat)))
            except Exception as error:
                self.views[seat] = {"get_state": f"raises {error!r}"}
        return self.views[seat]


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the parts of a state, in plain types, by path."""
    if isinstance(value, dict) and (not path or path == "raw_obs"):
        for key, part in value.items():
            yield from leaves(part, f"{path}[{key}]" if path else str(key))
    else:
        yield path, plain(value)


def plain(value: Any) -> Any:
    """Return a value whose parts can be compared, with the order of its keys."""
    if isinstance(value, dict):
        return [(plain(key), plain(part)) for key, part in value.items()]
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if value is None or isinstance(value, str | int | float | np.ndarray | np.generic):
        return value
    named = text(value)
    return str(value) if named is value else named


def _hold_em(game: Any, seat: int) -> tuple[list[list[Any]], Any]:
    hand = game.players[seat].hand
    public = getattr(game, "public_cards", None) or getattr(game, "public_card", None) or []
    piles = [pile if isinstance(pile, list) else [pile] for pile in (hand, public)]
    return piles, [(int(player.in_chips), str(player.status)) for player in game.players]


def _blackjack(game: Any, seat: int) -> tuple[list[list[Any]], Any]:
    del seat
    return [*(player.hand for player in game.players), game.dealer.hand[1:]], [p.status for p in game.players]


def _uno(game: Any, seat: int) -> tuple[list[list[Any]], Any]:
    state = game.round
    sizes = [len(player.hand) for player in game.players]
    cards = [game.players[seat].hand, state.played_cards, [state.target]]
    # A wild card is shown with the colour under which it was made, which means nothing.
    return cards, (sizes, len(game.dealer.deck), state.direction, state.target.str)


def _doudizhu(game: Any, seat: int) -> tuple[list[list[Any]], Any]:
    played = [card for player in game.players for cards in player._recorded_played_cards for card in cards]
    sizes = [len(player.current_hand) for player in game.players]
    return [game.players[seat].current_hand, game.round.dealer.deck[-3:], played], sizes


def _mahjong(game: Any, seat: int) -> tuple[list[list[Any]], Any]:
    piles = [pile for player in game.players for pile in player.pile]
    sizes = [len(player.hand) for player in game.players]
    return [game.players[seat].hand, game.dealer.table, *piles], (sizes, len(game.dealer.deck), game.round.valid_act)


def _gin_rummy(game: Any, seat: int) -> tuple[list[list[Any]], Any]:
    players, dealer = game.round.players, game.round.dealer
    cards = [players[seat].hand, dealer.discard_pile, players[1 - seat].known_cards]
    if type(game.get_last_action()).__name__.startswith("Score"):
        cards.append(players[1 - seat].hand)
    return cards, ([len(player.hand) for player in players], len(dealer.stock_pile))


def _bridge(game: Any, seat: int) -> tuple[list[list[Any]], Any]:
    state = game.round
    cards = [state.players[seat].hand]
    plays = [move.card for move in state.move_sheet if type(move).__name__ == "PlayCardMove"]
    if plays:
        dummy, declarer = state.get_dummy(), state.get_declarer()
        cards.append(declarer.hand if dummy.player_id == seat else dummy.hand)
    return [*cards, plays], list(state.won_trick_counts)


#: The knowledge of a seat by the rules: cards that it sees, and the rest. All of them record actions in public.
KNOWLEDGE: dict[str, Callable[[Any, int], tuple[list[list[Any]], Any]]] = {
    "blackjack": _blackjack,
    "leduc-holdem": _hold_em,
    "limit-holdem": _hold_em,
    "no-limit-holdem": _hold_em,
    "doudizhu": _doudizhu,
    "mahjong": _mahjong,
    "uno": _uno,
    "gin-rummy": _gin_rummy,
    "bridge": _bridge,
}


def rlcard_env(name: str) -> Callable[[], Any]:
    """Return a maker of an AEC environment with RLCard's turns and masks; its views are compared as facts."""
    rlcard = importlib.import_module("rlcard")
    base = importlib.import_module("pettingzoo.classic.rlcard_envs.rlcard_base").RLCardBase

    class Bare(base):  # type: ignore[misc, valid-type]
        render_mode = None

        def observe(self, agent: str) -> dict[str, Any]:
            mask = np.zeros(self.env.num_actions, np.int8)
            if agent == self.agent_selection:
                mask[list(self.next_legal_moves)] = 1
            return {"action_mask": mask}

    players = rlcard.make(name, {"seed": 1}).num_players
    return lambda: Bare(name, players, (1,))


def rlcard_facts(env: RlcardReplay) -> dict[str, Callable[[Any, int], Any]]:
    """Name the parts of RLCard's states. They are gathered from a random game: some come up only later in it."""
    paths: dict[str, None] = {}
    rng = random.Random(0)
    env.reset(seed=0)
    while env.agents and not any(env.unwrapped.terminations.values()):
        for seat in range(len(env.possible_agents)):
            paths.update(dict.fromkeys(env.view(seat)))
        env.step(rng.choice(list(env.legal())))

    def fact(path: str, moving: bool) -> Callable[[Any, int], Any]:
        def read(world: Any, seat: int) -> Any:
            return world.view(seat).get(path) if (world.rlcard.get_player_id() == seat) == moving else None

        return read

    return {
        f"{path}{'' if moving else IDLE}": fact(path, moving)
        for moving in (True, False)
        for path in paths
        if moving or len(env.possible_agents) > 1
    }


# ---- Hanabi of PettingZoo, which is the one of OpenSpiel


class HanabiReplay(Replayable):
    """Hanabi. Cards are dealt when they are drawn; a seat has not seen those in its hand, nor those of the deck."""

    def before_reset(self) -> None:
        """Deal the cards of the true game, two by two exchanged."""
        inner = self.unwrapped.hanabi_env
        dealt, self.script = getattr(self, "script", None), None
        if dealt is None:
            return
        left = iter(dealt)

        def deal() -> None:
            while inner.game_state.is_chance_node():
                card = next(left)
                if card not in inner.game_state.legal_actions():
                    raise RejectedError
                inner.game_state.apply_action(card)

        inner._execute_chance_node = deal

    def dealt_by(self, truth: Replayable) -> None:
        """Deal the same, in another order."""
        dealt, _ = truth.places(0)
        assert self.order is not None
        self.script = [dealt[place] for place in self.order]

    def places(self, seat: int) -> tuple[list[Any], list[int]]:
        """Return what has been dealt with all that is left behind it, and where the seat has not seen the card."""
        cards, hands, _ = self._told(seat)
        copies = (3, 2, 2, 2, 1)
        deck = [card for card in range(25) for _ in range(copies[card % 5])]
        for card in cards:
            deck.remove(card)
        return cards + deck, hands[seat] + list(range(len(cards), len(cards) + len(deck)))

    def _told(self, seat: int) -> tuple[list[int], list[list[int]], list[Any]]:
        """Return the cards dealt, the places of those in the hands, and all that a seat was told in the game."""
        state = self.unwrapped.hanabi_env.game_state
        history = [(item.player, item.action) for item in state.full_history()]
        seats = len(self.possible_agents)
        cards: list[int] = []
        hands: list[list[int]] = [[] for _ in range(seats)]
        told: list[Any] = []
        for actor, action in history:
            if actor < 0:
                # First a hand for everybody, then one for the hand that misses one.
                owner = next(owner for owner in range(seats) if len(hands[owner]) < 5)
                hands[owner].append(len(cards))
                cards.append(action)
                told.append(action if owner != seat else "own")
            elif action < 10:
                place = hands[actor].pop(action % 5)
                told.append((action, cards[place]))
            else:
                hinted = hands[(actor + 1) % seats]
                same = [cards[at] // 5 == action - 10 if action < 15 else cards[at] % 5 == action - 15 for at in hinted]
                told.append((action, same))
        return cards, hands, told

    def knowledge(self, seat: int) -> tuple[list[list[Any]], Any]:
        """Return what the seat was told."""
        return [], self._told(seat)[2]

    def legal(self) -> Any:
        """Return the actions of the mask."""
        return self.unwrapped.hanabi_env.game_state.legal_actions()


# ---- The list of games


class Counted:
    """Gives twins, and counts the positions with seats in which there was one, and the twins for seats to move."""

    def __init__(self, worlds: int) -> None:
        self.worlds = worlds
        self.calls = 0
        self.found: set[int] = set()
        self.moving = 0

    def __call__(self, env: Any, agent: Any, seed: int) -> Any:
        """Find a twin."""
        place, self.calls = self.calls // self.worlds, self.calls + 1
        world = env.twin(env.possible_agents.index(agent), seed)
        if world is not None:
            self.found.add(place)
            self.moving += agent == env.agent_selection
        return world


def check_open_spiel(name: str, seed: int, worlds: int) -> tuple[Any, int, int]:
    """Check a random game. Then come the places with another world, and the worlds for players to move."""
    import pyspiel

    report = stier.check_no_leak(pyspiel.load_game(name), games=1, worlds=worlds, seed=seed)
    return report, report.places - report.bare_places, report.worlds


def check_env(env: Any, facts: dict[str, Any], seed: int, worlds: int) -> tuple[Any, int, int]:
    """Check a random game of an environment."""
    twins = Counted(worlds)
    report = stier.check_no_leak(env, games=1, worlds=worlds, seed=seed, twin=twins, facts=facts)
    return report, len(twins.found), twins.moving


def check_rlcard(name: str, seed: int, worlds: int) -> tuple[Any, int, int]:
    """Check a random game of RLCard."""
    env = RlcardReplay(rlcard_env(name))
    return check_env(env, rlcard_facts(env), seed, worlds)


def check_pettingzoo(name: str, seed: int, worlds: int) -> tuple[Any, int, int]:
    """Check a random game of one of PettingZoo's classic environments."""
    module = importlib.import_module(f"pettingzoo.classic.{name}")
    return check_env((HanabiReplay if "hanabi" in name else RlcardReplay)(module.env), {}, seed, worlds)


CHECKS = {"open_spiel": check_open_spiel, "pettingzoo": check_pettingzoo, "rlcard": check_rlcard}


def games_of_open_spiel() -> Iterator[tuple[str, str]]:
    """Yield the registered games, each with the reason why it is not tested, or with none."""
    import pyspiel

    from stier.leaks._open_spiel import resamples

    for kind in pyspiel.registered_games():
        reason = ""
        if not kind.default_loadable:
            reason = "no default parameters"
        elif kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
            reason = "mean-field game"
        elif not resamples(pyspiel.load_game(kind.short_name)):
            reason = "no resampler"
        elif kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION:
            reason = "perfect information under the default rules, so there is no other world"
        yield kind.short_name, reason


def all_games() -> Iterator[tuple[str, str, str]]:
    """Yield library, game, and why it is not tested."""
    for name, reason in games_of_open_spiel():
        yield "open_spiel", name, reason
    for name in ("gin_rummy_v4", "hanabi_v5", "leduc_holdem_v4", "texas_holdem_no_limit_v6", "texas_holdem_v4"):
        try:
            importlib.import_module(f"pettingzoo.classic.{name}").env()
        except ImportError as error:
            yield "pettingzoo", name, f"cannot be imported: {error}"
        except Exception as error:
            gone = "no longer in PettingZoo" if "Deprecated" in type(error).__name__ else repr(error)
            yield "pettingzoo", name, gone
        else:
            yield "pettingzoo", name, ""
    for name in KNOWLEDGE:
        yield "rlcard", name, ""


# ---- Running, and what is kept


def check(library: str, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Check random games until there are enough of them or the time is up; the first is always played to the end."""
    kept: dict[str, Any] = {"games": 0, "positions": 0, "places": 0, "found": 0, "worlds": 0, "moving": 0, "error": ""}
    kept |= {"impossible": {}, "leaks": {}}
    start = time.process_time()
    for seed in range(options.games):
        if time.process_time() - start > options.seconds:
            break
        try:
            report, found, moving = CHECKS[library](name, seed, options.worlds)
        except Exception as error:
            kept["error"] = f"seed {seed}: {error!r}"
            break
        kept["games"] += report.games
        kept["positions"] += report.positions
        kept["places"] += report.places
        kept["found"] += found
        kept["worlds"] += report.worlds
        kept["moving"] += moving
        for fault, count in report.impossible.items():
            first = {"count": 0, "seed": seed, "first": str(report.impossible_worlds[fault])}
            kept["impossible"].setdefault(fault, first)["count"] += count
        for fact, leak in report.leaks.items():
            first = {"count": 0, "seed": seed, "seat": leak.player, "position": leak.position}
            kept["leaks"].setdefault(fact, first)["count"] += report.differences[fact]
    return kept | {"seconds": round(time.process_time() - start, 1)}


def versions() -> dict[str, str]:
    """Return the versions of the libraries."""
    found = {}
    for library in CHECKS:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = "not installed"
    return found


def programs() -> str:
    """Return a digest of this program and of the package's leak check."""
    found = hashlib.sha256()
    for file in [Path(__file__), *sorted(Path(stier.leaks.__file__).parent.glob("*.py"))]:
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def part(library: str, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return what is kept of a game, or check it."""
    file = PARTS / f"{library}-{name}.json"
    asked = [options.games, options.worlds, options.seconds, versions()[library], programs()]
    if file.exists():
        kept: dict[str, Any] = json.loads(file.read_text("utf-8"))
        if kept["asked"] == asked and not kept["error"]:
            return kept
    kept = {"asked": asked, **check(library, name, options)}
    write_text(file, json.dumps(kept, indent=1) + "\n")
    return kept


# ---- The page

TITLES = {"open_spiel": "OpenSpiel", "pettingzoo": "PettingZoo", "rlcard": "RLCard"}

METHODS = {
    "open_spiel": """
The game's own `resample_from_infostate` draws worlds for the player to move. Each is replayed from the start with legal
actions only, and played on to the end at random. A world with an illegal past, with a past that leads to another state,
or with no future is impossible, and is not compared. In the others, replayed, strings, tensors, legal actions and their
names must equal those of the true state. A string that includes the player's own past actions is not a leak: they are
the same in all worlds of an information set. Only the player to move is compared, because resamplers are written for
that player.""",
    "pettingzoo": """
Compared are `agents`, `agent_selection`, spaces, `observe`, `last`, infos, rewards, terminations and truncations, for
every agent in every position. `render` is not compared: it shows all cards to a spectator.""",
    "rlcard": """
Compared is every part of `get_state`: for the seat to move, and separately for seats not to move, because
`get_state` takes any seat. `get_perfect_information` is not compared.""",
}

WORDS = """\
A *leak* is something that a player is given, and that differs between two worlds that the player cannot tell apart. An
*impossible world* is a world that a resampler drew, and that no legal game leads to. Random games are played. In every
position, other worlds are drawn for the players. The *share with another world* is the share of positions and players
for which at least one world other than the true one was compared. For the rest, nothing is shown. A dash stands for
"none" where no other world was compared.

In PettingZoo and RLCard, worlds are replays: the same seed and the same actions, with exchanged cards in those places
of the deck that the player has not seen. A replay counts as a world of the player if every recorded action is legal in
it, and if after each action the player knows the same by the rules: the cards in sight, the sizes of hands and deck,
bets, scores, and the player to move. These worlds are therefore possible, and they respect what the opponents'
legal actions say about their cards."""

CHOICES = """\
- The record of actions is public, because RLCard hands it to every player. So is the offer of a pong in Mahjong.
- In gin rummy, a card picked up from the discard pile is known until it is discarded. Scoring a hand opens all.
- In bridge, the dummy is known from the opening lead on. The dummy's own seat then knows the declarer's hand.
- In Dou Dizhu, the landlord's three extra cards are known, and suits do not count.
- In UNO, the colour that RLCard gives to a wild card is part of the card.
- In Hanabi, a seat does not see its own cards, but knows which of them each hint touched."""

LIMITS = """\
Nothing is shown about positions that random games do not reach, positions without another world (late in a game, few
exchanges survive the replay), the end of a game, the distribution of the worlds, or attributes that a program could
read from the objects themselves, among them the seed. Every game has its default parameters; other parameters were not
tested. Nor were the games of OpenSpiel that have no resampler: they are listed below. Games of PettingZoo and RLCard
end after {actions} actions. A slow game gets fewer random games, because no more are started once its CPU time is up;
each random game depends on its seed only."""

#: Checked by hand, with programs that need nothing but the library; the tests run them.
FINDINGS = {
    "open_spiel": """
Checked by hand: in Hearts, the resampler deals the hands again but keeps the cards that other players passed, so
players pass cards that they do not hold. In Hearts and in Euchre, it also deals cards of a suit to players who did not
follow that suit before. In Gin Rummy, it exchanges the opponent's hand but not the history: the history of every world,
and with it `serialize`, is the true one with all cards. So there is no other world of it to compare. In Colored Trails,
it returned the true state every time.

```python
import random

import pyspiel


def drawn(name, events):
    # A random game so far, and worlds of the player to move.
    rng = random.Random(1)
    state = pyspiel.load_game(name).new_initial_state()
    while len(state.history()) < events or state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    player = state.current_player()
    samplers = [pyspiel.UniformProbabilitySampler(seed, 0.0, 1.0) for seed in range(20)]
    return state, [state.resample_from_infostate(player, sampler) for sampler in samplers]


def illegal(world):
    again = world.get_game().new_initial_state()
    for action in world.history():
        if action not in again.legal_actions():
            return again.action_to_string(again.current_player(), action)
        again.apply_action(action)


for name, events in [("hearts", 56), ("euchre", 30)]:
    state, worlds = drawn(name, events)
    assert any(illegal(world) for world in worlds)

state, worlds = drawn("gin_rummy", 30)
assert all(str(world) != str(state) and world.history() == state.history() for world in worlds)
assert str(state.get_game().deserialize_state(worlds[0].serialize())) == str(state)
```
""",
    "rlcard": """
Checked by hand: in Bridge, the player who leads sees the dummy's hand before the lead.

```python
import numpy as np
import rlcard

env = rlcard.make("bridge", {"seed": 1})
state, seat = env.reset()
state, seat = env.step(list(state["legal_actions"])[1])  # a bid
for _ in range(3):
    state, seat = env.step(list(state["legal_actions"])[0])  # a pass
dummy = env.game.round.get_dummy()
shown = np.flatnonzero(state["obs"][52 * dummy.player_id :][:52])
assert env.game.round.play_card_count == 0 and seat != dummy.player_id
assert sorted(shown) == sorted(card.card_id for card in dummy.hand)
```

In UNO, Gin Rummy, Bridge, Dou Dizhu and Mahjong, `get_state` gives every seat the `legal_actions` of the seat to move.
In Gin Rummy and Bridge, it gives every seat the whole view of the seat to move, and in Mahjong that seat's hand while a
pong, a chow or a gong is on offer. The views that `reset` and `step` return are those of the seat to move.

```python
import rlcard

for name in ["uno", "gin-rummy", "bridge", "doudizhu", "mahjong"]:
    env = rlcard.make(name, {"seed": 1})
    state, _ = env.reset()
    state, seat = env.step(list(state["legal_actions"])[0])
    other = env.get_state((seat + 1) % env.num_players)
    assert list(other["legal_actions"]) == list(state["legal_actions"])
    assert (other["obs"] == state["obs"]).all() or name not in ("gin-rummy", "bridge")
```
""",
}


def share(part: int, whole: int) -> str:
    """Return a percentage, with more digits where it is small."""
    return f"{100 * part / whole:.{1 if part * 20 > whole or not part else 2}f} %" if whole else "\u2013"


def compared(library: str, kept: dict[str, Any], fact: str) -> int:
    """Return the number of worlds in which a fact was compared: RLCard's are split by whether the seat is to move."""
    if fact.endswith(IDLE):
        return kept["worlds"] - kept["moving"]
    return kept["moving"] if library == "rlcard" else kept["worlds"]


def leaks(library: str, kept: dict[str, Any], idle: bool) -> str:
    """Return the leaks as a cell: the fact, how often it differed, the first seed."""
    cells = [
        f"`{fact.removesuffix(IDLE)}` ({leak['count']:,} of {compared(library, kept, fact):,}, seed {leak['seed']})"
        for fact, leak in kept["leaks"].items()
        if fact.endswith(IDLE) == idle
    ]
    return ", ".join(cells) or ("none" if kept["found"] else "-")


def impossible(library: str, kept: dict[str, Any]) -> str:
    """Return the impossible worlds as a cell."""
    if library != "open_spiel":
        return "replayed"
    drawn = kept["worlds"] + sum(fault["count"] for fault in kept["impossible"].values())
    cells = [
        f"{share(fault['count'], drawn)}: {name} (seed {fault['seed']})" for name, fault in kept["impossible"].items()
    ]
    return ", ".join(cells) or "0 %"


Tested = dict[tuple[str, str], dict[str, Any]]
Untested = list[tuple[str, str, str]]


def names(tested: Tested, of: Callable[[dict[str, Any]], bool]) -> str:
    """Return the games of which this is true, by library, in words."""
    found = {
        library: [name for (own, name), kept in tested.items() if own == library and of(kept)] for library in TITLES
    }
    return "; ".join(f"{TITLES[library]} ({', '.join(games)})" for library, games in found.items() if games)


def answer(tested: Tested) -> str:
    """Return the answer: three sentences."""
    moving = names(tested, lambda kept: any(not fact.endswith(IDLE) for fact in kept["leaks"]))
    idle = names(tested, lambda kept: any(fact.endswith(IDLE) for fact in kept["leaks"]))
    wrong = names(tested, lambda kept: bool(kept["impossible"]))
    return (
        f"In {moving or 'no game that was tested'}, the player to move is shown hidden information. "
        f"In {idle or 'no game'}, seats that are not to move can read part of the hidden information. "
        f"In {wrong or 'no game'}, the library draws worlds that no legal game leads to."
    )


def part_of_page(library: str, tested: Tested, untested: Untested) -> str:
    """Return the tables and findings of a library."""
    idle = library == "rlcard"
    heads = ["game", "games", "positions", "worlds compared", "share with another world", "impossible worlds", "leaks"]
    heads += ["leaks to seats not to move"] * idle
    rows = []
    for (owner, name), kept in tested.items():
        if owner == library:
            cells = [f"`{name}`", f"{kept['games']:,}", f"{kept['positions']:,}", f"{kept['worlds']:,}"]
            cells += [share(kept["found"], kept["places"]), impossible(library, kept), leaks(library, kept, False)]
            cells += [leaks(library, kept, True)] * idle
            rows.append(cells)
    lines = [METHODS[library].strip(), "", experiments.markdown_table(heads, rows, left=(0, 5, 6, 7)).strip()]
    if library in FINDINGS:
        lines += ["", FINDINGS[library].strip()]
    stopped = [(name, kept["error"]) for (owner, name), kept in tested.items() if owner == library and kept["error"]]
    lines += [f"\n`{name}` stopped with an error, {error}" for name, error in stopped]
    reasons: dict[str, list[str]] = {}
    for owner, name, reason in untested:
        if owner == library:
            reasons.setdefault(reason, []).append(f"`{name}`")
    if reasons:
        lines += ["", "Not tested:", ""]
        lines += [f"- {reason}: {', '.join(games)}" for reason, games in reasons.items()]
    return "\n".join(lines)


def page(tested: Tested, untested: Untested, command: str) -> str:
    """Return AUDIT.md."""
    found = versions()
    where = [
        f"- stier {stier.__version__}, `{command}`",
        f"- {', '.join(f'{TITLES[library]} {found[library]}' for library in TITLES)}",
        "- A seed is reproduced by `python benches/python/audit.py --show LIBRARY:GAME --seed SEED`, for example "
        "`--show open_spiel:hearts --seed 0`.",
    ]
    text = experiments.page(
        "Do card games of other libraries leak hidden information?",
        answer(tested),
        sure=[
            f"What {len(tested)} games of {', '.join([*TITLES.values()][:-1])} and "
            f"{[*TITLES.values()][-1]} give to players, in random games: `stier.check_no_leak` looks for differences "
            "between worlds that the player cannot tell apart.",
            "Other positions and parameters, and some choices about what a player "
            "knows by the rules. Each finding in the answer was checked by hand, with a program below.",
            f"{len(untested)} games could not be tested, most of them because they have perfect "
            "information or no resampler. Nor is it known how much a learner gains from a leak.",
        ],
        command="make audit   # twenty minutes; figures in benches/audit.csv",
        details={
            "What is a leak, and which worlds are compared?": WORDS,
            "What a player knows: the choices": CHOICES,
            "Limits": LIMITS.format(actions=ACTIONS),
            **{
                f"{title} {found[library]}": part_of_page(library, tested, untested)
                for library, title in TITLES.items()
            },
            "Where and when": "\n".join(where),
        },
    )
    return illustrated("audit", text)


def table(tested: dict[tuple[str, str], dict[str, Any]]) -> str:
    """Return audit.csv: a line for each game, and one for each leak and each kind of impossible world."""
    found = versions()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["library", "version", "game", "what", "count", "of", "first_seed", "games", "positions", "seconds"]
    )
    for (library, name), kept in tested.items():
        first = [library, found[library], name]
        last = [kept["games"], kept["positions"], kept["seconds"]]
        writer.writerow([*first, "another world found", kept["found"], kept["places"], "", *last])
        drawn = kept["worlds"] + sum(fault["count"] for fault in kept["impossible"].values())
        for fault, one in kept["impossible"].items():
            writer.writerow([*first, f"impossible: {fault}", one["count"], drawn, one["seed"], *last])
        for fact, one in kept["leaks"].items():
            writer.writerow([*first, f"leak: {fact}", one["count"], compared(library, kept, fact), one["seed"], *last])
    return out.getvalue()


def main() -> None:
    """Check all games, or show one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=100, help="random games of each game, at most (default 100)")
    parser.add_argument("--worlds", type=int, default=2, help="worlds for each position and player (default 2)")
    parser.add_argument("--seconds", type=float, default=120, help="start no more after this CPU time (default 120)")
    parser.add_argument("--show", metavar="LIBRARY:GAME", help="print the report on one random game, write nothing")
    parser.add_argument("--seed", type=int, default=0, help="with --show: which random game")
    options = parser.parse_args()
    if options.show:
        library, name = options.show.split(":", 1)
        print(CHECKS[library](name, options.seed, options.worlds)[0])
        return
    os.nice(10)
    tested, untested = {}, []
    games = list(all_games())
    asked = [(library, name) for library, name, reason in games if not reason]
    untested = [game for game in games if game[2]]
    for number, (library, name) in enumerate(asked, 1):
        print(f"[{number}/{len(asked)}] {library} {name}: ", end="", flush=True)
        kept = tested[library, name] = part(library, name, options)
        print(f"{kept['games']} games in {kept['seconds']} s, leaks: {', '.join(kept['leaks']) or 'none'}", flush=True)
    command = f"--games {options.games} --worlds {options.worlds} --seconds {options.seconds:g}"
    text = page(tested, untested, command)
    write_text(ROOT / "benches" / "AUDIT.md", text)
    write_text(ROOT / "benches" / "audit.csv", table(tested))
    draw("audit", text)


if __name__ == "__main__":
    main()
