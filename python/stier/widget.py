"""Games in notebooks: replay one, or play one. Needs the extra ``widget``.

The pictures are those of the web page (``stier web``).
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any, SupportsIndex

from stier._adapting import as_game
from stier._native import Agent, PythonAgent, State, derive_seed, read_record
from stier.errors import missing_extra
from stier.playing import AnyAgent, AnyGame, as_opponent, replayed

if find_spec("anywidget") is None:
    raise missing_extra("stier.widget", "anywidget", "widget")

import anywidget
import traitlets

__all__ = ["Table", "play", "replay"]

#: The files that `make web` builds; a wheel contains it.
_PAGE = Path(__file__).parent / "page"
#: Stands in a notebook if it is not there.
_MISSING = """export default { render({ el }) {
  el.textContent = "The widget's script is missing. Run make web, or install a wheel.";
} };"""


def _read(name: str, default: str) -> str:
    return (_PAGE / name).read_text("utf-8") if (_PAGE / name).is_file() else default


class Table(anywidget.AnyWidget):
    """A game, state by state; made by `replay` and `play`. The last line of a cell shows it.

    Attributes:
        state: The last state, all cards included.
    """

    _esm = _read("widget.js", _MISSING)
    _css = _read("widget.css", "")

    frames: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    faces = traitlets.Dict().tag(sync=True)
    index = traitlets.Int().tag(sync=True)
    eyes = traitlets.Int(allow_none=True).tag(sync=True)
    playable = traitlets.Bool().tag(sync=True)

    def __init__(self, state: State, eyes: int | None, opponent: Agent | PythonAgent | None = None) -> None:
        faces = state.get_game().card_faces()
        names = {card: {"rank": rank, "sign": sign, "hue": hue} for card, (rank, sign, hue) in faces.items()}
        super().__init__(faces=names, eyes=eyes, playable=opponent is not None)
        self.state, self._opponent = state, opponent
        self.on_msg(self._chosen)

    def _show(self, states: list[State]) -> None:
        frames = list(self.frames)
        for state in states:
            frame = json.loads(state._table(self.eyes))
            # A seat is not shown how often something happened that it cannot see.
            if self.eyes is None or not frames or frame != frames[-1]:
                frames.append(frame)
        self.frames = frames
        self.index = len(frames) - 1

    def _chosen(self, _widget: object, content: Any, _buffers: object) -> None:
        """Plays a move of the person at the table. One that is not legal any more is answered by the table as it is."""
        if self.state.current_player() == self.eyes and content.get("move") in self.state.legal_actions():
            self.state.apply_action(content["move"])
            self._show([self.state.clone()])
            self._reply()
        else:
            self.send_state("frames")

    def _reply(self) -> None:
        states: list[State] = []
        while self._opponent is not None and not self.state.is_terminal() and self.state.current_player() != self.eyes:
            self.state.apply_action(self._opponent.step(self.state))
            states.append(self.state.clone())
        if states:
            self._show(states)


def replay(game: State | str, eyes: SupportsIndex | None = None) -> Table:
    """Makes a table on which a game can be looked through, from the deal to its last state.

    Args:
        game: A state with its history, or a record (`State.record`).
        eyes: The seat whose view is shown. By default all cards are open.

    Raises:
        RecordError: A record that cannot be read.
        SeatError: A seat that the game does not have.
    """
    last = read_record(game) if isinstance(game, str) else game
    states = [state.clone() for state, *_ in replayed(last) if not state.is_chance_node()]
    table = Table(last.clone(), None if eyes is None else int(eyes))
    table._show([*states, last.clone()])
    table.index = 0
    return table


def play(
    game: AnyGame, opponent: AnyAgent = "ismcts:iterations=10000", *, seat: SupportsIndex = 0, seed: int = 0
) -> Table:
    """Makes a table for playing against an agent. The agent plays all other seats.

    Args:
        game: The game, or its text form.
        opponent: The agent: anything that `stier.pit` takes. It is restarted.
        seat: The person's seat.
        seed: The seed of the cards and of the agent.

    Raises:
        SeatError: A seat that the game does not have.
    """
    loaded = as_game(game)
    agent = as_opponent(opponent, loaded)
    agent.restart(derive_seed(seed, "widget", 0))
    state = loaded.new_initial_state(seed=seed)
    state.to_text(seat)  # an unknown seat is an error
    table = Table(state, int(seat), agent)
    table._show([state.clone()])
    table._reply()
    return table
