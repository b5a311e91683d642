"""Games written in Python, and OpenSpiel's: registered, loaded and checked.

>>> import stier
>>> stier.register_game(MyGame)  # doctest: +SKIP
>>> game = stier.load_game("my_game", players=3)  # doctest: +SKIP
>>> stier.check_game(MyGame)  # doctest: +SKIP

A registered game works in every tool. The guide "Your own game" lists what its class must have.
"""

from __future__ import annotations

from stier.games._checking import GameReport, check_game

# The engine asks for some of them.
from stier.games._registry import (
    _classes as _classes,
    _options as _options,
    _pickled as _pickled,
    about as about,
    forget as forget,
    load_foreign as load_foreign,
    own_names as own_names,
    place_of as place_of,
    register_game,
    text_of as text_of,
)

__all__ = ["GameReport", "check_game", "register_game"]
