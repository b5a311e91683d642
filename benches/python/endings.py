"""Networks with endings that are solved over ranges, in decks where NashConv is exact: writes `ENDINGS.md`.

Rows that are in `benches/endings.csv` already are not computed again (see `rows.completed`). A row takes 10 to 50 CPU
seconds in the deck of a billion histories, and two in the others.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import ending_matches
import numpy as np
import numpy.typing as npt
import pandas as pd
from decks import DECKS, LARGEST, SEEDS, game_of, network
from measure import machine
from rows import Row, completed

import stier
from stier.experiments import header, line, page

HERE = Path(__file__).resolve().parents[1]
TABLE = HERE / "endings.csv"
#: Endings that are solved in part, which `limited.py` measures.
LIMITED = HERE / "limited.csv"

#: Gadgets, each with the share of the opponent's range and that of the hands that are left out; empty for the default.
KINDS = [
    ("unsafe", "", ""),
    *((gadget, share, "") for gadget in ("resolve", "max_margin") for share in ("0", "0.1", "0.5")),
]
#: The same with other numbers of hands, in all decks but the largest.
CUTS = [("unsafe", "", "0"), ("resolve", "0.1", "0"), ("resolve", "0.1", "0.01")]
#: Those in the largest, where a row takes 25 to 50 CPU seconds.
FEW = [("unsafe", "", ""), ("resolve", "0", ""), ("resolve", "0.1", "")]
#: The iterations of max_margin, which needs more than the default.
ITERATIONS = 200
#: Endings in the full game: with or without an attack, tricks, bouts to measure, and the aim in milliseconds.
SPEEDS = [(False, 3, 20, 5), (True, 2, 20, 10), (False, 4, 6, 1000), (True, 3, 6, 500)]
#: Reading of the table of `speed`.
SPEED = (
    "With three tricks left, 6 or 7 ms of it are the ranges: the network is asked about 7,000 hands at earlier "
    "decisions. In the large endings a third is finding the public states, a tenth the network, and the rest 20 "
    "iterations of about 60 ms over 1.5 to 6 million hands. There a solution reads how hands move in 5,000 to 15,000 "
    "shapes of public states, of which most have one to three public states each.\n\nThe network in integers leaves "
    "more hands likely than its teacher did, because small probabilities are less exact: after an attack with three "
    "tricks left `range_cut=0.0001` kept 110 to 1,129 of 1,330 own hands in three bouts, with the teacher 42 to 946. "
    "That made these endings twice as slow. A start from the network's policy instead of the uniform one is better "
    "only below ten iterations."
)
#: Reading of the table of matches.
STRENGTH = (
    "Points per bout of an agent with endings of so many tricks against the same or another agent without; `lbr` is "
    "the guided responder (`lbr:continuation=network,margin=1`), which knows the agent's policy but simulates it "
    "without endings until one begins. The network draws its actions, and `mmds` has 450 rollouts. For each seed all "
    "matches have the same deals; *seeds* are the two that are farthest apart. An ending of one trick has no choice "
    "left in it, so the first row says what the noise is."
)
#: Reading of the table of `in_part`.
IN_PART = (
    "All methods are without a gadget and have 50 iterations; ranges are those of the policies so far. *One trick* "
    "and *two tricks* are the first 2 and 4 decisions of the bout, an attack included: they are solved with values "
    "at the cut, for every pair of hands, and the network plays before and after, or what is left after the first "
    "trick is solved, too (*then all*).\n\n"
    "- *Network plays on*: the exact value of the pair if both follow the network to the end. It helps in every "
    "seed. Two of four tricks solved in this way leave as much as the last three solved in full; one, and then the "
    "last three, half of that.\n"
    "- *Solved endings*: the value of the pair if both follow the endings that are solved from the network's "
    "ranges. Mostly no better in the deck of four tricks, and better in that of three.\n"
    "- *Value head*: the network's value for the player to act, from its own hand. It makes the policy many times "
    "worse than the network: it is wrong where the network seldom plays, and the solver seeks such places. *After a "
    "trick* of play by the network it is still several times worse with four tricks; with three, nothing is left to "
    "value.\n"
    "- *Known hands* (two seeds): the last two tricks, solved for each hand of a player by itself (as in Obscuro, "
    "to order 2): the other player has the hands that fit, and the player all hands that fit one of those. It helps "
    "less than all hands at once, and a player that knows only its own hand solves one such ending, not all.\n\n"
    "*In the full game* a player that knows its hand has 9 times fewer pairs of hands to solve with four tricks "
    "left when the pile is used up (1,225 of 11,550), and 23 times fewer with five. After an attack, which four "
    "bouts in five are, it has only 2.3 and 3.4 times fewer, because every own hand fits some hand of the other "
    "player. *Network plays on* needs a bout of the network for every pair and play, which is too many for all "
    "pairs with five tricks left, so hands would have to be drawn. The strength of endings that are solved in part "
    "was not measured there, and agents do not have them."
)
KEY = ("deck", "seed", "tricks", "gadget", "range_share", "range_cut")


def measured(*key: str) -> Row:
    """The row of a key."""
    deck, seed, tricks, gadget, share, cut = key
    agent = f"network:path={network(deck, seed)},choose=sample"
    if tricks != "0":
        agent += f",endings=ranges,ending_tricks={tricks},attack_tricks={tricks},gadget={gadget}"
        agent += f",range_share={share}" if share else ""
        agent += f",range_cut={cut}" if cut else ""
        agent += f",ending_iterations={ITERATIONS}" if gadget == "max_margin" else ""
    before = time.process_time()
    found = stier.solving.nash_conv(game_of(deck), agent, ranges=True, threads=1)
    seconds = time.process_time() - before
    return dict(zip(KEY, key, strict=True)) | {"nash_conv": f"{found:.6f}", "cpu_seconds": f"{seconds:.1f}"}


def wanted() -> Iterator[tuple[str, ...]]:
    """The keys of all rows."""
    for deck, (_, numbers) in DECKS.items():
        for seed in map(str, SEEDS):
            yield deck, seed, "0", "", "", ""
            kinds = FEW if deck == LARGEST else [*KINDS, *CUTS]
            yield from ((deck, seed, str(tricks), *kind) for tricks in numbers for kind in kinds)


def milliseconds(attack: bool, tricks: int, gadget: str, bouts: int) -> str:
    """CPU milliseconds of the slowest decision of a bout, which solves the ending: median and maximum."""
    game = stier.load_game("schwinget")
    options = f"endings=ranges,ending_tricks={tricks},attack_tricks={tricks},gadget={gadget}"
    agent = stier.load_agent(f"network:choose=sample,{options}", game)
    found = []
    for seed in range(bouts):
        state, taken = game.new_initial_state(seed=seed), [0.0]
        while not state.is_terminal():
            attacks = [action for action in state.legal_actions() if state.action_to_string(action) == "attack"]
            cards = [action for action in state.legal_actions() if action not in attacks]
            before = time.process_time()
            agent.step(state)
            taken.append(1000 * (time.process_time() - before))
            state.apply_action(attacks[0] if attack and attacks else cards[0])
        found.append(max(taken))
    return f"{np.median(found):.0f} (at most {max(found):.0f})"


def speed() -> str:
    """A line for each ending in the full game."""
    text = header(["ending", "`resolve`", "`unsafe`", "aim"], 1)
    for attack, tricks, bouts, aim in SPEEDS:
        name = f"{tricks} tricks left, {'after' if attack else 'without'} an attack"
        found = [milliseconds(attack, tricks, gadget, bouts) for gadget in ("resolve", "unsafe")]
        text += line([name, *found, str(aim)])
    return text


Groups = dict[tuple[str, ...], list[Row]]


def grouped(rows: Iterable[Row]) -> Groups:
    """The rows by deck, tricks and kind, ascending by seed."""
    found: Groups = {}
    for row in sorted(rows, key=lambda row: [*DECKS].index(row["deck"])):
        found.setdefault(tuple(row[name] for name in KEY if name != "seed"), []).append(row)
    return found


def nash_convs(rows: Iterable[Row]) -> list[float]:
    """NashConv of each row."""
    return [float(row["nash_conv"]) for row in rows]


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.0f} %"


def left(groups: Groups, kind: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """The part of the network's own NashConv that is left, by seed."""
    return np.divide(nash_convs(groups[kind]), nash_convs(groups[kind[0], "0", "", "", ""]))


def summary(groups: Groups) -> str:
    """A line for each deck and number of tricks, with the mean parts that are left."""
    kinds = [("unsafe", ""), ("resolve", "0.1"), ("max_margin", "0.1"), ("resolve", "0"), ("max_margin", "0")]
    names = [f"{gadget}, share {share}" if share else gadget for gadget, share in kinds]
    text = header(["deck", "tricks solved", "alone", *names], 2)
    for deck, (_, numbers) in DECKS.items():
        alone = f"{np.mean(nash_convs(groups[deck, '0', '', '', ''])):.4f}"
        for tricks in map(str, numbers):
            found = [(deck, tricks, *kind, "") for kind in kinds]
            text += line(
                [deck, tricks, alone, *(percent(left(groups, kind).mean()) if kind in groups else "" for kind in found)]
            )
    return text


def means(groups: Groups) -> str:
    """A line for each deck, number of tricks and kind: means, and the seed of which most is left."""
    columns = ["deck", "tricks solved", "gadget", "range share", "range cut"]
    text = header([*columns, "NashConv", "left", "worst seed"], len(columns))
    for kind in groups:
        found, mean = left(groups, kind), f"{np.mean(nash_convs(groups[kind])):.4f}"
        worst = f"{percent(found.max())} (seed {found.argmax()})" if kind[2] else ""
        text += line([*kind[:2], kind[2] or "*alone*", *kind[3:], mean, percent(found.mean()), worst])
    return text


def seeds(groups: Groups) -> str:
    """A line for each deck, number of tricks and kind: NashConv of all seeds."""
    columns = ["deck", "tricks solved", "gadget", "range share", "range cut"]
    text = header([*columns, *(f"seed {seed}" for seed in SEEDS)], len(columns))
    for kind, rows in groups.items():
        text += line([*kind[:2], kind[2] or "*alone*", *kind[3:], *(f"{one:.6f}" for one in nash_convs(rows))])
    return text


def in_part() -> str:
    """A line for each deck and method by which endings are solved in part: what is left, and all seeds."""
    found = pd.read_csv(LIMITED).pivot(index=["deck", "method"], columns="seed", values="nash_conv")
    text = header(["deck", "solved", "NashConv", "left", "worst seed", *(f"seed {seed}" for seed in SEEDS)], 2)
    methods = pd.read_csv(LIMITED)[["deck", "method"]].drop_duplicates().itertuples(index=False, name=None)
    for deck, method in sorted(methods, key=lambda one: one[0]):
        own, parts = found.loc[deck, method], found.loc[deck, method] / found.loc[deck, "alone"]
        shares = [percent(parts.mean()), percent(parts.max())] if method != "alone" else ["", ""]
        text += line(
            [deck, method, f"{own.mean():.4f}", *shares, *own.map("{:.4f}".format, na_action="ignore").fillna("")]
        )
    return text


def endings(rows: Sequence[Row], times: str, where: list[str]) -> str:
    """Returns the page.

    Args:
        rows: The table.
        times: The table of `speed`.
        where: Commit and machine.
    """
    groups = grouped(rows)
    shares = {kind: left(groups, kind) for kind in groups if kind[2]}
    worse = sum(int((found > 1).sum()) for found in shares.values())
    cases = sum(map(len, shares.values()))

    def between(deck: str, tricks: int) -> str:
        found = np.concatenate([one for kind, one in shares.items() if (*kind[:2], kind[4]) == (deck, str(tricks), "")])
        return f"{100 * found.min():.0f} to {percent(found.max())}"

    def cost(gadget: str, cut: str) -> str:
        pairs = [(kind, (*kind[:4], "0")) for kind in groups if (kind[2], kind[4]) == (gadget, cut)]
        found = [
            np.subtract(nash_convs(groups[one]), nash_convs(groups[other])) for one, other in pairs if other in groups
        ]
        return f"{np.max(found):.4f}"

    uniform = [
        np.mean(nash_convs(groups[deck, "0", "", "", ""]))
        / stier.solving.nash_conv(game_of(deck), "random", ranges=True)
        for deck in DECKS
    ]
    two, three, *_ = DECKS
    *first, last = (f"{100 * one:.1f}" for one in uniform)
    listed = f"{', '.join(first)} and {last}"
    return page(
        "Do solved endings bring a network nearer to equilibrium?",
        "Yes, in three small decks: of "
        f"{cases} cases, solving the last tricks over ranges made a network easier to exploit in {worse or 'none'}. "
        f"Solving the last two of three tricks leaves {between(two, 2)} of its NashConv, and the last three of four "
        f"{between(three, 3)}. Only a *gadget*, which limits what the opponent can gain, makes this certain: without "
        "one, an equilibrium of Kuhn poker became a policy with NashConv 0.11, with one less than 0.001.",
        picture=f"{summary(groups)}\nMeans of five networks: NashConv in points *alone*, and the part of it that is "
        "left.",
        sure=[
            "Exact NashConv of policies, five networks in each deck, which draw their actions, have learned from "
            f"1,048,576 decisions and have {listed} % of the NashConv of "
            f"uniform play. Endings have 20 iterations, with `max_margin` {ITERATIONS}. *Share* is `range_share`: with "
            "0 a gadget keeps every hand of the opponent from winning more than against the network.",
            "The network, and the number of tricks: an ending mends only what the network loses in it. A share of 0.1 "
            "or 0.5 mostly leaves less NashConv than a share of 0, most of all with three of four tricks, but is less "
            f"safe. To leave out unlikely own hands (`range_cut=0.001`) cost at most {cost('resolve', '')} points of "
            f"NashConv with `resolve`, {cost('resolve', '0.01')} at 0.01, and {cost('unsafe', '')} with `unsafe`.",
            "Larger games. In the full game the network won 0.04 points per bout against itself without endings if "
            "they are unsafe, and 0.01 with a gadget. It wins no more from `best` with endings, and neither `mmds` "
            "nor `best` become stronger. Two of four aims of speed are missed. With four tricks in a deck it helps to "
            "solve the first one or two, if the network plays on after them; with the network's own value there, "
            "NashConv becomes 8 to 26 times that of the network. This has no gadget, and was not tried in matches.",
        ],
        command="python benches/python/endings.py",
        details={
            "Means and worst seeds": means(groups),
            "All seeds": seeds(groups),
            "About": "A deck of *2x4* has two suits of four cards and a counter, without a referee; with two cards in "
            "a hand three are set aside, with three one. Both have two cards in the pile, a deck of *2x5* has four. "
            "*Tricks solved* are both `ending_tricks` and `attack_tricks`. *Left* is NashConv divided by that of the "
            "same network alone; the *worst seed* is that with the largest part.\n\n"
            "*From an equilibrium.* All parts of Kuhn poker after the first decision, solved anew in 1,000 iterations "
            "from a policy of 2,000, with share 0. Without a gadget the same leads to 0.05 in Leduc poker, and to 0.08 "
            "in a deck of 2x3. The test `an_equilibrium_stays_one_only_with_a_gadget` holds that each of the three "
            "rises by more than 0.01 without a gadget, and by less than 0.001 with one.\n\n"
            "*Speed.* CPU milliseconds of the slowest decision of a bout, in which the ending is solved: the median of "
            "6 or 20 bouts with the default network. Players take the first legal card, and either never attack or at "
            "the first chance.",
            "Strength in the full game": f"{ending_matches.table()}\n{STRENGTH}",
            "Speed in the full game": f"{times}\n\n{SPEED}",
            "Endings solved up to a depth, or for known hands": f"{in_part()}\n{IN_PART}",
            "Where and when": "\n".join(where),
        },
    )


def main() -> None:
    """Measures what is missing in the table, and writes the page."""
    os.nice(10)
    rows = completed(TABLE, KEY, wanted(), measured)
    (HERE / "ENDINGS.md").write_text(endings(rows, speed(), machine()), "utf-8")


if __name__ == "__main__":
    main()
