"""The information in the play about the opponent's hand in Schwinget, and how much of it networks learn to read.

The game's own network plays against itself. Other networks learn to predict the opponent's hand: from the observation,
or from more of the history. Their log loss stands beside that of chance and of the posterior under the players' policy.
Prints it after each part of the training. Means over positions have 95 % intervals over games.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

import stier
from stier.network import Network
from stier.ratings import estimate

GAME = "schwinget"
#: The game's own network, which draws its actions, and an agent whose beliefs assume it at the other seat.
PLAYER, BELIEVER = "network:choose=sample", "mmds:particles=16000"
#: The layers and the training of a network that predicts.
HIDDEN, LEARNING_RATE, BATCH = (256, 256), 1e-3, 2048
#: The games of a part of the training.
PART = 50_000
#: The inputs of each network beside the observation.
ADDED: dict[str, tuple[str, ...]] = {
    "the observation": (),
    "and the suits not followed": ("unfollowed",),
    "and the cards led": ("leads",),
    "and both": ("leads", "unfollowed"),
    "and all plays in order": ("leads", "unfollowed", "plays", "leaders"),
}

Bits = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]


def places(layout: Sequence[tuple[str, Sequence[int]]]) -> dict[str, slice]:
    """Returns the place of each field of a tensor."""
    ends = np.cumsum([np.prod(shape) for _, shape in layout])
    return {name: slice(end - int(np.prod(shape)), end) for (name, shape), end in zip(layout, ends, strict=True)}


class Positions:
    """Decisions of self-play with the suits sorted: what the player sees and what happened; the opponent's hand."""

    def __init__(self, game: stier.Game, seeds: range, watch: Callable[[stier.State, int], None] | None = None) -> None:
        player = stier.load_agent(PLAYER, game)
        seen = places(game.observation_tensor_layout())
        known = places(game.information_state_tensor_layout())
        rows: list[tuple[Bits, Bits, Bits]] = []
        for seed in seeds:
            state = game.new_initial_state(seed=seed)
            player.restart(seed)
            while not state.is_terminal():
                if len(state.legal_actions()) > 1:
                    me = state.current_player()
                    own, other = (np.asarray(state.observation_tensor(seat), np.uint8) for seat in (me, 1 - me))
                    plays = np.asarray(state.information_state_tensor(me), np.uint8)[known["plays"]]
                    rows.append((own, plays, other[seen["hand"]]))
                    if watch is not None:
                        watch(state, seed)
                state.apply_action(player.step(state))
        observation, plays, hand = (np.stack(column) for column in zip(*rows, strict=True))
        classes = Network.of(game).classes
        assert classes is not None
        order = classes.order(observation)
        #: The game's card at each place of the sorted ones.
        self.cards = classes.actions_of(order, hand.shape[1])
        self.observation = classes.sorted(observation, order)
        self.hand = np.take_along_axis(hand, self.cards, 1)
        plays = np.take_along_axis(plays.reshape(len(rows), -1, hand.shape[1]), self.cards[:, None], 2)
        self.played = self.observation[:, seen["played"]].reshape(len(rows), 2, -1)
        #: 1 for each card that the player has not seen.
        visible = self.observation[:, seen["hand"]] | self.observation[:, seen["turned_up"]]
        self.unseen = 1 - (visible | self.played[:, 0] | self.played[:, 1])
        self.history = self._history(plays, *classes.actions.shape)

    def _history(self, plays: Bits, suits: int, values: int) -> dict[str, Bits]:
        """Returns what the observation leaves out of the plays, by name; the player's own first."""
        of_suit = np.zeros((plays.shape[2], suits), np.uint8)
        of_suit[np.arange(suits * values), np.arange(suits * values) // values] = 1
        led, reply = plays[:, 0::2], plays[:, 1::2]
        not_followed = (led @ of_suit) & (1 - reply @ of_suit) & reply.any(2, keepdims=True)
        by_player = [cards[:, None] for cards in (self.played[:, 0], self.played[:, 1])]
        replied = [(reply & cards).any(2, keepdims=True) for cards in by_player]
        found = {
            "leads": np.concatenate([(led & cards).any(1) for cards in by_player], 1),
            "unfollowed": np.concatenate([(not_followed & own).any(1) for own in replied], 1),
            "plays": plays.reshape(len(plays), -1),
            "leaders": (led & by_player[0]).any(2),
        }
        return {name: bits.astype(np.uint8) for name, bits in found.items()}

    def inputs(self, names: Sequence[str]) -> Bits:
        """Returns the observation and parts of the history."""
        return np.concatenate([self.observation, *(self.history[name] for name in names)], 1)


def forward(layers: Any, inputs: Any) -> Any:
    """Returns the logit of each card."""
    x = inputs.astype(jnp.float32)
    for weight, bias in layers[:-1]:
        x = jax.nn.relu(x @ weight + bias)
    return x @ layers[-1][0] + layers[-1][1]


@jax.jit
def log_losses(layers: Any, inputs: Any, hand: Any, unseen: Any) -> Any:
    """Returns the log loss of the predicted chance that the opponent holds a card, summed over the unseen cards."""
    logits = forward(layers, inputs)
    return (unseen * (jax.nn.softplus(logits) - hand * logits)).sum(1)


class Predictor:
    """A network that learns to predict hands."""

    def __init__(self, inputs: int, outputs: int, updates: int) -> None:
        rng, sizes = np.random.default_rng(0), [inputs, *HIDDEN, outputs]
        self.layers: Any = [
            (jnp.asarray(rng.normal(0, np.sqrt(2 / a), (a, b)), jnp.float32), jnp.zeros(b))
            for a, b in itertools.pairwise(sizes)
        ]
        self.optimizer = optax.adam(optax.linear_schedule(LEARNING_RATE, LEARNING_RATE / 100, updates))
        self.optimizer_state = self.optimizer.init(self.layers)
        self._update = jax.jit(self._updated)

    def _updated(self, layers: Any, optimizer_state: Any, *batch: Any) -> Any:
        gradient = jax.grad(lambda now: log_losses(now, *batch).mean())(layers)
        change, optimizer_state = self.optimizer.update(gradient, optimizer_state)
        return optax.apply_updates(layers, change), optimizer_state

    def learn(self, inputs: Bits, hand: Bits, unseen: Bits) -> None:
        """Learns once from these positions, in random order."""
        order = np.random.default_rng(1).permutation(len(inputs))
        for rows in np.split(order[: len(order) // BATCH * BATCH], len(order) // BATCH):
            batch = (inputs[rows], hand[rows], unseen[rows])
            self.layers, self.optimizer_state = self._update(self.layers, self.optimizer_state, *batch)


def belief_losses(game: stier.Game, agent: str, states: Sequence[stier.State], held_out: Positions) -> Floats:
    """Returns the log losses of an agent's beliefs. No chance is taken to be below 0.1 % or above 99.9 %."""
    believer, found = stier.load_agent(agent, game), []
    for place, state in enumerate(states):
        believer.restart(place)
        expected = believer.beliefs(state).expected[:, 1 - state.current_player()]
        chance = np.clip(expected[held_out.cards[place]], 1e-3, 1 - 1e-3)
        losses = np.where(held_out.hand[place] > 0, -np.log(chance), -np.log1p(-chance))
        found.append((held_out.unseen[place] * losses).sum())
    return np.array(found)


def interval(values: Floats, games: npt.NDArray[np.int64]) -> str:
    """Returns the mean with its 95 % interval over games."""
    excess = np.bincount(games, values - values.mean())
    found = estimate(values.mean() + excess * len(excess) / len(values))
    return f"{found.mean:+.3f} ± {found.ci95:.3f}"


def main() -> None:
    """Prints a line for each source of knowledge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=int, default=20, help=f"parts of {PART:,} games to learn from (%(default)s)")
    parser.add_argument("--held-out", type=int, default=1_000, help="other games to predict (%(default)s)")
    options = parser.parse_args()
    game = stier.load_game(GAME)
    states: list[stier.State] = []
    seeds: list[int] = []
    held_out = Positions(
        game, range(options.held_out), lambda state, seed: (states.append(state.clone()), seeds.append(seed))[0]
    )
    games = np.array(seeds)
    chance = belief_losses(game, f"{BELIEVER},beliefs=uniform", states, held_out)
    posterior = belief_losses(game, BELIEVER, states, held_out)
    print(f"{len(states):,} positions; chance and voids {interval(chance, games)}, less by the posterior's", end=" ")
    print(interval(chance - posterior, games), flush=True)
    predictors: dict[str, Predictor] = {}
    learned = 0
    for part in range(options.parts):
        first = 1_000_003 + part * PART
        positions = Positions(game, range(first, first + PART))
        learned += len(positions.hand)
        losses: dict[str, Floats] = {}
        for name, added in ADDED.items():
            inputs = positions.inputs(added)
            if name not in predictors:
                updates = options.parts * (len(inputs) // BATCH)
                predictors[name] = Predictor(inputs.shape[1], positions.hand.shape[1], updates)
            predictors[name].learn(inputs, positions.hand, positions.unseen)
            found = log_losses(predictors[name].layers, held_out.inputs(added), held_out.hand, held_out.unseen)
            losses[name] = np.asarray(found, np.float64)
            less = interval(losses["the observation"] - losses[name], games)
            print(f"| {learned:,} | {name} | {losses[name].mean():.3f} | {less} |", flush=True)


if __name__ == "__main__":
    main()
