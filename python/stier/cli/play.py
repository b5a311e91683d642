"""``stier play``: a person against agents in the terminal.

The table shows exactly what the seat knows. The account of the moves is an estimate: an event is told if it is the same
in all of some sampled worlds that the seat cannot tell apart, so one that is only very likely may be told, too.
"""

from __future__ import annotations

import contextlib
import difflib
import re
import secrets
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stier import _files, replays, terminal
from stier._native import Agent, Game, PythonAgent, State
from stier.cli import _endings as endings, _goals as goals, _options as options, rules
from stier.cli._command import command
from stier.cli._interrupts import interrupts
from stier.cli._worlds import hidden_events, worlds_in_words
from stier.draw._beliefs import suits
from stier.errors import AgentError, RulesError
from stier.playing import as_opponent, searcher
from stier.terminal import Pen

if TYPE_CHECKING:
    from stier._svg import Face

_OPPONENTS = ("--opponents", "--against", "opponents")
#: The folder of the records of all games that are played here.
RECORDS = Path("stier-records")


@command(
    examples=[
        "stier play schwinget",
        "stier play kuhn_poker --opponents greedy --seat 1",
        "stier play schwimmen:players=4 --opponents ismcts:iterations=1000 --seed 7 --record game.txt",
    ],
)
@options.game
@click.option("--seat", default=0, help="Your seat.")
@options.agent(*_OPPONENTS, about="The agent at the other seats.", default="ismcts:iterations=10000")
@options.agent("--adviser", about="The agent that gives hints and holds beliefs for your seat.", default=replays.AGENT)
@click.option("--seed", type=int, help="Seed of the cards and the agents.", show_default="a random one")
@options.output("--record", about="The file of the game, for stier replay.", show_default=f"a new one in {RECORDS}")
def play(game: Game, seat: int, opponents: str, adviser: str, seed: int | None, record: Path | None) -> None:
    """Play against an agent in the terminal."""
    seed = secrets.randbits(32) if seed is None else seed
    opponent, helper = as_opponent(opponents, game), searcher(adviser, game)
    if helper.name == "oracle":
        raise AgentError("an oracle decides by the cards that the seat cannot know; choose another adviser")
    table = _Table(game, opponent, helper, seat, seed)
    try:
        table.play()
        table.show_end()
    finally:
        # Also after Ctrl-C while the opponent thinks.
        if record is not None or table.is_worth_keeping:
            _save(table.state, seat, record)


def _save(state: State, seat: int, file: Path | None) -> None:
    try:
        file = _new_file(state.get_game().short_name()) if file is None else file
        _files.write_text(file, state.record())
    except OSError:
        print(f"\n{state.record()}")
        raise
    print(f"\nSaved. Look at your decisions again: stier replay {file} --seat {seat}")


def _new_file(game: str) -> Path:
    name = re.sub(r"\W+", "_", game).strip("_")
    return next(file for number in count(1) if not (file := RECORDS / f"{name}-{number:03}.txt").exists())


#: Other answers than moves: a letter, a word, and what the answer gives.
_ANSWERS = [
    ("?", "help", "this help, and what the words on the table mean"),
    ("s", "state", "the table again"),
    ("h", "hint", f"what {replays.SEARCHES} searches by the adviser choose"),
    ("b", "beliefs", "what the others may hold, as far as you can know"),
    ("u", "undo", "take your last choice back"),
    ("r", "rules", "the rules of the game"),
    ("q", "quit", "end the game"),
]


class _Table:
    """One game, with the person on `seat` and the opponent on all others."""

    def __init__(self, game: Game, opponent: Agent | PythonAgent, adviser: Agent, seat: int, seed: int) -> None:
        self.state = game.new_initial_state(seed=seed)
        self.state.to_text(seat)  # an unknown seat is an error before anything is shown
        self._opponent, self._adviser, self._seat = opponent, adviser, seat
        opponent.restart(seed)
        adviser.restart(seed)
        self._pen = Pen()
        #: The number of the person's actions when events were last told.
        self._told: int | None = None
        #: The states in which the person has chosen.
        self._choices: list[State] = []
        names = {_name(game.action_to_string(seat, action)) for action in range(game.num_distinct_actions())}
        #: True if a number stands for a move because no move has a number as its name.
        self._numbered = not any(name.isdecimal() for name in names)
        #: A letter that is a move is not another answer, even if the move is not legal now.
        self._answers = {text: word for letter, word, _ in _ANSWERS for text in (letter, word) if text not in names}
        if sys.stdin.isatty():
            # Where it exists, it lets the person edit an answer and repeat an earlier one.
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401
        others = "your opponent is" if game.num_players() == 2 else "the other seats are"
        print(f"You are seat {seat} of {game}, seed {seed}; {others} {opponent}.")
        self._introduce(names)
        print(f"Besides your moves: {', '.join(' '.join(self._texts(*texts)) for *texts, _ in _ANSWERS)}.")

    def _introduce(self, moves: Iterable[str]) -> None:
        """Prints the goal with the stakes, the cards of this game, and what its moves mean."""
        game, faces = self.state.get_game(), self.state.get_game().card_faces()
        name = game.short_name()
        meanings = rules.words(name, " ".join([*moves, *faces]))
        of_cards = {card: about for word, about in meanings for card in word.split(", ") if card in faces}
        cards = [_range(row) for row in _plain_suits(faces, of_cards)]
        cards += [f"{card} {about.removeprefix('a card that ')}" for card, about in of_cards.items()]
        others = [f"{word} = {about}" for word, about in meanings if not of_cards.keys() & set(word.split(", "))]
        goal = goals.goal(self.state, self._seat)
        about = ("Goal", goal) if goal else ("Game", rules.summary(name))
        for title, text in [about, ("Cards", "; ".join(cards)), ("Words", "; ".join(others))]:
            if text:
                print(_wrapped(f"{title}: {text.rstrip('.')}."))

    @property
    def is_worth_keeping(self) -> bool:
        """True if the person has made a choice that stands, or the game is over."""
        return bool(self._choices) or self.state.is_terminal()

    def _texts(self, *texts: str) -> list[str]:
        return [text for text in texts if text in self._answers]

    def play(self) -> None:
        while not self.state.is_terminal():
            if self.state.current_player() != self._seat:
                self.state.apply_action(self._opponent.step(self.state))
                continue
            legal = self.state.legal_actions()
            if len(legal) == 1:
                self.state.apply_action(legal[0])
                continue
            self._tell()
            self._show()
            action = self._ask(legal)
            if action is None:
                break
            self._choices.append(self.state.clone())
            self.state.apply_action(action)
        self._tell()

    def _tell(self) -> None:
        faces = self.state.get_game().card_faces()
        for words, event, likely, forced, follows in self.state._story(self._seat, self._told):
            name = "" if event is None else f" {self._pen.action(event, faces)}"
            doubt = " most likely" if likely else ""
            note = " (your only move)" if forced else ""
            print(self._pen(f"    {words}", "muted") if follows else f"  {words}{doubt}{name}{note}")
        self._told = self._own_actions()

    def _own_actions(self) -> int:
        return sum(player == self._seat for player, _ in self.state.history())

    def _show(self) -> None:
        print(f"\n{terminal.state(self.state, self._seat, colour=self._pen.colour)}\n")
        self._list_moves()

    def _moves(self) -> list[str]:
        return [self.state.action_to_string(action) for action in self.state.legal_actions()]

    def _list_moves(self) -> None:
        faces = self.state.get_game().card_faces()
        width, line = shutil.get_terminal_size().columns, 0
        parts: list[str] = []
        for number, name in enumerate(self._moves(), start=1):
            mark = f"{number}) " if self._numbered else ""
            line += len(mark) + len(name) + 3
            if line > width:
                parts.append("\n")
                line = len(mark) + len(name) + 3
            parts.append(f"{mark}{self._pen.action(name, faces)}   ")
        print("\n".join(row.rstrip() for row in "".join(parts).splitlines()))

    def _ask(self, legal: list[int]) -> int | None:
        """Returns the person's move, or nothing to end the game; answers everything else."""
        while True:
            try:
                typed = input("> ").strip()
            except (EOFError, KeyboardInterrupt):
                # At the prompt, Ctrl-C is an answer.
                interrupts.noticed = False
                print()
                return None
            answer = _name(typed)
            if not sys.stdin.isatty():
                print(typed)
            move = self._move(answer)
            if move is not None:
                return self.state.legal_actions()[move]
            word = self._answers.get(answer)
            if word == "quit":
                return None
            if word is not None:
                self._answer(word)
            elif answer:
                # Names of one or two letters are all alike.
                known = [text for text in [*map(_name, self._moves()), *self._answers] if len(text) > 2]
                alike = [f" (did you mean '{text}'?)" for text in difflib.get_close_matches(answer, known, 1)]
                print(f"'{typed}' is not one of your moves{''.join(alike)}: ", end="")
                self._list_moves()

    def _move(self, answer: str) -> int | None:
        """Returns the place of the move that is meant: by its name, or else by its number."""
        names = [_name(move) for move in self._moves()]
        if answer in names:
            return names.index(answer)
        if self._numbered and answer.isdecimal() and 1 <= int(answer) <= len(names):
            return int(answer) - 1
        return None

    def _answer(self, word: str) -> None:
        if word == "help":
            ways = "number or the name" if self._numbered else "name"
            print(f"Answer with the {ways} of a move, or with:")
            for *texts, about in _ANSWERS:
                print(f"  {', '.join(self._texts(*texts)):<12}{about}")
            seen = " ".join([terminal.state(self.state, self._seat, colour=False), *self._moves()])
            for meaning in rules.words(self.state.get_game().short_name(), seen):
                print(_wrapped("{}: {}".format(*meaning)))
            self._list_moves()
        elif word == "state":
            self._show()
        elif word == "undo":
            self._undo()
        else:
            try:
                print(self._help_of(word))
            except (AgentError, RulesError) as error:
                print(error)
            self._list_moves()

    def _help_of(self, word: str) -> str:
        if word == "rules":
            return rules.text(self.state.get_game().short_name(), colour=self._pen.colour)
        if word == "beliefs":
            if not self.state.get_game().card_faces():
                return worlds_in_words(self.state, self._seat)
            return terminal.beliefs(self._adviser.beliefs(self.state), colour=self._pen.colour)
        view = self.state.resample_from_infostate(self._seat, 0)
        found = replays.searched(view, self._adviser, replays.SEARCHES)
        return f"{len(found)} searches by {self._adviser}:\n{terminal.comparison(found, colour=self._pen.colour)}"

    def _undo(self) -> None:
        if not self._choices:
            print("There is nothing to take back.")
            self._list_moves()
            return
        self.state = self._choices.pop()
        self._told = self._own_actions()
        print("Your last choice is taken back; the cards stay as they are.")
        self._show()

    def show_end(self) -> None:
        """Prints the result and its reason, and what the person has not seen."""
        state, seat = self.state, self._seat
        print("\nThe game is over." if state.is_terminal() else "\nYou leave the game.")
        if state.is_terminal():
            returns = state.returns().tolist()
            best, first = max(returns), returns.count(max(returns))
            outcome = "lose" if returns[seat] < best else "win" if first == 1 else "share first place"
            told = [f"{endings.called(player, seat)} {round(value, 3):+g}" for player, value in enumerate(returns)]
            print(_wrapped(f"You {outcome}: {', '.join(told)}. {endings.why(state, seat)}".strip()))
        # The last line tells the next event, or the returns.
        table, seen = (terminal.state(state, view, colour=self._pen.colour).splitlines()[:-1] for view in (None, seat))
        if table != seen:
            print("\n".join(["With all cards open:", "", *table]))
            return
        hands, number = _last_deal(state)
        when = "" if number == 1 else " in the last deal"
        for player, hand in enumerate(hands):
            if hand and player != seat:
                print(f"Seat {player} was dealt{when}: {' '.join(hand)}.")
        hidden = [state.action_to_string(player, action) for player, action in hidden_events(state, seat)]
        if hidden:
            print(f"Never shown to you: {' '.join(hidden)}.")


def _last_deal(state: State) -> tuple[list[list[str]], int]:
    """Returns the hands of all players after the last deal, and the number of deals."""
    replayed, deals = state.get_game().new_initial_state(), 0
    hands: list[list[str]] = []
    is_dealing = False
    for _, action in state.history():
        if replayed.is_chance_node():
            is_dealing = is_dealing or not any(map(replayed.hand, range(state.num_players())))
        replayed.apply_action(action)
        if is_dealing and not replayed.is_chance_node():
            hands, deals = [replayed.hand(player) for player in range(state.num_players())], deals + 1
            is_dealing = False
    return hands, deals


def _plain_suits(faces: dict[str, Face], special: Collection[str]) -> list[list[str]]:
    """The cards by suit, without the special ones; as one row of suits and ranks if all suits have the same ranks."""
    left = [[card for card in row if card not in special] for row in suits(faces)]
    left = [row for row in left if row]
    ranks = {tuple(card[1:] for card in row) for row in left}
    signs = [{card[0] for card in row} for row in left]
    if len(left) < 2 or len(ranks) > 1 or any(len(sign) > 1 for sign in signs) or len(left[0]) < 2:
        return left
    return [[*(row[0][0] for row in left), f"{left[0][0][1:]}-{left[0][-1][1:]}"]]


def _range(cards: list[str]) -> str:
    """The cards of a suit: all of them, or the first and the last of many."""
    return " ".join(cards) if len(cards) < 6 else f"{cards[0]} to {cards[-1]}"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, shutil.get_terminal_size().columns, subsequent_indent="  ")


def _name(text: str) -> str:
    return text.strip().casefold()
