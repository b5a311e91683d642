"""The games as Gymnasium environments: one seat learns, agents have the others.

>>> import stier.gymnasium
>>> env = stier.gymnasium.make("schwinget", opponents="ismcts:iterations=100")
>>> observation, info = env.reset(seed=7)
>>> over = False
>>> while not over:
...     observation, reward, over, truncated, info = env.step(env.action_space.sample(info["action_mask"]))

Importing this module registers every game: ``gymnasium.make("stier/Schwinget-v0", opponents="greedy")``. Without the
import, name the module: ``gymnasium.make("stier.gymnasium:stier/Schwinget-v0", opponents="greedy")``. Gymnasium 1
itself looks for no installed packages. `reset(seed=s)` is the game of `Game.new_initial_state(seed=s)`, the same cards
and dice as in every other layer.

Many games at once, stepped natively, are a `gymnasium.vector.VectorEnv`. Its environment `i` is the single one with the
seed s + i:

>>> envs = stier.gymnasium.make_vec("schwinget", num_envs=64, opponents="random")
>>> observations, infos = envs.reset(seed=7)
>>> actions = [envs.single_action_space.sample(mask) for mask in infos["action_mask"]]
>>> observations, rewards, terminations, truncations, infos = envs.step(actions)
>>> observations.shape == envs.observation_space.shape
True
"""

from __future__ import annotations

from stier._adapting import missing

try:
    import gymnasium as _gymnasium
except ImportError as _error:
    raise missing("gymnasium", _error) from _error

from stier._native import registered_names
from stier.gymnasium._single import SeatEnv, make
from stier.gymnasium._vector import VectorEnv, make_vec

__all__ = ["SeatEnv", "VectorEnv", "environment_id", "make", "make_vec"]


def environment_id(name: str) -> str:
    """Returns the id for `gymnasium.make`: ``"stier/UpAndDown-v0"`` for ``"up_and_down"``."""
    return f"stier/{''.join(part.title() for part in name.split('_'))}-v0"


for _name in registered_names():
    _gymnasium.register(
        environment_id(_name),
        entry_point="stier.gymnasium:make",
        vector_entry_point="stier.gymnasium:make_vec",
        kwargs={"game": _name},
    )
