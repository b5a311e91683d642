"""The games as PettingZoo environments: AEC for all, Parallel for those in which the players choose at once.

>>> import stier.pettingzoo
>>> env = stier.pettingzoo.env("schwimmen", players=3)
>>> env.reset(seed=7)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     over = terminated or truncated
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

`reset(seed=s)` is the game of `Game.new_initial_state(seed=s)`, the same cards and dice as in every other layer.
Nothing that a player cannot know is in an observation, an info or a rendering, unless it is asked for by name:
`state()`, `stier_state`, ``render_mode="ansi_open"``.
"""

from __future__ import annotations

from stier._adapting import missing

try:
    import pettingzoo as _  # noqa: F401
except ImportError as _error:
    raise missing("pettingzoo", _error) from _error

from stier.pettingzoo._aec import CardGameEnv, env, raw_env
from stier.pettingzoo._parallel import CardGameParallelEnv, parallel_env

__all__ = ["CardGameEnv", "CardGameParallelEnv", "env", "parallel_env", "raw_env"]
