"""How much the play so far tells about the opponent's hand in Schwinget, and how much of it networks can see.

The game's own network plays against itself. A network of the same size learns to predict the opponent's hand from its
observation, with more and more of the history added; the exact posterior, which knows the policy of the players, is
the other end of the scale. Prints the rows of a table in `benches/BOUNDS.md`.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

import stier
from stier.network import Network

GAME = "schwinget"
#: The game's own network, which draws its actions, and an agent with the same model of the other player.
PLAYER, BELIEVER = "network:choose=sample", "mmds:particles=1000"
#: The layers, the learning and the length of the prediction's training.
HIDDEN, LEARNING_RATE, BATCH, EPOCHS = (256, 256), 1e-3, 2048, 5
#: Added to the observation, one line of the table each.
ADDED: dict[str, tuple[str, ...]] = {
    "observation": (),
    "and the suits not followed": ("unfollowed",),
    "and the cards led": ("leads",),
    "and both": ("leads", "unfollowed"),
    "and replies off suit, and too low": ("leads", "unfollowed", "strays", "ducks"),
    "and all plays in order": ("leads", "unfollowed", "strays", "ducks", "plays"),
}

Bits = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]


def fields(layout: Sequence[tuple[str, Sequence[int]]]) -> dict[str, slice]:
    """Returns the place of each field of a tensor."""
    ends = np.cumsum([np.prod(shape) for _, shape in layout])
    return {name: slice(end - int(np.prod(shape)), end) for (name, shape), end in zip(layout, ends, strict=True)}


class Positions:
    """Decisions of self-play: what the player sees, what happened, and the opponent's hand."""

    def __init__(self, game: stier.Game, first: int, games: int, keep: bool = False) -> None:
        player = stier.load_agent(PLAYER, game)
        hand = fields(game.observation_tensor_layout())["hand"]
        plays = fields(game.information_state_tensor_layout())["plays"]
        rows: list[tuple[Bits, Bits, Bits]] = []
        self.states: list[stier.State] = []
        for seed in range(first, first + games):
            state = game.new_initial_state(seed=seed)
            player.restart(seed)
            while not state.is_terminal():
                if len(state.legal_actions()) > 1:
                    me = state.current_player()
                    seen, theirs = (np.asarray(state.observation_tensor(seat), np.uint8) for seat in (me, 1 - me))
                    happened = np.asarray(state.information_state_tensor(me), np.uint8)[plays]
                    rows.append((seen, np.packbits(happened), theirs[hand]))
                    if keep:
                        self.states.append(state.clone())
                state.apply_action(player.step(state))
        self.observation, packed, self.hand = (np.stack(column) for column in zip(*rows, strict=True))
        bits = np.unpackbits(packed, axis=1)[:, : plays.stop - plays.start]
        self.plays = bits.reshape(len(rows), -1, self.hand.shape[1])

    def unseen(self, places: Mapping[str, slice]) -> Bits:
        """Returns 1 for each card that the player has not seen."""
        cards = self.hand.shape[1]
        seen = self.observation[:, places["hand"]] | self.observation[:, places["turned_up"]]
        played = self.observation[:, places["played"]].reshape(-1, 2, cards)
        return 1 - (seen | played[:, 0] | played[:, 1])


def history(positions: Positions, places: Mapping[str, slice], suits: int, values: int) -> dict[str, Bits]:
    """Returns what the observation leaves out, by name."""
    plays, cards = positions.plays, positions.hand.shape[1]
    of_suit = np.zeros((cards, suits), np.uint8)
    of_suit[np.arange(suits * values), np.arange(suits * values) // values] = 1
    value = np.where(of_suit.any(1), np.arange(cards) % values, 0).astype(np.int16)
    played = positions.observation[:, places["played"]].reshape(-1, 2, cards)
    led, reply = plays[:, 0::2], plays[:, 1::2]
    suit_led, suit_replied = led @ of_suit, reply @ of_suit
    replied = reply.any(2)
    followed = (suit_led & suit_replied).any(2)
    stray = replied & ~followed
    duck = followed & (reply @ value < led @ value)

    def by_player(sets: Bits) -> Bits:
        return np.concatenate([sets.any(1) & played[:, player] for player in range(2)], 1)

    replier = [(reply & played[:, player, None]).any(2) for player in range(2)]
    unfollowed = [(suit_led & (stray & own)[:, :, None]).any(1) for own in replier]
    leader = (led & played[:, 0, None]).any(2)
    return {
        "leads": by_player(led),
        "unfollowed": np.concatenate(unfollowed, 1).astype(np.uint8),
        "strays": by_player(reply & stray[:, :, None]),
        "ducks": by_player(reply & duck[:, :, None]),
        "plays": np.concatenate([plays.reshape(len(plays), -1), leader.astype(np.uint8)], 1),
    }


class Table:
    """Inputs, hands and unseen cards of some positions, with the suits sorted."""

    def __init__(self, game: stier.Game, positions: Positions) -> None:
        network = Network.of(game)
        assert network.classes is not None
        places = fields(game.observation_tensor_layout())
        suits, values = network.classes.actions.shape
        order = network.classes.order(positions.observation)
        cards = network.classes.actions_of(order, positions.hand.shape[1])
        self.unseen = np.take_along_axis(positions.unseen(places), cards, 1)
        self.hand = np.take_along_axis(positions.hand, cards, 1)
        self.observation = network.classes.sorted(positions.observation, order)
        positions.plays = np.take_along_axis(positions.plays, cards[:, None], 2)
        positions.observation, positions.hand = self.observation, self.hand
        self.added = history(positions, places, suits, values)

    def inputs(self, names: Sequence[str]) -> Bits:
        """Returns the observation with some of the history."""
        return np.concatenate([self.observation, *(self.added[name] for name in names)], 1)


def forward(layers: Any, inputs: Any) -> Any:
    """Returns the logit of each card."""
    x = inputs.astype(jnp.float32)
    for weight, bias in layers[:-1]:
        x = jax.nn.relu(x @ weight + bias)
    return x @ layers[-1][0] + layers[-1][1]


def surprise(logits: Any, hand: Any, unseen: Any) -> Any:
    """Returns minus the logarithm of the probability of the hand, card by card, over the unseen cards."""
    return (unseen * (jax.nn.softplus(logits) - hand * logits)).sum(1)


def predicted(train: Table, test: Table, names: Sequence[str]) -> Floats:
    """Learns to predict hands, and returns the surprise at each position of the test."""
    inputs, rng = train.inputs(names), np.random.default_rng(0)
    sizes = [inputs.shape[1], *HIDDEN, train.hand.shape[1]]
    layers: Any = [
        (jnp.asarray(rng.normal(0, np.sqrt(2 / a), (a, b)), jnp.float32), jnp.zeros(b))
        for a, b in itertools.pairwise(sizes)
    ]
    batches = len(inputs) // BATCH
    optimizer = optax.adam(optax.linear_schedule(LEARNING_RATE, LEARNING_RATE / 100, EPOCHS * batches))
    memory = optimizer.init(layers)

    @jax.jit
    def learn(layers: Any, memory: Any, *batch: Any) -> Any:
        gradient = jax.grad(lambda now: surprise(forward(now, batch[0]), *batch[1:]).mean())(layers)
        change, memory = optimizer.update(gradient, memory)
        return optax.apply_updates(layers, change), memory

    for _ in range(EPOCHS):
        for rows in rng.permutation(len(inputs))[: batches * BATCH].reshape(batches, BATCH):
            layers, memory = learn(layers, memory, inputs[rows], train.hand[rows], train.unseen[rows])
    return np.asarray(surprise(forward(layers, test.inputs(names)), test.hand, test.unseen), np.float64)


def believed(game: stier.Game, agent: str, positions: Positions, unseen: Bits, hand: Bits) -> Floats:
    """Returns the surprise of an agent's beliefs at each position."""
    believer, found = stier.load_agent(agent, game), []
    for place, state in enumerate(positions.states):
        believer.restart(place)
        seat = 1 - state.current_player()
        chance = np.clip(believer.beliefs(state).expected[:, seat], 1e-3, 1 - 1e-3)
        found.append(-(unseen[place] * np.where(hand[place] > 0, np.log(chance), np.log1p(-chance))).sum())
    return np.array(found)


def main() -> None:
    """Prints a line for each source of information."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=120_000, help="games to learn from (%(default)s)")
    parser.add_argument("--held-out", type=int, default=3_000, help="other games to predict (%(default)s)")
    options = parser.parse_args()
    game = stier.load_game(GAME)
    held_out = Positions(game, 1_000_003, options.held_out, keep=True)
    places = fields(game.observation_tensor_layout())
    unseen, hand = held_out.unseen(places), held_out.hand
    found = {"chance alone": believed(game, f"{BELIEVER},beliefs=uniform", held_out, unseen, hand)}
    posterior = believed(game, BELIEVER, held_out, unseen, hand)
    test = Table(game, held_out)
    train = Table(game, Positions(game, 10_000_000, options.games))
    print(f"{len(train.hand):,} positions to learn from, {len(test.hand):,} held out")
    for name, names in ADDED.items():
        found[name] = predicted(train, test, names)
    found["the exact posterior"] = posterior
    chance, seen = found["chance alone"], found["observation"]
    for name, own in found.items():
        share = (chance - own).mean() / (chance - posterior).mean()
        error = 1.96 * (seen - own).std() / np.sqrt(len(own))
        print(f"| {name} | {own.mean():.3f} | {(seen - own).mean():+.3f} ± {error:.3f} | {share:.0%} |", flush=True)


if __name__ == "__main__":
    main()
