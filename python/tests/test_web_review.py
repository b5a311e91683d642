"""The review, the solutions and the attack trainer of the web page, in a real browser."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import pytest
from helpers import OWN_GAMES

import stier
from web import (
    DESKTOP,
    DROP,
    MARKS,
    SMALL,
    ask,
    axe_in_both_schemes,
    open_view,
    wait_for_answer,
)

pytestmark = MARKS

DECK = "suits=2,values=3,referee=off,hand_size=2,set_aside=1"
#: A deck that takes minutes.
SLOW = "suits=2,values=5,referee=off,hand_size=2,set_aside=3"
DONE = re.compile(r"^(All \d+ of your decisions are|Your only decision is) reviewed")


@pytest.fixture(scope="module")
def record() -> str:
    """A game whose second player chooses at random."""
    return stier.pit(stier.load_game("schwinget"), ["greedy", "random"], deals=1, seed=5).games[0].record()


@pytest.fixture
def reviewed(page: Any, address: str, record: str) -> Any:
    """The finished review of the second player."""
    open_view(page, address, f"#review?seat=1&record={quote(record)}")
    page.get_by_text(DONE).wait_for(timeout=120_000)
    return page


def number(text: str) -> float:
    """A number of the page, such as "-1.5" with a minus sign."""
    return float(text.replace("\N{MINUS SIGN}", "-"))


def shown(page: Any) -> int:
    """The number of the move that is shown."""
    return int(page.input_value(".timeline input"))


def test_a_review_finds_what_stier_replay_finds(page: Any, address: str, record: str) -> None:
    judge, searches = "ismcts:iterations=300,beliefs=policy", 4
    replayed = stier.replay(record, 1, judge, searches=searches)
    open_view(page, address, "#review")
    page.fill("textarea[name=record]", record)
    page.select_option("select[name=player]", "1")
    page.fill("input[name=searches]", str(searches))
    page.get_by_role("button", name="Review", exact=True).click()
    count = len(replayed)
    page.get_by_text(f"All {count} of your decisions are reviewed.").wait_for(timeout=120_000)
    for decision in replayed:
        found = ask(page, "review", record, decision.number, judge, searches)
        assert (found["number"], found["action"]["name"]) == (decision.number, decision.name)
        assert (found["cost"], found["ci95"]) == (decision.cost, decision.cost_ci95)
    with pytest.raises(Exception, match="no player makes a choice after 1000 events"):
        ask(page, "review", record, 1000, judge, searches)


@pytest.mark.parametrize("game", ["schwinget", "leduc_poker"])
def test_play_and_review_judge_a_choice_alike(page: Any, address: str, game: str) -> None:
    """The same sentence, and so the same numbers: in Schwinget, which has a network, and in a game that has none."""
    open_view(page, address, f"#play/{game}?seed=7&agent=random&seat=0")
    told = []
    while page.locator("[data-move]").count() > 0 and len(told) < 4:
        before = page.url
        page.locator("[data-move]").last.click()
        page.wait_for_function("before => location.href !== before", arg=before)
        page.wait_for_function(
            "() => document.querySelector('[data-move]') || document.querySelector('.actions .primary')"
        )
        page.get_by_role("button", name="How good was that?").click()
        page.locator(".happened", has_text=re.compile("^You played ")).wait_for()
        told.append(page.inner_text(".happened"))
    assert any("95 % interval" in sentence for sentence in told)
    page.get_by_role("button", name="Review this game").click()
    page.get_by_text(DONE).wait_for(timeout=120_000)
    reviewed = []
    page.keyboard.press("Home")
    for moment in range(int(page.get_attribute(".timeline input", "max"))):
        page.wait_for_selector(f".reviewing[data-moment='{moment}']")
        own = page.locator(".reviewing .verdict", has_text=re.compile("^You played "))
        own.or_(page.locator(".reviewing .verdict", has_text="is to move")).wait_for()
        if own.count() > 0:
            reviewed.append(own.inner_text())
        page.keyboard.press("ArrowRight")
    assert reviewed == told


def test_a_review_goes_on_from_what_it_has_found(page: Any, address: str, record: str) -> None:
    page.add_init_script(
        """window.asked = [];
        let engine;
        Object.defineProperty(window, "stier", { get: () => engine, set(value) {
          engine = value;
          const ask = engine.ask;
          engine.ask = function (signal, method, ...args) {
            if (method === "review") {
              asked.push(args[1]);
              // The third decision takes forever at first.
              if (asked.length === 3) {
                return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
              }
            }
            return ask.call(this, signal, method, ...args);
          };
        } });"""
    )
    open_view(page, address, f"#review?seat=1&record={quote(record)}")
    page.wait_for_function("() => asked.length === 3")
    page.locator(".running:not([hidden])").get_by_role("button", name="Stop").click()
    page.get_by_text(re.compile(r"^2 of your \d+ decisions are reviewed")).wait_for()
    page.locator("summary", has_text="Game and judge").click()
    page.get_by_role("button", name="Review", exact=True).click()
    page.get_by_text(DONE).wait_for(timeout=120_000)
    asked = page.evaluate("asked")
    assert asked == sorted(asked)
    assert asked.count(asked[2]) == 2
    assert len(set(asked)) == len(asked) - 1


#: Everything that a reader meets, also what is only read out or shown on touch.
TEXTS = """() => {
  const said = [document.title, document.body.textContent];
  for (const one of document.querySelectorAll("body *")) {
    for (const name of ["aria-label", "title", "placeholder"]) said.push(one.getAttribute(name) ?? "");
  }
  return said.join("\\n");
}"""


VIEWS = {
    "review": "#review?seat=1&record=RECORD",
    "trainer": "#trainer?seed=5",
    "solutions": f"#solutions/schwinget?rules={DECK}",
    "leduc": "#solutions/leduc_poker?iterations=50",
    "dice": "#solutions/liars_dice?iterations=10",
}


@pytest.mark.parametrize("name", OWN_GAMES)
def test_no_reader_of_a_review_meets_the_number_of_a_seat(page: Any, address: str, name: str) -> None:
    game = stier.load_game(name)
    state = game.new_initial_state(seed=3)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    for seat in range(game.num_players()):
        open_view(page, address, "#review")
        page.fill("textarea[name=record]", state.record())
        page.select_option("select[name=player]", str(seat))
        page.locator("select[name=agent]").select_option("")
        page.locator("input[name=spec]").fill("ismcts:iterations=30")
        page.fill("input[name=searches]", "3")
        page.get_by_role("button", name="Review", exact=True).click()
        page.get_by_text(DONE).wait_for(timeout=120_000)
        # Before, in and after a decision, and at the end with all cards open.
        for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "End"):
            page.keyboard.press(key)
            page.wait_for_selector(".reviewing .table")
            assert not re.search(r"\bseats?\b", page.evaluate(TEXTS), re.IGNORECASE), (seat, key)


@pytest.mark.parametrize("view", [view for view in VIEWS.values() if "RECORD" not in view])
def test_no_reader_meets_the_number_of_a_seat(page: Any, address: str, view: str) -> None:
    open_view(page, address, view)
    if "trainer" in view:
        page.get_by_role("button", name="Attack").click()
        page.wait_for_selector(".answer")
    else:
        page.wait_for_selector(".grid")
        page.locator(".grid button").first.click()
        page.wait_for_selector(".seen .table")
    assert not re.search(r"\bseats?\b", page.evaluate(TEXTS), re.IGNORECASE)


def test_the_mistakes_of_a_review_come_first(reviewed: Any) -> None:
    page = reviewed
    mistakes = page.locator("button.mistake")
    costs = [number(cost.split(" ")[0]) for cost in page.locator("button.mistake .clear").all_inner_texts()]
    assert len(costs) >= 2
    assert costs == sorted(costs, reverse=True)
    # The most expensive one is shown, and above the moves.
    assert mistakes.first.bounding_box()["y"] < page.locator(".timeline").bounding_box()["y"]
    table = page.locator(".reviewing .table").bounding_box()
    assert table["y"] + table["height"] <= DESKTOP["height"]
    assert re.search(
        rf"(Better:|Most searches prefer) .*by {costs[0]} points \(95 % interval \d.\d+ to \d.\d+\)",
        page.inner_text("p.verdict.mistake"),
    )
    worst = shown(page)
    mistakes.last.click()
    assert shown(page) != worst
    page.locator("p.verdict.mistake").wait_for()
    accuracy = re.search(r"Accuracy (\d+) % \(95 % interval (\d+) % to (\d+) %\): 100 %", page.inner_text(".accuracy"))
    assert accuracy is not None
    share, low, high = map(int, accuracy.groups())
    assert low <= share <= high
    assert share < 90
    # On a phone, this line says it.
    assert page.locator(".short").is_hidden()


def test_mistakes_wrap_and_the_marks_are_explained(page: Any, address: str) -> None:
    agents = ["random", "greedy", "greedy", "greedy"]
    record = stier.pit(stier.load_game("up_and_down"), agents, deals=1, seed=3).games[0].record()
    open_view(page, address, f"#review?seat=0&record={quote(record)}")
    page.get_by_text(DONE).wait_for(timeout=120_000)
    count = int(page.inner_text(".mistakes h3").split(" ")[0])
    assert count > 4
    boxes = [mistake.bounding_box() for mistake in page.locator("button.mistake:visible").all()]
    assert len(boxes) == 4
    assert max(box["x"] + box["width"] for box in boxes) <= DESKTOP["width"]
    assert max(box["y"] for box in boxes) > min(box["y"] for box in boxes)
    page.get_by_text(f"{count - 4} more").click()
    assert page.locator("button.mistake:visible").count() == count
    marks = page.locator(".marks path")
    grades = {mark.get_attribute("class") for mark in marks.all()}
    assert "mistake" in grades
    words = {"best": "best choice", "mistake": "mistake"}
    legend = set(page.locator(".legend li").all_inner_texts())
    assert legend == {words.get(grade, "close or not known") for grade in grades}


def test_a_review_and_what_it_opens_begin_at_the_top_of_a_phone(new_page: Any, address: str, record: str) -> None:
    page = new_page(SMALL, has_touch=True)
    open_view(page, address, f"#review?seat=1&record={quote(record)}")
    page.get_by_text(DONE).wait_for(timeout=120_000)
    page.locator("p.verdict.mistake").wait_for()
    assert page.evaluate("scrollY") == 0

    def sees_the_table() -> bool:
        """True if the whole table is on the screen, above the steps."""
        table, steps = page.locator(".reviewing .table").bounding_box(), page.locator(".steps").bounding_box()
        return bool(table["y"] >= 0 and table["y"] + table["height"] <= steps["y"])

    assert sees_the_table()
    # So is what was better.
    verdict, steps = page.locator("p.verdict.mistake").bounding_box(), page.locator(".steps").bounding_box()
    assert verdict["y"] + verdict["height"] <= steps["y"]
    # Accuracy and mistakes are told in a line above it.
    short = page.locator(".short")
    assert re.match(r"Accuracy \d+ % · \d+ mistakes\s+move \d+ of \d+", short.inner_text())
    assert short.bounding_box()["y"] > 0
    assert short.bounding_box()["y"] < page.locator(".timeline").bounding_box()["y"]
    # The buttons are whole wherever the page is.
    again = page.get_by_role("button", name="Try again from here")
    for place in ("0", "200", "document.body.scrollHeight"):
        page.evaluate(f"scrollTo(0, {place})")
        box, steps = again.bounding_box(), page.locator(".steps").bounding_box()
        assert steps["y"] <= box["y"]
        assert box["y"] + box["height"] <= steps["y"] + steps["height"]
        assert box["x"] + box["width"] <= 360
    page.evaluate("scrollTo(0, 0)")
    for name in ("Move before", "Next move", "Next mistake"):
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        assert not sees_the_table()
        page.get_by_role("button", name=name).click()
        page.wait_for_function("() => document.querySelector('.reviewing .table').getBoundingClientRect().top >= 0")
        assert sees_the_table()
    page.get_by_role("button", name="Try again from here").click()
    page.wait_for_selector("[data-move]")
    assert page.evaluate("scrollY") == 0


def test_the_values_of_a_review_stand_on_the_cards(reviewed: Any) -> None:
    page = reviewed
    page.locator("p.verdict.mistake").wait_for()
    marks = page.locator(".reviewing .marked > .mark")
    assert marks.count() == page.locator(".reviewing [data-move]").count() >= 2
    values = [number(value) for value in page.locator(".mark .value").all_inner_texts()]
    heights = [bar.bounding_box()["height"] for bar in page.locator(".mark .size").all()]
    best = page.locator(".mark.best .size").bounding_box()["height"]
    assert best == max(heights)
    assert heights[values.index(max(values))] == max(heights)
    assert (
        page.locator(".mark.best .value").inner_text()
        == page.locator(".mark .value").all_inner_texts()[values.index(max(values))]
    )
    # They are read out, too.
    names = [button.get_attribute("aria-label") for button in page.locator(".reviewing [data-move]").all()]
    assert all(re.search(r"value \S?\d", name) for name in names)
    assert sum("best choice" in name for name in names) == 1
    assert sum("your choice" in name for name in names) == 1


def test_arrow_keys_go_through_the_game(reviewed: Any, record: str) -> None:
    page = reviewed
    count = len(stier.replay(record, 0, "ismcts:iterations=1", searches=1)) + len(
        stier.replay(record, 1, "ismcts:iterations=1", searches=1)
    )
    page.keyboard.press("Home")
    assert shown(page) == 0
    page.keyboard.press("ArrowLeft")
    assert shown(page) == 0
    for number in range(1, count + 1):
        page.keyboard.press("ArrowRight")
        assert shown(page) == number
        page.wait_for_selector(".reviewing .table")
    page.get_by_text("The record ends here.").wait_for()
    page.keyboard.press("ArrowLeft")
    assert shown(page) == count - 1
    page.keyboard.press("m")
    page.locator("p.verdict.mistake").wait_for()
    # Keys of a field are its own.
    page.locator("summary", has_text="Game and judge").click()
    before = shown(page)
    page.focus("textarea[name=record]")
    page.keyboard.press("ArrowLeft")
    assert shown(page) == before
    page.get_by_label("All cards open").check()
    page.get_by_label("Schwinget, all cards open").wait_for()


def test_a_game_is_tried_again_from_a_mistake_and_the_review_is_still_there(reviewed: Any) -> None:
    page = reviewed
    page.locator("p.verdict.mistake").wait_for()
    moment = shown(page)
    page.get_by_role("button", name="Try again from here").click()
    page.wait_for_function("() => location.hash.startsWith('#play/schwinget') && !location.hash.includes('moves=')")
    page.wait_for_selector("[data-move]")
    page.go_back()
    page.get_by_text(DONE).wait_for()
    assert shown(page) == moment
    # A card on the table is a choice at once.
    move = page.locator(".reviewing [data-move]").first
    number = move.get_attribute("data-move")
    move.click()
    page.wait_for_function("move => location.hash.includes(`moves=${move}`)", arg=number)
    page.wait_for_selector("main h2")


def test_a_record_is_dropped_on_any_view(page: Any, address: str, record: str) -> None:
    for view in ("#trainer?seed=5", "#solutions", "#play/schwinget?seed=7&agent=random&seat=0"):
        open_view(page, address, view)
        assert page.evaluate(DROP, ["main h2", 10, "no record"]) is False
        page.get_by_role("alert").get_by_text("dropped.txt is not a record").wait_for()
        assert page.evaluate(DROP, ["header", 0, record]) is False
        page.wait_for_function("() => location.hash.startsWith('#review')")
        page.wait_for_selector(".timeline")
        assert page.input_value("textarea[name=record]") == record


def test_a_review_does_not_judge_the_judges_own_choice(page: Any, address: str, record: str) -> None:
    open_view(page, address, f"#review?record={quote(record)}")
    page.get_by_text(DONE).wait_for(timeout=120_000)
    page.locator(".more summary").click()
    costs = page.locator(".more > details > .scroll tbody td:last-child").all_inner_texts()
    assert set(costs) == {"best choice", "the only legal action"}
    page.get_by_text("No mistake: the judge would have chosen the same each time.").wait_for()
    assert page.locator("button.mistake").count() == 0
    # With hardly any search, the judge chooses otherwise.
    page.locator("summary", has_text="Game and judge").click()
    page.select_option("select[name=player]", "1")
    page.locator("select[name=agent]").select_option("")
    page.locator("input[name=spec]").fill("ismcts:iterations=30,beliefs=policy")
    page.get_by_role("button", name="Review", exact=True).click()
    # The review before is done, too, until this one begins.
    page.locator("button.mistake").first.wait_for(timeout=120_000)
    page.get_by_text(DONE).wait_for(timeout=120_000)
    for details in page.query_selector_all("details"):
        details.evaluate("details => details.open = true")
    text = page.inner_text("main")
    assert "95 % interval" in text
    assert "± 0.00" not in text


def test_a_review_without_decisions_says_why(page: Any, address: str) -> None:
    state = stier.load_game("schwinget").new_initial_state(seed=7)
    other = 1 - state.current_player()
    for words in ("There is nothing to review yet", "You made no decision in this game."):
        open_view(page, address, f"#review?seat={other}&record={quote(state.record())}")
        page.get_by_role("status").get_by_text(words).wait_for()
        page.wait_for_selector(".reviewing .table")
        state.apply_action(state.legal_actions()[0])


def test_equilibria_are_those_of_the_solver(page: Any, address: str) -> None:
    open_view(page, address, "#solutions")
    for name, rules in (("kuhn_poker", ""), ("schwinget", DECK)):
        # Solving goes on from where it was stopped.
        assert ask(page, "iterate", name, rules, 7) == 7
        assert 7 <= ask(page, "iterate", name, rules, 200) <= 200
        found = ask(page, "solve", name, rules, 200)
        solution = stier.solve(f"{name}:{rules}", iterations=200, ranges=True)
        assert (found["public_states"], found["sets"]) == (solution.public_states, solution.information_sets)
        assert found["nash_conv"] == pytest.approx(2 * solution.exploitability, rel=1e-3)
        openings = ask(page, "openings")
        assert sum(opening["reach"] for opening in openings) == pytest.approx(1)
        game = stier.load_game(f"{name}:{rules}")
        for seed in range(20):
            state = game.new_initial_state(seed=seed)
            hand = [
                card for place in state.scene(0)["places"] if place["seat"] == 0 for card in place["groups"][0]["cards"]
            ]
            turned = [
                g["cards"][0] for place in state.scene(0)["places"] for g in place["groups"] if g["name"] == "trump"
            ]
            fits = [opening for opening in openings if opening["opening"] in (None, *turned)]
            if not fits:
                # Its suits have other names.
                continue
            held = next(one for one in fits[0]["hands"][0] if one["cards"] == hand)
            known = {state.action_to_string(action): share for action, share in solution.policy(state)}
            assert {one["name"]: one["probability"] for one in held["actions"]} == pytest.approx(known, abs=1e-4)
    assert ask(page, "solve", "kuhn_poker", "", 200)["values"][0] == pytest.approx(-1 / 18, abs=1e-3)


def test_a_solution_is_followed_event_by_event(page: Any, address: str) -> None:
    """Values, probabilities and ranges fit together everywhere."""
    open_view(page, address, "#solutions")
    ask(page, "solve", "schwinget", DECK, 100)
    open_nodes = ask(page, "openings")
    visited = 0
    while open_nodes and visited < 60:
        node = open_nodes.pop()
        visited += 1
        if node["reach"] < 1e-6:
            continue
        for hands in node["hands"]:
            assert sum(held["share"] for held in hands) == pytest.approx(1, abs=1e-4)
        first, second = (sum(held["share"] * (held["value"] or 0) for held in hands) for hands in node["hands"])
        assert node["values"] == pytest.approx([first, second], abs=1e-4)
        if node["events"]:
            assert sum(event["share"] for event in node["events"]) == pytest.approx(1, abs=1e-4)
        for hand, held in enumerate(node["hands"][node["seat"]] if node["seat"] is not None else []):
            if held["share"] < 1e-6:
                continue
            assert sum(one["probability"] for one in held["actions"]) == pytest.approx(1, abs=1e-5)
            mean = sum(one["probability"] * one["value"] for one in held["actions"])
            assert mean == pytest.approx(held["value"], abs=1e-4)
            if visited < 10:
                table = ask(page, "held_table", node["path"], node["seat"], hand)
                assert sorted(move["name"] for move in table["legal"]) == sorted(one["name"] for one in held["actions"])
        open_nodes += [ask(page, "node", event["path"]) for event in node["events"][:3]]
    assert visited == 60
    for path in ([], [99], [0, 99]):
        with pytest.raises(Exception, match="the solution has no such public state"):
            ask(page, "node", path)


def test_the_grid_leads_into_the_tree(page: Any, address: str) -> None:
    open_view(page, address, f"#solutions/schwinget?rules={DECK}")
    page.wait_for_selector(".grid")
    heads = page.locator(".grid thead th").count()
    assert heads == len(ask(page, "openings"))
    # By hand: two of six cards, in one row for all cards turned up.
    assert page.locator(".grid tbody tr").count() == 21
    shares = page.locator(".grid td button > span").all_inner_texts()
    # Only the impossible would be 0, and only the certain 100.
    assert {"<1", ">99"} <= set(shares) <= {"<1", ">99", *map(str, range(101))}
    page.get_by_label("How often the equilibrium chooses this").select_option("R1")
    assert page.locator(".grid td button > span").all_inner_texts() != shares
    # A card turned up stands for that of the other suit, which is said.
    page.get_by_text("Trump is always shown as green.").wait_for()
    assert page.locator(".grid thead th .turned").first.locator("[role=img]").count() == 2
    page.locator(".tree > details > summary", has_text="Turned up").filter(has_text=" or ").first.wait_for()
    page.locator(".grid td button").first.click()
    page.wait_for_selector(".explorer tr.shown")
    page.locator(".seen .table").wait_for()
    assert page.locator(".explorer .hands tbody tr").count() == 15
    # The address leads to the hand, out of sight of the top.
    hand, link = page.inner_html(".seen"), page.url
    assert re.search(r"at=\d+&hand=\d+$", link)
    page.goto("about:blank")
    page.goto(link)
    page.locator(".seen .table").wait_for()
    assert page.inner_html(".seen") == hand
    page.wait_for_function("document.querySelector('.explorer .chosen').getBoundingClientRect().top < innerHeight / 2")
    # Another hand is another link.
    page.locator(".explorer tr:not(.shown) button.hand").first.click()
    page.wait_for_function("link => location.href !== link", arg=link)
    page.locator(".explorer .beliefs table").first.wait_for()
    # A branch unfolds, and the address leads to it.
    branch = page.locator(".tree details[data-current] > .branches > details > summary").first
    branch.click()
    page.wait_for_function("() => /at=\\d+\\.\\d+/.test(location.hash)")
    link = page.url
    summary = page.inner_text(".state > p")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".tree details[data-current] details", state="attached")
    page.wait_for_function("text => document.querySelector('.state > p')?.innerText === text", arg=summary)
    # A part that is unfolded is shown before it is folded.
    above = page.locator(".tree > details").first
    above.locator("> summary").click()
    page.wait_for_function("text => document.querySelector('.state > p')?.innerText !== text", arg=summary)
    assert above.get_attribute("data-current") == ""
    assert above.evaluate("details => details.open")
    # Keys alone do the same.
    above.locator("> summary").focus()
    page.keyboard.press("Enter")
    assert not above.evaluate("details => details.open")


def test_a_deck_of_ones_own_is_measured_before_it_is_solved(page: Any, address: str) -> None:
    open_view(page, address, "#solutions")
    assert not page.get_by_label("Suits").is_visible()
    page.get_by_label("Game").select_option("-1")
    page.locator(".size", has_text="MB of memory").wait_for(timeout=60_000)
    page.fill("input[name=hand_size]", "5")
    page.locator(".size.error", has_text="set aside").wait_for(timeout=60_000)
    assert page.get_by_role("button", name="Solve").is_disabled()
    page.fill("input[name=values]", "6")
    page.fill("input[name=suits]", "4")
    page.fill("input[name=set_aside]", "3")
    page.locator(".size.error", has_text="use smaller rules").wait_for(timeout=60_000)
    for name, value in (("suits", 2), ("values", 3), ("hand_size", 2), ("set_aside", 1)):
        page.fill(f"input[name={name}]", str(value))
    page.locator(".size", has_text="less than 1 MB").wait_for(timeout=60_000)
    page.get_by_role("button", name="Solve").click()
    page.wait_for_selector(".grid")
    page.wait_for_function("() => location.hash.includes('suits=2,values=3,hand_size=2,set_aside=1,referee=off')")
    # The result says which game it is of, also once another one is chosen.
    page.get_by_label("Game").select_option(label="Kuhn poker")
    deck = "Schwinget, 2 suits of 3 values, without the referee, 2 cards in a hand, 1 set aside: the player who begins"
    assert page.inner_text(".solution summary h3").startswith(deck)


def test_hands_that_are_alike_share_a_row(page: Any, address: str) -> None:
    rules = "suits=3,values=2,hand_size=2,set_aside=1,referee=off"
    open_view(page, address, f"#solutions/schwinget?rules={rules}&iterations=1000")
    page.wait_for_selector(".grid")
    page.get_by_text("share a row").wait_for()
    openings = ask(page, "openings")
    assert len(openings) == 3

    def exchanged(cards: list[str]) -> list[str]:
        """Returns the hand with the names of red and blue exchanged: trump is green."""
        return sorted(re.sub("^[RB](?=[0-9])", lambda suit: "RB"["BR".index(suit[0])], card) for card in cards)

    for opening in openings:
        values = {tuple(sorted(held["cards"])): held["value"] for held in opening["hands"][0] if held["cards"]}
        for hand, value in values.items():
            assert value == pytest.approx(values[tuple(exchanged(list(hand)))], abs=0.02)
    hands = {tuple(sorted(held["cards"])) for opening in openings for held in opening["hands"][0] if held["cards"]}
    rows = {min(hand, tuple(exchanged(list(hand)))) for hand in hands}
    assert page.locator(".grid tbody tr").count() == len(rows) < len(hands)
    assert page.locator(".grid tbody th", has_text="\N{MULTIPLICATION SIGN}2").count() == len(hands) - len(rows)


def test_a_solution_is_shared_by_its_link(browser: Any, address: str) -> None:
    context = browser.new_context(viewport=DESKTOP, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    open_view(page, address, f"#solutions/schwinget?rules={DECK}&at=0&hand=3")
    page.locator(".seen .table").wait_for()
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Link copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert page.url.endswith("at=0&hand=3")
    # The next place has not been copied.
    page.locator(".explorer tr:not(.shown) button.hand").first.click()
    page.get_by_text("Link copied").wait_for(state="detached")
    page.evaluate("() => void (navigator.clipboard.writeText = () => Promise.reject(new Error('denied')))")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("The link cannot be copied here: it is the address of this page.").wait_for()
    context.close()


def test_a_solution_that_was_stopped_goes_on(page: Any, address: str) -> None:
    open_view(page, address, f"#solutions/schwinget?rules={SLOW}&iterations=10000")
    page.get_by_text(re.compile(r"^Iteration \d+ of 10000")).wait_for(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    stopped = page.get_by_text(re.compile(r"^Stopped after \d+ iterations?\. Solve goes on from there\.$"))
    done = int(re.search(r"\d+", stopped.inner_text())[0])
    assert done > 0
    page.get_by_role("button", name="Solve").click()
    told = page.get_by_text(re.compile(r"^Iteration \d+ of 10000")).inner_text(timeout=60_000)
    assert int(re.search(r"\d+", told)[0]) >= done
    page.get_by_role("button", name="Stop").click()
    stopped.wait_for()
    # Fewer iterations than that begin anew.
    page.fill("input[name=iterations]", "1")
    page.get_by_role("button", name="Solve").click()
    page.wait_for_selector(".grid", timeout=60_000)
    assert page.locator(".solution dt:text-is('Iterations') + dd").text_content() == "1"


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("solutions/schwinget", "the whole game is too large to be solved. Choose another game above."),
        ("solutions/schwimmen", "there is no solution of Schwimmen here. Choose another game above."),
        (
            "solutions/kuhn_poker?rules=players=3",
            "Kuhn poker is solved here under its usual rules, not with",
        ),
        (f"solutions/schwinget?rules={DECK},bouts=2", "a deck here cannot have bouts=2."),
        (f"solutions/schwinget?rules={DECK.replace('suits=2', 'suits=9')}", "suits must be from 2 to 4 here"),
        ("solutions/schwinget?rules=suits=2,values=3", "the link does not say the “Cards in a hand” of its deck."),
        (f"solutions/schwinget?rules={DECK}&at=0.x", "at must be whole numbers, such as 0.2.1."),
        (f"solutions/schwinget?rules={DECK}&at=0.99", "the solution has no such public state or hand; the link"),
        (f"solutions/schwinget?rules={DECK}&at=0&hand=99", "the solution has no such public state or hand; the link"),
        (f"solutions/schwinget?rules={DECK}&at=0&hand=x", "hand must be a whole number from 0 to 999999"),
        ("review?kept=record-abc", "the record of this link is kept by another browser tab"),
    ],
)
def test_a_link_that_cannot_be_honoured_says_why(page: Any, address: str, link: str, words: str) -> None:
    open_view(page, address, f"#{link}")
    page.wait_for_function("words => document.querySelector('main').innerText.includes(words)", arg=words)
    # Nothing else is shown in its place, except for the solution around a place that it does not have.
    assert page.locator(".timeline").count() == 0
    assert page.locator(".grid").count() == ("99" in link)
    # The address names what is shown.
    assert "99" not in page.evaluate("location.hash")


def test_solving_twice_loses_nothing(page: Any, address: str) -> None:
    page.add_init_script(COUNTING)
    open_view(page, address, "#solutions")
    page.get_by_label("Game").select_option(label="Schwinget, 9 cards")
    page.fill("input[name=iterations]", "2000")
    solve = page.get_by_role("button", name="Solve")
    solve.click()
    assert solve.is_disabled()
    # Nor does the key of the form begin anew, nor another look at the size of the game.
    page.focus("input[name=iterations]")
    page.keyboard.press("Enter")
    page.locator(".size", has_text="decisions to solve; needs").wait_for()
    assert solve.is_disabled()
    page.wait_for_selector(".grid", timeout=120_000)
    assert page.evaluate("solved") == 1
    assert solve.is_enabled()
    solve.click()
    page.wait_for_function("() => solved === 2")
    page.wait_for_selector(".grid")


#: Counts the games that the page has asked to be solved.
COUNTING = """window.solved = 0;
let engine;
Object.defineProperty(window, "stier", { get: () => engine, set(value) {
  engine = value;
  const ask = engine.ask;
  engine.ask = function (signal, method, ...args) {
    if (method === "solve") window.solved++;
    return ask.call(this, signal, method, ...args);
  };
} });"""


def test_what_was_solved_is_kept(page: Any, address: str) -> None:
    open_view(page, address, f"#solutions/schwinget?rules={DECK}&iterations=2000")
    page.wait_for_selector(".grid")
    solved = ask(page, "solve", "schwinget", DECK, 2000)
    # Another view ends no solution.
    page.get_by_role("link", name="Review", exact=True).click()
    page.wait_for_selector("textarea")
    seconds = page.evaluate(
        """async (rules) => {
          const begun = performance.now();
          await stier.ask(undefined, "solve", "schwinget", rules, 2000);
          return (performance.now() - begun) / 1000;
        }""",
        DECK,
    )
    assert seconds < 0.5
    # The bytes that a browser keeps have the same solution, but for rounding.
    ask(page, "solve", "kuhn_poker", "", 10)
    assert ask(page, "solve", "schwinget", DECK, 2000) == solved
    size = page.evaluate("stier.solution().then(async (bytes) => { window.kept = bytes; return bytes.length; })")
    assert size > 1000
    page.evaluate("window.name = Array.from(kept).join()")
    page.reload()
    page.wait_for_selector("main h2")
    page.evaluate(
        "rules => stier.restore(undefined, 'schwinget', rules, 2000, Uint8Array.from(window.name.split(',')))", DECK
    )
    restored = ask(page, "solve", "schwinget", DECK, 2000)
    assert restored["iterations"] == 2000
    assert restored["values"] == pytest.approx(solved["values"], abs=1e-3)
    assert restored["nash_conv"] < 0.01 * restored["uniform"]
    with pytest.raises(Exception, match="policy"):
        page.evaluate("stier.restore(undefined, 'kuhn_poker', '', 9, Uint8Array.from([1, 2, 3]))")


def test_a_solution_that_took_long_outlives_a_reload(page: Any, address: str) -> None:
    # Everything takes long here.
    page.add_init_script("{ let now = 0; performance.now = () => (now += 4000); }")
    open_view(page, address, f"#solutions/schwinget?rules={DECK}&iterations=300")
    page.wait_for_selector(".grid")
    wait_for_answer(page, "async () => (await (await caches.open('stier-solutions')).keys()).length === 1")
    page.add_init_script(
        """window.restored = 0;
        let engine;
        Object.defineProperty(window, "stier", { get: () => engine, set(value) {
          engine = value;
          const restore = engine.restore;
          engine.restore = function (...args) { window.restored++; return restore.apply(this, args); };
        } });"""
    )
    page.reload()
    page.wait_for_selector(".grid")
    assert page.evaluate("restored") == 1


def answer(page: Any, right: bool) -> str:
    """Answers a question of the trainer; returns the verdict."""
    page.get_by_role("button", name="Attack").wait_for()
    page.keyboard.press("a" if right else "w")
    return str(page.locator(".answer .verdict").inner_text())


def test_the_trainer_asks_twenty_positions(page: Any, address: str) -> None:
    open_view(page, address, "#trainer?seed=5")
    wrong = asked = 0
    while page.locator(".score").count() == 0:
        page.get_by_role("button", name="Attack").wait_for()
        asked += 1
        # A position that was wrong is asked again after three others: then the other choice is right.
        page.keyboard.press("aw"[(asked + page.locator(".progress strong").count()) % 2])
        verdict = page.locator(".answer .verdict").inner_text()
        assert re.match(r"Right|Wrong|Too close to call", verdict)
        wrong += verdict.startswith("Wrong")
        # The count of the hand stands beside it.
        counted = page.locator(".help details")
        assert counted.get_by_text(re.compile(r"This hand counts -?\d+|There is no trump suit")).is_visible()
        table, beside = page.locator(".table").bounding_box(), counted.bounding_box()
        assert beside["x"] > table["x"] + table["width"] - 1
        assert beside["y"] < table["y"] + table["height"]
        total = re.search(r"This hand counts (-?\d+)", counted.inner_text())
        points = [number(text) for text in page.locator(".table .points").all_inner_texts()]
        assert sum(points) == (int(total[1]) if total else 0)
        if asked == 3:
            page.get_by_role("button", name="Next position").click()
            page.reload()
            page.get_by_text("Position 4 of ").wait_for()
            continue
        page.locator(".answer").get_by_role("button").click()
        page.wait_for_function("() => !document.querySelector('.answer')")
    # Everything that was wrong was asked again.
    assert wrong > 0
    assert asked == 20 + wrong
    page.get_by_text("The rule of thumb", exact=True).first.wait_for()
    # The answers of the round are still there after a visit to another view.
    open_view(page, address, "#solutions")
    open_view(page, address, "#trainer?seed=5")
    page.get_by_role("button", name="The same positions again").click()
    page.get_by_text("Position 1 of 20").wait_for()


def test_the_trainer_counts_streaks_and_repeats_in_another_round(page: Any, address: str) -> None:
    open_view(page, address, "#trainer?seed=5")
    kept = "JSON.parse(localStorage.getItem('stier-trainer-wrong') ?? '{}')"
    while page.evaluate(f"Object.keys({kept}).length") == 0:
        verdict = answer(page, right=False)
        assert re.match(r"Right|Wrong|Too close to call", verdict)
        if not verdict.startswith("Wrong"):
            page.get_by_role("button", name="Next position").click()
    (wrong,) = page.evaluate(f"Object.keys({kept})")
    assert "This position comes again." in page.inner_text(".answer")
    table = page.inner_text(".table .facts")
    # A round of one's own begins with it; that of a link does not.
    open_view(page, address, "#trainer?seed=77")
    other = page.inner_text(".table .facts")
    open_view(page, address, "#trainer")
    page.get_by_role("button", name="Attack").wait_for()
    assert page.inner_text(".table .facts") == table != other
    first = page.evaluate("Object.keys(sessionStorage).filter(key => key.startsWith('stier-trainer-')).length")
    assert first >= 1
    streak = page.evaluate("localStorage.getItem('stier-trainer-streak')")
    assert streak is not None
    assert answer(page, right=True).startswith("Right")
    assert page.evaluate(f"{kept}['{wrong}'].times") == 1
    page.get_by_role("button", name="Next position").click()
    page.locator(".streak", has_text="Streak 1").wait_for()


def test_a_reload_before_the_first_answer_keeps_the_positions_that_are_due(page: Any, address: str) -> None:
    # The seed that the page chooses, 5000, does not have the position that is due among its own.
    page.add_init_script("Math.random = () => 0.5")
    open_view(page, address, "#trainer?seed=5")
    while not answer(page, right=False).startswith("Wrong"):
        page.get_by_role("button", name="Next position").click()
    open_view(page, address, "#trainer")
    asked = []
    for _ in range(2):
        page.get_by_role("button", name="Attack").wait_for()
        page.get_by_text("This round is yours alone").wait_for()
        asked.append(page.inner_text(".table"))
        page.reload()
    assert asked[0] == asked[1]


def test_nothing_is_cut_in_the_trainer_on_a_phone(new_page: Any, address: str) -> None:
    page = new_page(SMALL, has_touch=True)
    open_view(page, address, "#trainer?seed=5")

    def below(*selectors: str) -> bool:
        """True if the boxes lie below each other, and none over another."""
        boxes = [page.locator(selector).bounding_box() for selector in selectors]
        return all(one["y"] + one["height"] <= other["y"] + 1 for one, other in pairwise(boxes))

    for _ in range(3):
        page.get_by_role("button", name="Attack").wait_for()
        page.evaluate("scrollTo(0, 0)")
        assert below(".table", ".answers .actions", ".help")
        assert page.get_by_text("You are to move").is_hidden()
        page.keyboard.press("w")
        assert below(".table .middle", ".answer", ".help")
        worth = page.locator(".scale .number").text_content()
        assert re.match(r"[+\N{MINUS SIGN}]?\d\.\d\d( ± \d\.\d\d)? points$", worth)
        page.get_by_role("button", name="Next position").click()
        page.wait_for_function("() => !document.querySelector('.answer')")


#: The width of the page.
WIDTH = "document.documentElement.scrollWidth"
#: Opens all folds; closes those that were closed.
UNFOLD = "document.querySelectorAll('main details:not([open])').forEach((one) => one.open = one.dataset.folded = true)"
FOLD = (
    "document.querySelectorAll('main [data-folded]').forEach((one) => { one.open = false; delete one.dataset.folded; })"
)


# test_web looks at a larger phone: the same styles, and more room.
@pytest.mark.parametrize("size", [DESKTOP, SMALL], ids=["desktop", "small"])
def test_the_trainer_is_accessible_and_fits_the_screen(new_page: Any, address: str, size: dict[str, int]) -> None:
    page = new_page(size)
    open_view(page, address, VIEWS["trainer"])
    attack = page.get_by_role("button", name="Attack")
    attack.wait_for()
    # The hand and the choices are on the first screen.
    for box in (attack.bounding_box(), page.locator(".table .held .card").last.bounding_box()):
        assert box["y"] + box["height"] <= size["height"]
    assert axe_in_both_schemes(page) == []
    page.keyboard.press("a")
    box = page.get_by_role("button", name="Next position").bounding_box()
    assert box["y"] + box["height"] <= size["height"]
    assert page.evaluate(WIDTH) <= size["width"]
    assert axe_in_both_schemes(page, f"trainer-{size['width']}", full_page=False) == []
    page.evaluate(UNFOLD)
    assert page.evaluate(WIDTH) <= size["width"]


@pytest.mark.parametrize("name", [name for name in VIEWS if name != "trainer"])
def test_the_other_views_are_accessible_and_fit_the_screen(page: Any, address: str, record: str, name: str) -> None:
    """One page for all sizes: unlike the trainer, these views do not ask for the size when they open."""
    open_view(page, address, VIEWS[name].replace("RECORD", quote(record)))
    if name == "review":
        page.get_by_text(DONE).wait_for(timeout=120_000)
        page.locator("p.verdict.mistake").wait_for()
    else:
        page.wait_for_selector(".grid")
        page.locator(".grid button").first.click()
        page.wait_for_selector(".seen .table")
    for size in (DESKTOP, SMALL):
        page.set_viewport_size(size)
        assert page.evaluate(WIDTH) <= size["width"], size
        assert axe_in_both_schemes(page, f"{name}-{size['width']}") == [], size
        page.evaluate(UNFOLD)
        assert page.evaluate(WIDTH) <= size["width"], size
        page.evaluate(FOLD)
