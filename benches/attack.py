"""Attacks at the first lead of Schwinget: how often at equilibrium, and the price of always. A kind of `stier run`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

import stier
from stier.experiments import Answer, OnProgress, TablePlan, Task, markdown_table
from stier.public import PublicTree
from stier.solving import Rows, Step, iterate

#: The columns of a deck, beside its name.
COUNTS = ("public_states", "information_sets", "iterations")
FIGURES = ("nash_conv", "uniform", "value", "least", "most", "attack", "attacks", "seconds")
#: The NashConv at which the solver stops, as a share of that of uniform play, and the most iterations.
TARGET, ITERATIONS = 1e-3, 1_000
#: The cards without a suit.
SPECIALS = ("KR", "BK")


class Attack(TablePlan):
    """Solves each ``game``, a deck of Schwinget, and once more with a first leader who has to attack at once.

    Both on public states, by discounted CFR, to a thousandth of the NashConv of uniform play. The table has a row for
    each deck: its value, the ``least`` and the ``most`` that the forced leader gets, how often the free one attacks,
    and how often anybody does in a bout, ``attacks``. Below it are rows for the kinds of hands at the first lead: the
    cards of the trump suit, empty without one, those of the longest other suit, the ``share`` of such hands, and how
    often they attack.
    """

    kind = "attack"
    keys: ClassVar[Mapping[str, Any]] = {"game": str}
    schema = pa.schema(
        {"game": "string", **dict.fromkeys(COUNTS, "int64"), **dict.fromkeys(FIGURES, "float64")}
        | {"trumps": "int64", "longest": "int64", "share": "float64", "made_by": "string"}
    )

    def work(self, row: Mapping[str, Any]) -> Iterator[Task]:
        """Makes a task for each deck."""
        game = stier.load_game(row["game"])
        game.string_to_action("attack")
        yield self.new_task(row["game"], {**row, "target": TARGET}, game)

    def measure(
        self, what: Mapping[str, Any], threads: int, work: Path, on_progress: OnProgress
    ) -> list[dict[str, Any]]:
        """Solves a deck."""
        game, begun = stier.load_game(what["game"]), time.process_time()
        attack = game.string_to_action("attack")
        uniform = stier.solving.nash_conv(game, "random", ranges=True, threads=threads)
        limits = {"iterations": ITERATIONS, "target": what["target"] * uniform, "threads": threads}
        work.mkdir(parents=True, exist_ok=True)
        resumed = (work / "checkpoint").exists()
        solution = stier.solve(game, "discounted_cfr", **limits, ranges=True, checkpoint=work / "checkpoint")
        hands, forced = [], np.zeros(2)
        for root in PublicTree(game, depth=1, threads=threads).roots:
            below = PublicTree(game, root=root.child("attack"), threads=threads)
            forced += bounds(below, iterate(below, Discounted, iterations=solution.iterations))
            for hand, share in enumerate(root.weights.sum(axis=1)):
                state = root.state(0, hand)
                chance = dict(solution.policy(state)).get(attack, 0.0)
                hands.append({**counts(state), "share": share, "attack": share * chance})
        found = pd.DataFrame(hands).groupby(["trumps", "longest"], dropna=False).sum().reset_index()
        deck = {name: getattr(solution, name) for name in (*COUNTS, "nash_conv", "value")}
        deck |= {"uniform": uniform, "least": forced[0], "most": forced[1], "attack": found["attack"].sum()}
        # The seconds before an interruption are not known.
        deck |= {"attacks": solution.frequency(attack), "seconds": None if resumed else time.process_time() - begun}
        kinds = found.assign(attack=found["attack"] / found["share"]).replace(np.nan, None).to_dict("records")
        return [{"game": what["game"], **row} for row in [deck, *kinds]]

    def evaluate(self, results: pd.DataFrame) -> Answer:
        """Shows the share of attacks and the price of attacking always, by size of hand and deck."""
        decks = with_rules(results[results["share"].isna()])
        details = {"All decks": of_decks(decks)}
        for deck in decks.itertuples():
            hands = results[(results["game"] == deck.game) & results["share"].notna()]
            details[f"By hand: {deck.cards}, {deck.hand} in a hand, {deck.pile} in the pile"] = by_hand(hands)
        return Answer(
            "How often does an equilibrium attack at the first lead?",
            "attacks at the first lead",
            {},
            lowest=False,
            sure=[f"{len(decks)} decks.", "Other equilibria of the same deck.", "The full deck."],
            details=details,
            picture=partial(picture, decks, self.given.get("title", "")),
        )


class Discounted:
    """Discounted CFR with the weights 3/2, 0 and 2 (Brown and Sandholm 2019, section 3)."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.regrets = rows, rows.zeros()

    def __call__(self, step: Step) -> tuple[Any, float]:
        """Returns the next policy, and the weight of this one."""
        kept = (step.iteration - 1) ** 1.5
        self.regrets *= np.where(self.regrets > 0, np.float32(kept / (kept + 1)), np.float32(0.5))
        self.regrets += step.regrets
        return self.rows.normalize(np.maximum(self.regrets, 0)), step.iteration**2


def bounds(tree: PublicTree, policies: Sequence[Any]) -> list[float]:
    """Returns what the first player gets at least with its policy, and at most against the policy of the other."""
    found = []
    for player in (1, 0):
        rows, best = Rows.of(tree, player), [policy.copy() for policy in policies]
        sizes = len(rows), len(rows), len(rows.sets), len(rows.sets)
        regrets, reach, values, others = (np.zeros(size, np.float32) for size in sizes)
        # The last choice is right after one pass, the one before it after two, and so on.
        for _ in range(tree.game.rules()["hand_size"] + 1):
            tree.regrets_into(player, best, regrets, reach, values, others)
            most = rows.spread(np.maximum.reduceat(regrets, rows.starts)) if len(rows) else regrets
            best[player][:] = rows.normalize((regrets == most).astype(np.float32))
        value = tree.follow(best).values(tree.roots[0])[player].sum(dtype=np.float64)
        found.append(float(-value if player else value))
    return found


def counts(state: stier.State) -> dict[str, int | None]:
    """Returns the trumps in the hand of the player to move, None without a trump suit, and the longest other suit."""
    trump = state.facts()["trump"]
    suits = [card[0] for card in state.hand() if card not in SPECIALS]
    plain = [suit for suit in suits if suit != trump]
    longest = max(map(plain.count, plain), default=0)
    return {"trumps": None if trump is None else suits.count(trump), "longest": longest}


def with_rules(decks: pd.DataFrame) -> pd.DataFrame:
    """Adds the cards of each deck, the cards in a hand and in the pile, and the price of attacking always."""
    games = [stier.load_game(game) for game in decks["game"]]
    rules = [game.rules() for game in games]
    special = [[name for name in ("referee", "counter") if own[name] == "on"] for own in rules]
    cards = [[f"{own['suits']}x{own['values']}", *names] for own, names in zip(rules, special, strict=True)]
    return decks.assign(
        suits=[own["suits"] for own in rules],
        cards=list(map(" + ".join, cards)),
        hand=[own["hand_size"] for own in rules],
        pile=[game.new_initial_state(seed=0).facts()["pile"] for game in games],
        price=decks["value"] - (decks["least"] + decks["most"]) / 2,
        error=(decks["most"] - decks["least"] + decks["nash_conv"]) / 2,
    )


def of_decks(decks: pd.DataFrame) -> str:
    """Returns a line for each deck."""
    names = ["attacks at the first lead", "in a bout", "price of always", "value", "NashConv", "in % of uniform play's"]
    head = ["deck", "hand", "pile", *names, "public states", "information sets", "iterations", "CPU seconds"]
    rows = []
    for row in decks.itertuples():
        shares = [f"{100 * row.attack:.1f} %", f"{100 * row.attacks:.1f} %"]
        price = f"{row.price:.4f} \N{PLUS-MINUS SIGN} {row.error:.4f}"
        distance = [f"{row.nash_conv:.1e}", f"{100 * row.nash_conv / row.uniform:.3f}"]
        sizes = [f"{row.public_states:,}", f"{row.information_sets:,}", row.iterations]
        seconds = "" if pd.isna(row.seconds) else f"{row.seconds:.1f}"
        rows.append([row.cards, row.hand, row.pile, *shares, price, f"{row.value:+.4f}", *distance, *sizes, seconds])
    return markdown_table(head, rows)


def by_hand(hands: pd.DataFrame) -> str:
    """Returns the attacks by trumps and the longest other suit, each with the share of such hands."""
    longest, rows = sorted(hands["longest"].unique()), []
    for trumps, own in hands.groupby("trumps", dropna=False):
        there = {row.longest: f"{100 * row.attack:.0f} % of {100 * row.share:.1f} %" for row in own.itertuples()}
        rows.append(["no trump suit" if pd.isna(trumps) else trumps, *(there.get(one, "") for one in longest)])
    return markdown_table(["trumps", *(f"{one} of another suit" for one in longest)], rows)


def picture(decks: pd.DataFrame, title: str) -> Any:
    """Draws attacks and price by the size of a hand, with a colour for each number of suits."""
    from matplotlib.lines import Line2D

    from stier import plots

    figure, axes = plots.panels((1, 2), (8.5, 4), title)
    drawn = (
        ("attack", 100, "attacks at the first lead, in %"),
        ("price", 1, "price of attacking always,\nin Schwinger points"),
    )
    for one, (column, factor, label) in zip(axes, drawn, strict=True):
        for suits, own in decks.groupby("suits"):
            colour = plots.COLOURS[suits - 2]
            for pile, marked in own.groupby("pile"):
                face = colour if pile == 2 else "none"
                one.scatter(marked["hand"], factor * marked[column], s=30, color=colour, facecolor=face)
            plain = own[(own["pile"] == 2) & ~own["cards"].str.contains("+", regex=False)].sort_values("hand")
            one.plot(plain["hand"], factor * plain[column], color=colour, label=f"{suits} suits")
        one.set(xlabel="cards in a hand", ylabel=label, xticks=sorted(set(decks["hand"])), ylim=(0, None))
    ring: Any = {"linestyle": "", "marker": "o", "color": "0.3"}
    circles = [
        Line2D([], [], markerfacecolor=face, label=f"{pile} cards in the pile", **ring)
        for pile, face in ((2, "0.3"), (4, "none"))
    ]
    lines = axes[0].get_legend_handles_labels()[0]
    figure.legend(handles=[*lines, *circles], frameon=False, fontsize=8, loc="outside lower center", ncols=5)
    figure.set_layout_engine("constrained", wspace=0.06)
    return figure
