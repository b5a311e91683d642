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
from charts import draw, illustrated
from decks import DECKS, LARGEST, NEAR, SEEDS, game_of, network
from measure import machine
from rows import Row, completed

import stier
from stier.experiments import markdown_table, page

HERE = Path(__file__).resolve().parents[1]
TABLE = HERE / "endings.csv"
#: Endings that are solved in part, which `limited.py` measures.
LIMITED = HERE / "limited.csv"

#: The iterations of an ending, and those of max_margin, which needs more.
FEW_ITERATIONS, MORE_ITERATIONS = "20", "200"
#: The part of the own hands that is left out.
CUT = "0.001"
#: Gadgets, each with the share of the opponent's range, that of the hands that are left out, and iterations.
KINDS = [
    ("unsafe", "", CUT, FEW_ITERATIONS),
    *(("resolve", share, CUT, FEW_ITERATIONS) for share in ("0", "0.1", "0.5")),
    *(("max_margin", share, CUT, MORE_ITERATIONS) for share in ("0", "0.1", "0.5")),
]
#: The same with other numbers of hands, in all decks but the largest.
CUTS = [(*kind, FEW_ITERATIONS) for kind in (("unsafe", "", "0"), ("resolve", "0.1", "0"), ("resolve", "0.1", "0.01"))]
#: Those in the largest, where a row takes 25 to 50 CPU seconds.
LARGE = [("unsafe", "", CUT, FEW_ITERATIONS), *(("resolve", share, CUT, FEW_ITERATIONS) for share in ("0", "0.1"))]
#: Those in the deck whose networks come near an equilibrium.
ITERATED = [
    (*kind, CUT, iterations)
    for kind in (("unsafe", ""), ("resolve", "0"), ("resolve", "0.1"), ("max_margin", "0.1"))
    for iterations in ("20", "50", "200", "1000")
]
#: Endings in the full game: with or without an attack, tricks, bouts to measure, and the aim in milliseconds.
SPEEDS = [(False, 3, 20, 5), (True, 2, 20, 10), (False, 4, 6, 1000), (True, 3, 10, 500)]
#: Reading of the table of `speed`.
SPEED = (
    "CPU milliseconds of the slowest decision of a bout, in which the ending is solved, with the default network: the "
    "median over bouts and the largest. After an attack the network plays both sides. It attacks in all bouts, so "
    "without an attack both take the first legal card. Aims are for the largest: with three tricks left without an "
    "attack more than half of the time are the ranges, for which the network is asked about some 7,000 hands at "
    "earlier decisions; with three after an attack two fifths are questions to the network about the ending itself, "
    "which gadgets need, and the rest the iterations.\n\n"
    "The network in integers leaves more hands likely than its teacher did, because small probabilities are less "
    "exact. A start from the network's policy instead of the uniform one is better only below ten iterations."
)
#: Reading of the table of matches.
STRENGTH = (
    "Points per bout of an agent that solves so many tricks after an attack, against the same or another agent without "
    "endings. *Expected*: the network plays both sides until an ending begins; the value of the rest is computed "
    "exactly, for the agent and for the network alone. *Matches*: bouts are played to the end; for each seed all "
    "matches have the same deals. *Seeds* are the two that are farthest apart. `lbr` is the guided responder "
    "(`lbr:continuation=network,margin=1`), which knows the agent's policy but simulates it without endings until one "
    "begins, so its rows with and without endings are not the same bound. The network draws its actions, and `mmds` "
    "has 450 rollouts.\n\n"
    "In all bouts that were looked at (1,500 of the network against itself, 60 against `best`) somebody attacked, so "
    "endings without an attack (`ending_tricks`) do not occur, and their strength was not measured. Against itself the "
    "agent knows how its opponent plays: the ranges that it assumes are the true ones, which is when `unsafe` gains "
    "most."
)
#: Reading of the table of `in_part`.
IN_PART = (
    "All methods are without a gadget and have 50 iterations; ranges are those of the policies so far. *One trick* "
    "and *two tricks* are the first 2 and 4 decisions of the bout, an attack included: they are solved with values "
    "at the cut, for every pair of hands, and the network plays before and after, or what is left after the first "
    "trick is solved, too (*then all*).\n\n"
    "- *Network plays on*: the exact value of the pair if both follow the network to the end. Two of four tricks "
    "solved in this way leave less than the last three solved in full; one leaves most, and one, and then the last "
    "three, less than either alone.\n"
    "- *Solved endings*: the value of the pair if both follow the endings that are solved from the network's "
    "ranges. It leaves less again, in both decks.\n"
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
KEY = ("deck", "seed", "tricks", "gadget", "range_share", "range_cut", "iterations")
#: The kind of a row without endings.
ALONE = ("0", "", "", "", "")


def measured(*key: str) -> Row:
    """The row of a key."""
    deck, seed, tricks, gadget, share, cut, iterations = key
    agent = f"network:path={network(deck, seed)},choose=sample"
    if tricks != "0":
        agent += f",endings=ranges,ending_tricks={tricks},attack_tricks={tricks},gadget={gadget}"
        agent += f",range_cut={cut},ending_iterations={iterations}"
        agent += f",range_share={share}" if share else ""
    before = time.process_time()
    found = stier.solving.nash_conv(game_of(deck), agent, ranges=True, threads=1)
    seconds = time.process_time() - before
    return dict(zip(KEY, key, strict=True)) | {"nash_conv": f"{found:.6f}", "cpu_seconds": f"{seconds:.1f}"}


def wanted() -> Iterator[tuple[str, ...]]:
    """The keys of all rows."""
    for deck, (_, numbers) in DECKS.items():
        for seed in map(str, SEEDS):
            yield deck, seed, *ALONE
            kinds = {NEAR: ITERATED, LARGEST: LARGE}.get(deck, [*KINDS, *CUTS])
            yield from ((deck, seed, str(tricks), *kind) for tricks in numbers for kind in kinds)


def milliseconds(attack: bool, tricks: int, gadget: str, bouts: int) -> str:
    """CPU milliseconds of the slowest decision of a bout, which solves the ending: median and maximum."""
    game = stier.load_game("schwinget")
    options = f"endings=ranges,ending_tricks={tricks},attack_tricks={tricks},gadget={gadget}"
    agent, player = (stier.load_agent(f"network:choose=sample{more}", game) for more in (f",{options}", ""))
    found = []
    for seed in range(bouts):
        state, taken = game.new_initial_state(seed=seed), [0.0]
        player.restart(seed)
        while not state.is_terminal():
            before = time.process_time()
            agent.step(state)
            taken.append(1000 * (time.process_time() - before))
            state.apply_action(player.step(state) if attack else state.legal_actions()[0])
        found.append(max(taken))
    return f"{np.median(found):.0f} (at most {max(found):.0f})"


def speed() -> str:
    """A line for each ending in the full game."""
    rows = []
    for attack, tricks, bouts, aim in SPEEDS:
        name = f"{tricks} tricks left, {'after' if attack else 'without'} an attack"
        found = [milliseconds(attack, tricks, gadget, bouts) for gadget in ("resolve", "unsafe")]
        rows.append([name, *found, aim])
    return markdown_table(["ending", "`resolve`", "`unsafe`", "aim"], rows)


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
    return np.divide(nash_convs(groups[kind]), nash_convs(groups[(kind[0], *ALONE)]))


def label(gadget: str, share: str) -> str:
    """The name of a gadget in a table."""
    return f"{gadget}, share {share}" if share else gadget


def summary(groups: Groups) -> str:
    """A line for each deck and number of tricks, with the mean parts that are left."""
    kinds = [KINDS[0], KINDS[2], KINDS[5], KINDS[1], KINDS[4]]
    rows = []
    for deck, (_, numbers) in DECKS.items():
        alone = f"{np.mean(nash_convs(groups[(deck, *ALONE)])):.4f}"
        for tricks in map(str, numbers):
            found = [(deck, tricks, *kind) for kind in kinds]
            shares = [percent(left(groups, kind).mean()) if kind in groups else "" for kind in found]
            rows.append([deck, tricks, alone, *shares])
    return markdown_table(["deck", "tricks solved", "alone", *(label(*kind[:2]) for kind in kinds)], rows, left=2)


def iterated(groups: Groups) -> str:
    """A line for each gadget, and a column for each number of iterations: the part that is left, and the largest."""
    numbers = sorted({kind[-1] for kind in ITERATED}, key=int)
    rows = []
    for gadget in dict.fromkeys(kind[:2] for kind in ITERATED):
        found = [left(groups, (NEAR, "2", *gadget, CUT, number)) for number in numbers]
        rows.append([label(*gadget), *(f"{percent(one.mean())} ({percent(one.max())})" for one in found)])
    return markdown_table(["gadget", *(f"{number} iterations" for number in numbers)], rows)


COLUMNS = ["deck", "tricks solved", "gadget", "range share", "range cut", "iterations"]


def means(groups: Groups) -> str:
    """A line for each deck, number of tricks and kind: means, and the seed of which most is left."""
    rows = []
    for kind in groups:
        found, mean = left(groups, kind), f"{np.mean(nash_convs(groups[kind])):.4f}"
        worst = f"{percent(found.max())} (seed {found.argmax()})" if kind[2] else ""
        rows.append([*kind[:2], kind[2] or "*alone*", *kind[3:], mean, percent(found.mean()), worst])
    return markdown_table([*COLUMNS, "NashConv", "left", "worst seed"], rows, len(COLUMNS))


def seeds(groups: Groups) -> str:
    """A line for each deck, number of tricks and kind: NashConv of all seeds."""
    lines = []
    for kind, rows in groups.items():
        lines.append([*kind[:2], kind[2] or "*alone*", *kind[3:], *(f"{one:.6f}" for one in nash_convs(rows))])
    return markdown_table([*COLUMNS, *(f"seed {seed}" for seed in SEEDS)], lines, len(COLUMNS))


def in_part() -> str:
    """A line for each deck and method by which endings are solved in part: what is left, and all seeds."""
    found = pd.read_csv(LIMITED).pivot(index=["deck", "method"], columns="seed", values="nash_conv")
    rows = []
    methods = pd.read_csv(LIMITED)[["deck", "method"]].drop_duplicates().itertuples(index=False, name=None)
    for deck, method in sorted(methods, key=lambda one: one[0]):
        own, parts = found.loc[deck, method], found.loc[deck, method] / found.loc[deck, "alone"]
        shares = [percent(parts.mean()), percent(parts.max())] if method != "alone" else ["", ""]
        seeds = own.map("{:.4f}".format, na_action="ignore").fillna("")
        rows.append([deck, method, f"{own.mean():.4f}", *shares, *seeds])
    names = ["deck", "solved", "NashConv", "left", "worst seed", *(f"seed {seed}" for seed in SEEDS)]
    return markdown_table(names, rows, left=2)


def endings(rows: Sequence[Row], times: str, where: list[str]) -> str:
    """Returns the page.

    Args:
        rows: The table.
        times: The table of `speed`.
        where: Commit and machine.
    """
    groups = grouped(rows)
    shares = {kind: left(groups, kind) for kind in groups if kind[2]}
    gadgets = [kind for kind in shares if kind[2] != "unsafe"]
    # With a gadget only a network near an equilibrium became easier to exploit, in few iterations.
    worse = [kind for kind in gadgets if shares[kind].max() > 1]
    assert {(kind[0], kind[5]) for kind in worse} <= {(NEAR, FEW_ITERATIONS)}, worse

    def between(deck: str, tricks: int) -> str:
        chosen = [kind for kind in gadgets if (*kind[:2], kind[4]) == (deck, str(tricks), CUT)]
        found = np.concatenate([shares[kind] for kind in chosen])
        return f"{100 * found.min():.0f} to {percent(found.max())}"

    def cost(gadget: str, cut: str) -> str:
        pairs = [(kind, (*kind[:4], "0", kind[5])) for kind in groups if (kind[2], kind[4]) == (gadget, cut)]
        found = [
            np.subtract(nash_convs(groups[one]), nash_convs(groups[other])) for one, other in pairs if other in groups
        ]
        return f"{np.max(found):.4f}"

    uniform = [
        np.mean(nash_convs(groups[(deck, *ALONE)])) / stier.solving.nash_conv(game_of(deck), "random", ranges=True)
        for deck in DECKS
    ]
    _, _, three, _ = DECKS
    *first, last = (f"{100 * one:.1f}" for one in uniform)
    listed = f"{', '.join(first)} and {last}"
    safe = np.concatenate([shares[kind] for kind in gadgets])
    without = max(found.max() for kind, found in shares.items() if kind[2] == "unsafe")
    text = page(
        "Do solved endings bring a network nearer to equilibrium?",
        "Yes, with a *gadget*, which limits what the opponent can gain: in "
        f"{(safe < 1).sum()} of {safe.size} measurements of 20 networks in four small decks, and in all with 50 "
        "iterations. Without one (`unsafe`) networks near an equilibrium became up to "
        f"{without:.0f} times as easy to exploit. Solving the last two of four tricks with a gadget leaves "
        f"{between(three, 2)} of a network's NashConv, the last three {between(three, 3)}; in the full game "
        "exploitability was not measured.",
        sure=[
            "Exact NashConv of five networks in each deck, before and after. Endings have "
            f"{FEW_ITERATIONS} iterations, with `max_margin` {MORE_ITERATIONS}. *Share* is `range_share`: with 0 no "
            "hand of the opponent can win more than against the network.",
            "The network, the number of tricks and the iterations. Near an equilibrium 20 iterations can make a "
            "network easier to exploit even with a gadget, and 50 leave half to two thirds of what 20 leave. A share "
            "of 0.1 or 0.5 mostly leaves less than a share of 0, but is less safe.",
            f"Larger games. {ending_matches.answer()} No gain was shown for `mmds` and `best`.",
        ],
        command="python benches/python/endings.py",
        details={
            "Means by deck": f"{summary(groups)}\nMeans of five networks: NashConv in points *alone*, and the part of "
            "it that is left.",
            "How many iterations?": f"{iterated(groups)}\nThe part of the network's NashConv that is left in the "
            "deck of 2x3, where networks are nearest to an equilibrium: means of five, and the largest.",
            "Means and worst seeds": means(groups),
            "All seeds": seeds(groups),
            "About": "A deck of *2x4* has two suits of four cards and a counter, without a referee; with two cards in "
            "a hand three are set aside, with three one. Both have two cards in the pile, as has the deck of *2x3*; a "
            "deck of *2x5* has four. *Tricks solved* are both `ending_tricks` and `attack_tricks`. *Left* is NashConv "
            "divided by that of the same network alone; the *worst seed* is that with the largest part.\n\n"
            "*The networks* draw their actions, have learned from 1,048,576 decisions (2x3: three times as many) and "
            f"have {listed} % of the NashConv of uniform play. An ending mends only what the network loses in it.\n\n"
            f"*Unlikely own hands.* To leave them out (`range_cut={CUT}`) cost at most {cost('resolve', CUT)} points "
            f"of NashConv with `resolve`, {cost('resolve', '0.01')} at 0.01, and {cost('unsafe', CUT)} with "
            "`unsafe`.\n\n"
            "*Not shown.* The matches of `mmds` and `best` could have missed a gain of 0.03 points. Endings that are "
            "solved in part have no gadget, and were not tried in matches.\n\n"
            "*From an equilibrium.* The test `an_equilibrium_stays_one_only_with_a_gadget` solves all parts of Kuhn "
            "and Leduc poker and of a deck of 2x3 anew, in 1,000 iterations from a policy of 2,000, with share 0: "
            "without a gadget NashConv rises by more than 0.01 in each, with one by less than 0.001.",
            "Strength in the full game": f"{ending_matches.table()}\n{STRENGTH}",
            "Speed in the full game": f"{times}\n\n{SPEED}",
            "Endings solved up to a depth, or for known hands": f"{in_part()}\n{IN_PART}",
            "Where and when": "\n".join(where),
        },
    )
    return illustrated("endings", text)


def main() -> None:
    """Measures what is missing in the table, and writes the page."""
    os.nice(10)
    rows = completed(TABLE, KEY, wanted(), measured)
    text = endings(rows, speed(), machine())
    (HERE / "ENDINGS.md").write_text(text, "utf-8")
    draw("endings", text)


if __name__ == "__main__":
    main()
