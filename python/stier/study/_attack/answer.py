"""What the tables say, in words. Every figure and every judgement is taken from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from stier.study._attack.plan import SCORINGS
from stier.study._means import excludes_zero, with_interval

Tables = Mapping[str, pd.DataFrame]

#: What the thumb says to a person.
THUMB = (
    "Without a trump suit, attack. Otherwise count two for every trump in hand, one for every card of your longest "
    "other suit, one for the referee, and take one off for each trump that no unseen trump beats. Attack with four or "
    "more."
)

#: The searches, as they are called in a sentence.
LIGHTS = {
    "pimc": "open cards (`pimc`)",
    "presumed_pimc": "open cards with presumed values (`presumed_pimc`)",
    "epimc": "open cards from a later move on (`epimc`)",
    "ismcts:iterations=20000": "ISMCTS (20,000 iterations)",
    "best:iterations=20000": "the best agent (20,000 iterations)",
    "thumb": "the rule of thumb",
}

PLAYERS = {
    "fitted": "the fitted policy",
    "search": "the guided search",
    "thumb": "the rule of thumb",
    "always": "who attacks as soon as they may",
    "anyhow": "who attacks once in four chances, at random",
}

WHENS = {
    "never": "never attacking",
    "always": "always attacking at once",
    "random": "attacking at random at every second chance",
    "cards": "attacking when the cards' own player likes",
    "best": "the best agent (`best:iterations=1000`)",
    "fitted": "the fitted policy",
}

CARDS = {
    "fitted": "the fitted policy playing the cards",
    "search": "ISMCTS (1,000 iterations) playing them",
    "best": "the best agent playing them",
}


def answer(tables: Tables) -> str:
    """Paragraphs in Markdown; a table that is not there is not spoken of."""
    sections: list[tuple[str, str, Callable[[Tables, str], str]]] = [
        ("How much is an attack worth?", "by_tricks", _worth),
        ("When is it right?", "by_rule", _rule),
        ("What does it bring?", "parts", _parts),
        ("What do wrong decisions cost?", "mistakes", _mistakes),
        ("What do searches say?", "lights", _lights),
        ("What do exact solutions say?", "equilibria", _equilibria),
        ("What is the rule worth in play?", "matches", _matches),
        ("And in a match?", "match", _match),
    ]
    found = ["# When is an attack right?", *_short(tables)]
    for title, table, tell in sections:
        if table in tables:
            told = [(scoring, tell(tables, scoring)) for scoring in SCORINGS]
            lines = [f"- `{scoring}`: {text}" for scoring, text in told if text]
            lead = f"\n\n{THUMB}" if table == "by_rule" else ""
            found.append(f"## {title}{lead}\n\n" + "\n".join(lines))
    return "\n\n".join(found)


def _short(tables: Tables) -> list[str]:
    """The answer in few words."""
    lines = []
    if "by_rule" in tables:
        lines.append(f"**The rule.** {THUMB}")
        for scoring in SCORINGS:
            yes, no = (_row(tables["by_rule"], scoring=scoring, tricks=-1, rule=rule) for rule in (True, False))
            if yes is not None and no is not None:
                lines.append(
                    f"Under `{scoring}`, where it says attack, attacking {_compared(yes, 'now_minus_wait')} waiting; "
                    f"where it says wait, attacking {_compared(no, 'now_minus_wait')} waiting."
                )
    if "matches" in tables:
        for scoring in SCORINGS:
            rows = _pick(tables["matches"], scoring=scoring, cards="search")
            told = [
                f"{WHENS[row['against']]} by {with_interval(row, 'mean')}"
                for _, row in rows.iterrows()
                if row["mean"] > row["mean_ci95"]
            ]
            even = [WHENS[row["against"]] for _, row in rows.iterrows() if not excludes_zero(row, "mean")]
            if told:
                text = f"Under `{scoring}`, with ISMCTS playing the cards of both, the rule beats {_and(told)} a bout"
                lines.append(f"{text}; it is not told apart from {_and(even)}." if even else f"{text}.")
    if "match" in tables:
        for scoring in SCORINGS:
            rows = _pick(tables["match"], scoring=scoring, bouts_left=0)
            told = [
                f"{row['standing']}, attacking {_compared(row, 'now_minus_wait', 50)} waiting"
                for _, row in rows.iterrows()
                if excludes_zero(row, "now_minus_wait")
            ]
            if told:
                lines.append(
                    f"In the last bout of a match under `{scoring}` (percentage points of the match won, all hands): "
                    f"{'; '.join(told)}."
                )
    return ["\n".join(f"- {line}" for line in lines)] if lines else []


def _compared(row: Any, name: str, scale: float = 1.0) -> str:
    """Whether one thing is better than another."""
    mean, half = scale * row[name], scale * row[f"{name}_ci95"]
    digits = 2 if scale == 1 else 1
    if abs(mean) <= half:
        return f"is not told apart ({mean:+.{digits}f} ± {half:.{digits}f}) from"
    return f"is {'better' if mean > 0 else 'worse'} by {abs(mean):.{digits}f} ± {half:.{digits}f} than"


def _pick(table: pd.DataFrame, **where: object) -> pd.DataFrame:
    for name, value in where.items():
        table = table[table[name] == value]
    return table


def _row(table: pd.DataFrame, **where: object) -> Any:
    """The one row, or nothing."""
    found = _pick(table, **where)
    return found.iloc[0] if len(found) else None


def _after(tricks: float) -> str:
    return "before the first trick" if tricks == 0 else f"after {int(tricks)} trick{'s' if tricks > 1 else ''}"


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _worth(tables: Tables, scoring: str) -> str:
    chapters = _pick(tables["by_tricks"], scoring=scoring)
    sentences = []
    broad = _pick(chapters, chapter="broad")
    if len(broad):
        sure = broad[broad["now_minus_wait"] > broad["now_minus_wait_ci95"]]
        worse = broad[broad["now_minus_wait"] < -broad["now_minus_wait_ci95"]]
        figures = [f"{with_interval(row, 'now_minus_wait')} {_after(row['tricks'])}" for _, row in broad.iterrows()]
        say = "on the average hand attacking beats waiting at every number of tricks"
        if len(sure) < len(broad):
            say = f"on the average hand attacking beats waiting at {len(sure)} of {len(broad)} numbers of tricks"
            if len(worse):
                say += f" and is worse at {len(worse)}"
        never = broad.iloc[0]
        sentences.append(
            f"{say}: by {'; '.join(figures)}. Against never attacking it is "
            f"{with_interval(never, 'now_minus_never')} {_after(never['tricks'])}."
        )
    for chapter, who in [("strong", "Guided searches"), ("played_on", "On all hands, with guided searches playing on")]:
        part = _pick(chapters, chapter=chapter)
        if not len(part):
            continue
        row = part.iloc[0]
        difference = (
            f"attacking is worth {with_interval(row, 'now_minus_wait')} more than waiting {_after(row['tricks'])}"
        )
        if chapter == "strong":
            often = [f"{100 * row['attack_share']:.0f} % of their decisions {_after(row['tricks'])}"]
            if len(late := part[part["units"] >= 30]) > 1:
                last = late.iloc[-1]
                often.append(f"{100 * last['attack_share']:.0f} % {_after(last['tricks'])}")
            sentences.append(f"{who} attack at {_and(often)}; in their play {difference}.")
        else:
            sentences.append(f"{who}, {difference}.")
    return " ".join(sentences)


def _rule(tables: Tables, scoring: str) -> str:
    rows = _pick(tables["by_rule"], scoring=scoring)
    if not len(rows):
        return ""
    yes, no = (_row(rows, tricks=-1, rule=rule) for rule in (True, False))
    text = (
        f"attacking is worth {with_interval(yes, 'now_minus_wait')} more than waiting where the rule says attack, "
        f"{with_interval(no, 'now_minus_wait')} where it says wait."
    )
    counts = _pick(tables["by_count"], scoring=scoring)
    counts = counts[(counts["units"] >= 100) & (counts["count"] >= 0)]
    figures = [f"{int(row['count'])}: {with_interval(row, 'now_minus_wait')}" for _, row in counts.iterrows()]
    none = _row(tables["by_count"], scoring=scoring, count=-1)
    text += f" By the count, {', '.join(figures)}; without a trump suit {with_interval(none, 'now_minus_wait')}."
    waits = _pick(rows, rule=False)
    late = [row for _, row in waits[waits["tricks"] >= 0].iterrows() if excludes_zero(row, "now_minus_wait")]
    better = [_after(row["tricks"]) for row in late if row["now_minus_wait"] > 0]
    if better:
        text += f" Hands on which it waits are better attacked, in the mean, {_and(better)}."
    other = _row(tables["rule_played_on"], scoring=scoring, rule=True) if "rule_played_on" in tables else None
    if other is not None:
        against = _row(tables["rule_played_on"], scoring=scoring, rule=False)
        text += (
            f" With guided searches playing on: {with_interval(other, 'now_minus_wait')} where it attacks, "
            f"{with_interval(against, 'now_minus_wait')} where it waits."
        )
    return text


def _parts(tables: Tables, scoring: str) -> str:
    rows = _pick(tables["parts"], scoring=scoring, tricks=-1)
    if not len(rows):
        return ""
    names = {
        "result": "who wins the bout, and how",
        "flat_throw": "the own flat throw",
        "opponents_flat_throw": "the opponent's flat throw",
        "consolation": "consolation points",
    }
    pieces = [
        f"{names[row['part']]} {with_interval(row, 'now_minus_wait')}"
        for _, row in rows.iterrows()
        if row["part"] in names and (row["now_minus_wait"] or row["now_minus_wait_ci95"])
    ]
    whole = with_interval(_row(rows, part="whole"), "now_minus_wait")
    return f"attacking against waiting, all hands: {whole}, of which {_and(pieces)}."


def _mistakes(tables: Tables, scoring: str) -> str:
    texts = []
    for _, row in _pick(tables["mistakes"], scoring=scoring).iterrows():
        texts.append(
            f"{PLAYERS[row['players']]}: bad attacks {with_interval(row, 'bout_bad', 3)}, missed ones "
            f"{with_interval(row, 'bout_missed', 3)} a bout"
        )
    return "; ".join(texts) + "." if texts else ""


def _lights(tables: Tables, scoring: str) -> str:
    texts = []
    for _, row in _pick(tables["lights"], scoring=scoring).iterrows():
        right = f"{100 * row['right_where_clear']:.0f} ± {100 * row['right_where_clear_ci95']:.0f} %"
        if math.isnan(row["optimism_now"]):
            texts.append(f"{LIGHTS[row['light']]} chooses the better in {right} of the clear positions")
            continue
        texts.append(
            f"{LIGHTS[row['light']]} is {_optimism(row, 'now')} about an attack, {_optimism(row, 'wait')} about "
            f"waiting; it attacks {100 * row['attack_share']:.0f} % and chooses the better in {right} of the clear "
            f"positions; its choices cost {with_interval(row, 'loss', 3, sign=False)} each"
        )
    return ". ".join(text[0].upper() + text[1:] for text in texts) + "." if texts else ""


def _optimism(row: Any, arm: str) -> str:
    """By how much a search promises more than comes of it."""
    name = f"optimism_{arm}"
    how = "off"
    if excludes_zero(row, name):
        how = "too optimistic" if row[name] > 0 else "too pessimistic"
    return f"{how} ({with_interval(row, name)})"


#: Those who decide in the solved decks, as they are called in a sentence.
DECIDERS = {
    **LIGHTS,
    "ismcts:iterations=1000": "ISMCTS (1,000 iterations)",
    "best:iterations=1000": "the best agent (1,000 iterations)",
    "always": "always attacking",
    "never": "never attacking",
}


def _equilibria(tables: Tables, scoring: str) -> str:
    texts = []
    for deck, rows in _pick(tables["equilibria"], scoring=scoring).groupby("deck", sort=False):
        right = rows[rows["player"] == "equilibrium"].iloc[0]
        losses = [
            f"{DECIDERS[row['player']]} {row['loss_bad'] + row['loss_missed']:.3f}"
            for _, row in rows.iterrows()
            if row["player"] in DECIDERS
        ]
        promises = [
            f"{DECIDERS[row['player']]} {row['optimism_now']:+.2f} and {row['optimism_wait']:+.2f}"
            for _, row in rows.iterrows()
            if not math.isnan(row["optimism_now"])
        ]
        texts.append(
            f"`{deck}` ({int(right['information_sets']):,} information sets): the equilibrium attacks at "
            f"{100 * right['attack_share']:.0f} % of its chances. Of attacks and of waiting, more than comes of them "
            f"is promised by {_and(promises)}. A decision costs on the mean {_and(losses)}"
        )
    return ". ".join(texts) + "." if texts else ""


def _matches(tables: Tables, scoring: str) -> str:
    rows = _pick(tables["matches"], scoring=scoring)
    texts = []
    for cards in CARDS:
        group = rows[(rows["cards"] == cards) & (rows["against"] != "fitted")]
        pieces = []
        for _, row in group.iterrows():
            sure = excludes_zero(row, "mean")
            how = ("beats " if row["mean"] > 0 else "loses to ") if sure else "is not told apart from "
            pieces.append(f"{how}{WHENS[row['against']]} ({with_interval(row, 'mean', 3)}, {int(row['deals'])} deals)")
        if pieces:
            texts.append(f"with {CARDS[cards]} it {_and(pieces)}")
    told = ["; ".join(texts) + "."] if texts else []
    strong = _row(rows, cards="strong", against="fitted")
    if strong is not None:
        told.append(
            f"(The guided search of the other chapters against the fitted policy: {with_interval(strong, 'mean', 3)}, "
            f"{int(strong['deals'])} deals.)"
        )
    return " ".join(told)


def _match(tables: Tables, scoring: str) -> str:
    last = _pick(tables["match"], scoring=scoring, bouts_left=0)
    if not len(last):
        return ""
    # The utility is 1 for a match won and -1 for one lost: half of it is a probability.
    percent = {
        row["standing"]: (50 * row["now_minus_wait"], 50 * row["now_minus_wait_ci95"]) for _, row in last.iterrows()
    }
    figures = [f"{name} {mean:+.1f} ± {half:.1f}" for name, (mean, half) in percent.items()]
    text = (
        "in the last of four bouts attacking instead of waiting changes the chance to win the match, in percentage "
        f"points, {', '.join(figures)}."
    )
    if {"behind", "ahead"} <= percent.keys():
        (behind, first), (ahead, second) = percent["behind"], percent["ahead"]
        half = math.hypot(first, second)
        gap = behind - ahead
        difference = f"({gap:+.1f} ± {half:.1f} between the two)"
        if abs(gap) <= half:
            text += f" Whether who is behind should attack sooner than who is ahead, it does not tell {difference}."
        else:
            who, other = ("behind", "ahead") if gap > 0 else ("ahead", "behind")
            text += f" Who is {who} gains more by attacking than who is {other} {difference}."
    text += _threshold(tables, scoring)
    if "match_searched" in tables:
        rows = _pick(tables["match_searched"], scoring=scoring, bouts_left=0)
        shares = [
            f"{row['standing']} {100 * row['attack_share']:.0f} ± {100 * row['attack_share_ci95']:.0f} %"
            for _, row in rows.iterrows()
        ]
        if shares:
            text += f" A guided search that plays for the match attacks there at {', '.join(shares)} of its decisions."
    return text


def _threshold(tables: Tables, scoring: str) -> str:
    """What attacking is worth by the rule's count, in the last bout."""
    if "match_by_count" not in tables:
        return ""
    rows = _pick(tables["match_by_count"], scoring=scoring, bouts_left=0)
    texts = []
    for standing in ("behind", "ahead"):
        figures = [
            f"{_counted(row['count'])} {50 * row['now_minus_wait']:+.1f} ± {50 * row['now_minus_wait_ci95']:.1f}"
            for _, row in _pick(rows, standing=standing).iterrows()
        ]
        if figures:
            texts.append(f"{standing}: {', '.join(figures)}")
    return f" By the rule's count, {'; '.join(texts)}." if texts else ""


def _counted(count: float) -> str:
    """The ends of the scale are gathered."""
    return {2: "two and fewer", 3: "three", 4: "four", 5: "five and more"}[int(count)]
