"""A person against an agent, in the terminal. The person is shown what its seat knows, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stier._native import CHANCE, Agent, Game, State

#: Worlds that are compared to find out which events the person knows.
WORLDS = 32

HELP = """Answer with the number or the name of a move. More:
  ?   this help and your moves
  s   the table again
  q   end the game"""


def play(game: Game, opponent: Agent, seat: int, seed: int) -> int:
    """Play one game, the person on `seat`, the opponent on all others; gives the exit code."""
    state = game.new_initial_state(seed=seed)
    state.to_text(seat)  # an unknown seat is an error before anything is shown
    opponent.restart(seed)
    print(f"You are seat {seat} of {game}, seed {seed}; the others are {opponent}. ? for help, q to end.")
    told: set[int] = set()
    while not state.is_terminal():
        if state.current_player() != seat:
            state.apply_action(opponent.step(state))
            continue
        _tell(state, seat, told)
        print(f"\n{state.to_text(seat)}\n")
        action = _ask(state, seat)
        if action is None:
            break
        state.apply_action(action)
    _tell(state, seat, told)
    _show_end(state, seat)
    return 0


def _tell(state: State, seat: int, told: set[int]) -> None:
    """Print what the person has come to know of the events not `told` yet, but not what it did itself."""
    history = state.history()
    # The deal before the first decision is best seen on the table.
    first = next((index for index, (player, _) in enumerate(history) if player != CHANCE), len(history))
    news = [index for index in sorted(known_events(state, seat) - told) if index >= first]
    told.update(news)
    for index in news:
        player, action = history[index]
        if player != seat:
            who = "drawn or turned up" if player == CHANCE else f"seat {player}"
            print(f"  {who}: {state.action_to_string(player, action)}")


def _worlds(state: State, seat: int) -> Iterator[list[tuple[int, int]]]:
    """Histories that the seat cannot tell apart from the true one."""
    for seed in range(WORLDS):
        yield state.resample_from_infostate(seat, seed).history()


def known_events(state: State, seat: int) -> set[int]:
    """Returns the indices of the events that the seat knows: the events that are alike in all of its worlds.

    Worlds are compared from one action of the seat to the next, because a game may hide how many events lie between
    them. The worlds are a sample, so an event that is only very likely may count as known.
    """
    history = state.history()
    places = by_own_actions(history, seat)
    known = set(range(len(history)))
    for world in _worlds(state, seat):
        other = dict(zip(by_own_actions(world, seat), world, strict=True))
        known &= {index for index, place in enumerate(places) if other.get(place) == history[index]}
    return known


def by_own_actions(history: list[tuple[int, int]], seat: int) -> list[tuple[int, int]]:
    """Returns the place of each event: the number of the seat's actions so far, and of the events since the last."""
    places, actions, since = [], 0, 0
    for player, _ in history:
        actions, since = (actions + 1, 0) if player == seat else (actions, since + 1)
        places.append((actions, since))
    return places


def hidden_events(state: State, seat: int) -> list[tuple[int, int]]:
    """The events that the seat does not know to have happened, at whatever place, sorted."""
    happened = Counter(state.history())
    seen = happened.copy()
    for world in _worlds(state, seat):
        seen &= Counter(world)
    return sorted((happened - seen).elements())


def _ask(state: State, seat: int) -> int | None:
    """The move that the person chooses; `None` to end the game."""
    legal = state.legal_actions()
    names = [state.action_to_string(action) for action in legal]
    moves = "   ".join(f"{number}) {name}" for number, name in enumerate(names, start=1))
    print(moves)
    while True:
        try:
            answer = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return None
        if answer == "q":
            return None
        if answer == "?":
            print(f"{HELP}\n{moves}")
        elif answer == "s":
            print(f"{state.to_text(seat)}\n{moves}")
        elif (choice := _choice(answer, names)) is not None:
            return legal[choice]
        elif answer:
            print(f"'{answer}' is none of your moves: {moves}")


def _choice(answer: str, names: list[str]) -> int | None:
    """Which of the moves is meant: a name, whatever the case, or else a number."""
    folded = [name.casefold() for name in names]
    if answer.casefold() in folded:
        return folded.index(answer.casefold())
    if answer.isdecimal() and 1 <= int(answer) <= len(names):
        return int(answer) - 1
    return None


def _show_end(state: State, seat: int) -> None:
    """All cards open, and the result."""
    print("\nThe game is over." if state.is_terminal() else "\nYou leave the game.")
    print(f"With all cards open:\n\n{state}\n")
    hidden = [state.action_to_string(player, action) for player, action in hidden_events(state, seat)]
    if hidden:
        print(f"Never shown to you: {' '.join(hidden)}")
    if state.is_terminal():
        returns = state.returns().tolist()
        best, first = max(returns), returns.count(max(returns))
        outcome = "lose" if returns[seat] < best else "win" if first == 1 else "share first place"
        print(f"You {outcome}: {returns[seat]:+g}. By seat: {', '.join(f'{value:+g}' for value in returns)}.")
