"""The common parts of the learners of all frameworks: games, decisions to learn from, and networks to start from."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from stier._native import Batch, Game, VectorEnv, derive_seed
from stier.errors import ArgumentError
from stier.network import Classes, Network, num_inputs
from stier.train._gae import gae
from stier.train.settings import SELF, CommonSettings, DMCSettings, Settings

Floats = npt.NDArray[np.float32]
#: Zeros and ones in bytes; floats with beliefs.
Observations = npt.NDArray[np.uint8 | np.float32]


class Learner(Protocol):
    """An algorithm, at some point of its training."""

    name: str
    #: True if the first iteration compiles, which takes several seconds.
    compiles: bool
    game: Game
    settings: Any
    #: A digest of the network that training started from, or None.
    initial: str | None
    #: The number of calls of `iterate`, over all runs.
    iteration: int

    @property
    def steps(self) -> int:
        """The number of decisions learned from."""
        ...

    def iterate(self) -> dict[str, float]:
        """Plays and learns once; returns the metrics that need no further play."""
        ...

    def network(self) -> Network:
        """Returns the network as it is now."""
        ...

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns everything that the future depends on."""
        ...

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Continues from these arrays."""


class Turn(NamedTuple):
    """The fields of `stier.Batch` that learners use."""

    observation: Observations
    legal_action_mask: npt.NDArray[np.bool_]
    current_player: npt.NDArray[np.int32]
    rewards: Floats
    terminated: npt.NDArray[np.bool_]


def classes_of(game: Game, settings: CommonSettings) -> Classes | None:
    """Returns the parts of the game that are sorted, or None."""
    return Classes.of(game, beliefs=bool(settings.beliefs)) if settings.symmetry else None


class Environments:
    """Games side by side, split evenly among the opponents.

    The learner's seat rotates where it has opponents.
    Parts that can be exchanged are sorted if the settings say so; actions are then those of the sorted positions.
    """

    def __init__(self, game: Game, settings: Settings | DMCSettings, *, autoreset: bool = True) -> None:
        count, opponents = settings.num_envs, settings.opponents
        if len(opponents) > count:
            left = f"there are {count}: raise num_envs"
            raise ArgumentError(f"each of {len(opponents)} opponents needs an environment, and {left}")
        self.game, self.classes = game, classes_of(game, settings)
        #: The same for the critic, which is shown no beliefs.
        self.critic_classes = None if self.classes is None else Classes.of(game)
        #: The number of decisions ahead for which the critic sees whether an action is barred.
        self.barred_ahead = min(settings.barred_decisions, game.max_game_length()) if settings.barred else 0
        self.order: Any = None
        self.actions: Any = None
        self.parts: list[VectorEnv] = []
        for number, (opponent, size) in enumerate(zip(opponents, _sizes(count, len(opponents)), strict=True)):
            others: dict[str, Any] = {} if opponent == SELF else {"opponents": opponent, "seat": "rotate"}
            others |= {
                "observation": "float32" if settings.beliefs else "uint8",
                "beliefs": settings.beliefs or None,
            }
            for names in (
                ("opening", "opening_share", "opening_decisions"),
                ("barred", "barred_share", "barred_decisions"),
            ):
                if getattr(settings, names[0]):
                    others |= {name: getattr(settings, name) for name in names}
            own = derive_seed(settings.seed, "training games", number)
            self.parts.append(VectorEnv(game, size, seed=own, autoreset=autoreset, threads=1, **others))
        self.ends = np.cumsum([part.num_envs for part in self.parts])

    def reset(self) -> Batch | Turn:
        """Deals new games."""
        return self._joined([part.reset() for part in self.parts])

    def observe(self) -> Batch | Turn:
        """Returns the decisions that are waiting."""
        return self._joined([part.observe() for part in self.parts])

    def step(self, actions: npt.NDArray[Any]) -> Batch | Turn:
        """Takes an action in each game."""
        if self.classes is not None:
            actions = np.take_along_axis(self.actions, np.asarray(actions)[:, None], 1)[:, 0]
        own = np.split(np.asarray(actions), self.ends[:-1])
        return self._joined([part.step(one) for part, one in zip(self.parts, own, strict=True)])

    def _joined(self, batches: list[Batch]) -> Batch | Turn:
        if len(batches) == 1 and self.classes is None:
            return batches[0]
        found = Turn(*(np.concatenate([getattr(batch, name) for batch in batches]) for name in Turn._fields))
        if self.classes is None:
            return found
        self.order = self.classes.order(found.observation)
        self.actions = self.classes.actions_of(self.order, found.legal_action_mask.shape[1])
        return found._replace(
            observation=self.classes.sorted(found.observation, self.order),
            legal_action_mask=np.take_along_axis(found.legal_action_mask, self.actions, 1),
        )

    @property
    def critic_inputs(self) -> int:
        """The number of inputs of a critic that sees everything."""
        return self.game.observation_tensor_shape()[0] * self.game.num_players() + self.barred_ahead

    def seen_by_critic(self) -> npt.NDArray[np.uint8]:
        """Returns all that a critic needs, ``(environments, critic_inputs)``.

        These are the observations of all seats, that of the player to move first, with suits sorted for that player
        where they can be exchanged, and for each decision ahead, from the present one on, whether an action is barred.
        """
        seats = np.concatenate([part.perfect_information_observation() for part in self.parts]).swapaxes(0, 1)
        shown = list(seats)
        if self.critic_classes is not None:
            shown = [self.critic_classes.sorted(seat, self.order) for seat in seats]
        left = np.concatenate([part.barred_left() for part in self.parts])
        return np.concatenate([*shown, left[:, None] > np.arange(self.barred_ahead)], 1, dtype=np.uint8)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns everything that later play depends on."""
        return {f"games.{i}": np.frombuffer(part.get_state(), np.uint8) for i, part in enumerate(self.parts)}

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Continues from these arrays."""
        for i, part in enumerate(self.parts):
            part.set_state(arrays[f"games.{i}"].tobytes())


def _sizes(count: int, parts: int) -> list[int]:
    """Splits so many environments evenly."""
    return [(count * (number + 1)) // parts - (count * number) // parts for number in range(parts)]


class Decisions(NamedTuple):
    """Decisions to learn from: ``(decisions, …)``, each from the perspective of the player who decided."""

    #: The player's observations, beliefs included.
    observation: Observations
    #: The critic's observations: the same array unless it sees more.
    critic_observation: Observations
    legal: npt.NDArray[np.bool_]
    action: npt.NDArray[np.int32]
    #: The logarithms of the probabilities of all actions, by the policy that played.
    log_policy: Floats
    #: Over the expectation, or over the critic's value of the action if it values actions.
    advantages: Floats
    #: The critic's targets.
    returns: Floats


class Step(NamedTuple):
    """One decision in each environment, and what followed it."""

    observation: Observations
    critic_observation: Observations
    legal: npt.NDArray[np.bool_]
    player: npt.NDArray[np.int32]
    action: npt.NDArray[np.int32]
    log_policy: Floats
    value: Floats
    #: The critic's value of the action; that of the decision if the critic does not value actions.
    expected: Floats
    rewards: Floats
    terminated: npt.NDArray[np.bool_]


#: Called with observations, what the critic sees, legal actions and the number of the call: returns actions, the
#: logarithms of the policy, values, and what the critic expected of the actions.
Choose = Callable[
    [Observations, Observations, npt.NDArray[np.bool_], int],
    tuple[npt.NDArray[Any], Floats, Floats, Floats],
]


class Critic(NamedTuple):
    """The sizes of a critic with layers of its own, which sees more than the policy."""

    inputs: int
    hidden: tuple[int, ...]
    #: 1, or the number of actions if it values them.
    outputs: int

    @property
    def output_scale(self) -> float:
        """The scale of the first weights of the output. All actions are worth the same at first."""
        return 1.0 if self.outputs == 1 else 0.01


class SelfPlay:
    """Games side by side in which one policy decides for all seats, or for one of them against opponents.

    Each decision is learned from once, with a known advantage. After `horizon` steps play goes on until every player
    has decided again or its game is over; these further steps, played by the policy before the update, are the first
    of the next batch. None is dropped, for which ones could be used depends on who won (see :func:`stier.train.gae`).
    """

    def __init__(self, game: Game, settings: Settings) -> None:
        self.game, self.settings = game, settings
        self.scale: float = settings.payoff_scale or standard_deviation_of_returns(game, settings.seed)
        # Minus the opponent's value is unbiased for a critic that sees everything, and comes sooner than the own one.
        self.zero_sum: bool = settings.central_critic and game.num_players() == 2 and game.utility_sum() == 0
        self.envs: Environments = Environments(game, settings)
        self.envs.reset()
        #: Steps that have been played and not been learned from.
        self.ahead: list[Step] = []

    @property
    def inputs(self) -> int:
        """The number of the network's inputs."""
        return num_inputs(self.game, self.settings.beliefs)

    @property
    def critic(self) -> Critic | None:
        """The sizes of a critic with layers of its own."""
        settings = self.settings
        if not settings.central_critic:
            return None
        outputs = self.game.num_distinct_actions() if settings.action_critic else 1
        return Critic(self.envs.critic_inputs, settings.critic_hidden or settings.hidden, outputs)

    def collect(self, choose: Choose) -> tuple[Decisions, dict[str, float]]:
        """Plays on in all environments, and returns the next `horizon` decisions of each."""
        horizon, count = self.settings.horizon, self.settings.num_envs
        steps, calls = self.ahead, 0
        batch = self.envs.observe()
        # Players whose decision within the horizon has no successor yet.
        waiting = np.zeros((count, self.game.num_players()), bool)
        for number, step in enumerate(steps):
            _wait(waiting, step.player, step.terminated, number < horizon)
        while True:
            observation, player, legal = batch.observation, batch.current_player, batch.legal_action_mask
            critic = self.envs.seen_by_critic() if self.settings.central_critic else observation
            action, log_policy, value, expected = choose(observation, critic, legal, calls)
            calls += 1
            waiting[np.arange(count), player] = False
            if len(steps) >= horizon and (self.zero_sum or not waiting.any()):
                break
            batch = self.envs.step(action)
            _wait(waiting, player, batch.terminated, len(steps) < horizon)
            played = np.asarray(action, np.int32)
            steps.append(
                Step(
                    *(observation, critic, legal, player, played, log_policy, value, expected),
                    *(batch.rewards, batch.terminated),
                )
            )
        self.ahead = steps[horizon:]
        found = gae(
            np.stack([step.rewards for step in steps]) / self.scale,
            np.stack([*(step.value for step in steps), value]),
            np.stack([step.terminated for step in steps]),
            np.stack([*(step.player for step in steps), player]),
            lam=self.settings.gae_lambda,
            horizon=horizon,
            zero_sum=self.zero_sum,
            sees_all=self.zero_sum,
            action_values=np.stack([step.expected for step in steps]),
        )
        learned = steps[:horizon]
        observation = np.concatenate([step.observation for step in learned])
        critic = observation
        if self.settings.central_critic:
            critic = np.concatenate([step.critic_observation for step in learned])
        decisions = Decisions(
            observation=observation,
            critic_observation=critic,
            legal=np.concatenate([step.legal for step in learned]),
            action=np.concatenate([step.action for step in learned]),
            log_policy=np.concatenate([step.log_policy for step in learned]),
            advantages=found.advantages.reshape(-1),
            returns=found.returns.reshape(-1),
        )
        # The critic's error is the advantage.
        variance = float(found.returns.var())
        return decisions, {
            "episodes": float(sum(step.terminated.sum() for step in learned)),
            "explained_variance": 1 - float(found.advantages.var()) / variance if variance else math.nan,
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns everything that later play depends on."""
        found = self.envs.arrays()
        for number, step in enumerate(self.ahead):
            found |= {f"ahead.{number}.{name}": array for name, array in step._asdict().items()}
        return found

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Continues from these arrays."""
        self.envs.restore(arrays)
        count = sum(name.endswith(".rewards") for name in arrays)
        self.ahead = [Step(*(arrays[f"ahead.{number}.{name}"] for name in Step._fields)) for number in range(count)]


def _wait(
    waiting: npt.NDArray[np.bool_], player: npt.NDArray[np.int32], terminated: npt.NDArray[np.bool_], learned: bool
) -> None:
    """Notes a decision in each environment: its player waits for its successor if it is to be learned from."""
    waiting[np.arange(len(player)), player] = learned
    waiting[terminated] = False


def standard_deviation_of_returns(game: Game, seed: int, games: int = 4096) -> float:
    """Returns the standard deviation of the returns of random players."""
    envs = VectorEnv(game, games, seed=derive_seed(seed, "payoff scale", 0), observation=None, autoreset=False)
    batch, returns = envs.reset(), np.zeros((games, game.num_players()))
    while not batch.terminated.all():
        batch = envs.step(envs.sample_actions())
        returns += batch.rewards
    return float(returns.std())


def digest(network: Network | None) -> str | None:
    """Returns a digest of all weights."""
    if network is None:
        return None
    found = hashlib.sha256()
    for name, array in sorted(network.tensors().items()):
        found.update(name.encode())
        found.update(np.ascontiguousarray(array, "<f4").tobytes())
    return found.hexdigest()[:16]


def fitting(network: Network, game: Game, settings: CommonSettings) -> dict[str, Floats]:
    """Returns the weights by name. Raises `ValueError` for another game, other layers or another order of suits."""
    hidden = settings.hidden
    own, there = network.game, game
    signatures = [(g.short_name(), g.observation_signature(), g.action_signature()) for g in (own, there)]
    if signatures[0] != signatures[1]:
        raise ArgumentError(f"initial must be a network for {there}, whose observations and actions differ from {own}")
    widths = tuple(weight.shape[1] for weight, _ in network.hidden)
    if widths != hidden:
        raise ArgumentError(f"hidden must be {widths} as in the initial network, got {hidden}")
    if network.activation != "relu":
        raise ArgumentError(f"initial must be a network with relu between its layers, got {network.activation}")
    if network.beliefs not in ("", settings.beliefs):
        raise ArgumentError(f"beliefs must be {network.beliefs} as in the initial network, got {settings.beliefs!r}")
    classes = Classes.of(game, beliefs=bool(network.beliefs)) if settings.symmetry else None
    if [places.tolist() for places in network.classes or ()] != [places.tolist() for places in classes or ()]:
        reads = "positions as they are" if network.classes is None else "sorted positions"
        raise ArgumentError(f"symmetry must be {network.classes is not None}: the initial network reads {reads}")
    found = {name: array for name, array in network.tensors().items() if not name.startswith("classes")}
    # A network that has not read beliefs begins without regard for them.
    new = num_inputs(game, settings.beliefs) - num_inputs(game, network.beliefs)
    for name in ["hidden.0.weight"] if hidden else ["policy.weight", "value.weight"]:
        if name in found:
            found[name] = np.pad(found[name], ((0, new), (0, 0)))
    return found


def for_ppo(network: Network, game: Game, settings: Any, scale: float) -> dict[str, Floats]:
    """Returns the weights for PPO: the policy, and the value head if there is one."""
    found = fitting(network, game, settings)
    factor = np.float32(network.value_scale / scale)
    return {name: array * factor if name.startswith("value") else array for name, array in found.items()}


def for_dmc(network: Network, game: Game, settings: Any, scale: float) -> dict[str, Floats]:
    """Returns the weights for deep Monte Carlo, whose logits are returns divided by a temperature."""
    made = network.training
    if made.get("algorithm") != "dmc":
        raise ArgumentError(
            f"initial must be a network of dmc, whose logits are returns; this one is of {made.get('algorithm')}"
        )
    factor = np.float32(made["temperature"] * network.value_scale / scale)
    found = fitting(network, game, settings)
    return {name: array * factor if name.startswith("policy") else array for name, array in found.items()}


def described(learner: Any) -> dict[str, Any]:
    """Returns how a network was made, for its file."""
    found = {"algorithm": learner.name, "steps_done": learner.steps, **dataclasses.asdict(learner.settings)}
    return found if learner.initial is None else found | {"initial": learner.initial}
