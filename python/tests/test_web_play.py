"""The table of the web page in a real browser: a whole game without scrolling, hints, lessons, the running score."""

from __future__ import annotations

import re
from typing import Any

import pytest

from web import (
    DEAL,
    DESKTOP,
    LAYOUT,
    MARKS,
    SHIFTS,
    SMALL,
    ask,
    axe_in_both_schemes,
    choose,
    open_view,
    wait_for_prompt,
    wait_for_turn,
)

pytestmark = MARKS

LESSONS = [
    ("suits=3,values=4,counter=off,set_aside=3", 187),
    ("suits=3,values=5,hand_size=6,set_aside=5", 142),
    ("", 107),
]


def lesson(number: int) -> str:
    rules, seed = LESSONS[number]
    return f"#play/schwinget?rules={rules}&seed={seed}&agent=greedy&seat=0"


def play_on(page: Any, limit: int = 100) -> None:
    for move in range(limit):
        if page.locator("[data-move]").count() == 0:
            return
        choose(page, move)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("game", ["schwinget", "up_and_down", "schweins_galopp", "schwimmen"])
@pytest.mark.parametrize(("size", "seat"), [(SMALL, 0), (DESKTOP, 1)], ids=["narrow", "desktop"])
def test_a_whole_game_needs_no_scrolling_and_nothing_jumps(
    new_page: Any, address: str, game: str, size: dict[str, int], seat: int
) -> None:
    """With a mouse, in one seat; test_web_ends plays the same games from both seats, and more, on a phone."""
    page = new_page(size)
    page.add_init_script(SHIFTS)
    open_view(page, address, f"#play/{game}?seed=5&agent=greedy&seat={seat}")
    for move in range(100):
        layout = page.evaluate(LAYOUT)
        if layout["moves"] == 0:
            break
        assert layout["lowest"] <= size["height"], (game, move, page.url)
        assert layout["smallest"] >= 24, (game, move, page.url)
        assert layout["width"] <= size["width"]
        assert layout["cut"] == [], page.url
        choose(page, move)
    assert page.evaluate("shifted") <= 0.05, game


@pytest.mark.parametrize("game", ["schwinget", "up_and_down", "schweins_galopp", "schwimmen"])
@pytest.mark.parametrize("size", [{"width": 740, "height": 360}, {"width": 640, "height": 400}], ids=["side", "zoomed"])
def test_a_low_screen_shows_the_hand_beside_the_table(
    new_page: Any, address: str, game: str, size: dict[str, int]
) -> None:
    page = new_page(size, has_touch=True)
    page.goto(f"{address}#play/{game}?seed=5&agent=greedy&seat=0")
    wait_for_turn(page)
    for move in range(100):
        layout = page.evaluate(LAYOUT)
        if layout["moves"] == 0:
            break
        assert layout["lowest_move"] <= size["height"], (game, move, page.url)
        assert layout["width"] <= size["width"]
        choose(page, move)


@pytest.mark.parametrize("touch", [True, False], ids=["phone", "narrow"])
def test_the_most_players_fit_a_small_screen(new_page: Any, address: str, touch: bool) -> None:
    page = new_page(SMALL, has_touch=touch, is_mobile=touch)
    page.add_init_script(SHIFTS)
    for rules in (
        "schwimmen?rules=players=5,play=match",
        "schweins_galopp?rules=players=4",
        "up_and_down?rules=players=2",
    ):
        page.goto("about:blank")
        page.goto(f"{address}#play/{rules}&seed=7&agent=random&seat=0")
        wait_for_turn(page)
        for move in range(8):
            layout = page.evaluate(LAYOUT)
            assert layout["cut"] == [], page.url
            assert layout["width"] <= SMALL["width"]
            choose(page, move)
        assert page.evaluate("shifted") <= 0.05, rules


@pytest.mark.parametrize("game", ["schwinget", "schweins_galopp"])
def test_the_heading_fits_a_small_screen(new_page: Any, address: str, game: str) -> None:
    page = new_page(SMALL, has_touch=True, is_mobile=True)
    open_view(page, address, f"#play/{game}?seed=7&agent=network&seat=0")
    learn = page.get_by_role("button", name="New here? Learn it")
    assert learn.count() == (1 if game == "schwinget" else 0)
    if learn.count():
        tabs = page.locator("nav").bounding_box()
        assert learn.bounding_box()["y"] >= tabs["y"] + tabs["height"]
    page.evaluate(
        """key => localStorage.setItem("stier-scores", JSON.stringify(
          { tallies: { [key]: { won: 123, drawn: 10, lost: 110 } }, counted: ["a"] }))""",
        f"{game},,network",
    )
    open_view(page, address, f"#play/{game}?seed=7&agent=network&seat=0")
    assert page.inner_text(".tally") == "Won 123, lost 110, 10 draws"
    against = page.locator("main h2 .against")
    assert against.inner_text() == "against the club player"
    assert page.evaluate(LAYOUT)["cut"] == []
    assert against.bounding_box()["height"] < 24


def test_a_card_that_was_drawn_is_marked_for_one_turn(page: Any, address: str) -> None:
    open_view(page, address, "#play/schwinget?seed=7&agent=greedy&seat=0")
    fresh = page.locator(".own .fresh")
    assert fresh.count() == 0

    def hand() -> set[str]:
        return set(page.locator(".own .hand [data-card]").evaluate_all("cards => cards.map((one) => one.dataset.card)"))

    for _ in range(2):
        before = hand()
        choose(page)
        (drawn,) = hand() - before
        assert fresh.count() == 1
        assert fresh.get_attribute("data-card") == drawn
        assert fresh.get_attribute("aria-label").endswith(", just drawn")
    # Nobody draws after an attack.
    attack = page.get_by_role("button", name="attack")
    while attack.count() == 0:
        choose(page)
    attack.click()
    page.wait_for_function("() => document.querySelectorAll('.own .fresh').length === 0")
    choose(page)
    assert fresh.count() == 0


def test_a_bout_without_trump_says_why(page: Any, address: str) -> None:
    for seed, card in ((49, "referee"), (10, "counter")):
        open_view(page, address, f"#play/schwinget?seed={seed}&agent=greedy&seat=0")
        assert f"no trump: the {card} was turned up" in " ".join(page.inner_text(".facts").split())
        assert page.locator(".middle .caption").first.inner_text() == "no trump"


def test_the_end_leads_to_the_review(page: Any, address: str) -> None:
    open_view(page, address, lesson(0))
    costs = page.get_by_role("button", name="See what your choices cost")
    assert costs.count() == 0
    play_on(page)
    assert page.get_by_role("button", name="Hint").count() == 0
    costs.click()
    page.wait_for_function("() => location.hash.startsWith('#review?seat=0')")
    page.locator(".timeline").wait_for()


def test_a_trick_stays_until_the_next_lead_and_is_counted(page: Any, address: str) -> None:
    open_view(page, address, "#play/schwinget?seed=7&agent=greedy&seat=0")
    slots, taken = page.locator(".box .trick .card:not(.slot)"), page.locator(".taken")
    finished = 0
    for move in range(12):
        if page.locator("[data-move]").count() == 0:
            break
        leads = slots.count() != 1
        if leads and finished:
            # The last trick, with the one who takes it.
            assert slots.count() == 2
            waits = page.locator(".waits").inner_text() != ""
            assert page.locator(".box .trick .won").count() == (0 if waits else 1)
        moves = page.locator("[data-move]")
        # After a neutral trick, the referee's player says who leads.
        finished += "lead" not in moves.nth(move % moves.count()).inner_text()
        choose(page, move)
        counted = sum(int(one.split()[0]) for one in page.locator(".tricks .number").all_inner_texts())
        waits = page.locator(".waits").inner_text() != ""
        assert counted + waits == finished, page.url
        assert taken.count() == counted
    assert finished >= 5


def test_cards_move_unless_motion_is_reduced_and_pauses_stay(browser: Any, address: str) -> None:
    paused = {}
    for motion in ("no-preference", "reduce"):
        context = browser.new_context(viewport=DESKTOP, reduced_motion=motion)
        page = context.new_page()
        # Where nothing moves, pauses are noted and end at once.
        page.add_init_script(
            """window.moved = [];
            window.paused = [];
            const wait = setTimeout;
            globalThis.setTimeout = (call, time) => {
              if (time < 500) return wait(call, time);
              window.paused.push(time);
              return wait(call, matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : time);
            };
            const animate = Element.prototype.animate;
            Element.prototype.animate = function (...rest) {
              window.moved.push(this.classList.contains("ghost") ? "ghost" : this.dataset.key);
              // An inline element stays where it is.
              if (getComputedStyle(this).display === "inline") window.moved.push("nothing");
              return animate.apply(this, rest);
            };"""
        )
        open_view(page, address, "#play/schwinget?seed=7&agent=greedy&seat=0")
        for move in range(3):
            choose(page, move)
        moved, paused[motion] = page.evaluate("[moved, paused]")
        if motion == "reduce":
            assert moved == []
        else:
            assert "nothing" not in moved
            # Three cards of the person, at least one answer, and a trick that flew to its owner.
            assert len(set(moved) - {"ghost", None}) >= 4
            assert moved.count("ghost") >= 2
            page.wait_for_function("() => document.querySelectorAll('.ghost').length === 0")
        context.close()
    # A trick has to be looked at, and longer than a card.
    assert len(set(paused["reduce"])) == 2
    assert paused["reduce"] == paused["no-preference"]


def test_a_hint_and_the_cost_of_a_choice_are_told_on_request(page: Any, address: str) -> None:
    open_view(page, address, DEAL)
    assert page.locator(".best").count() == 0
    assert page.get_by_role("button", name="How good was that?").is_disabled()
    page.keyboard.press("h")
    page.locator(".happened", has_text=re.compile("^Hint")).wait_for()
    best = page.locator(".own .best")
    assert best.count() == 1
    hinted = int(best.get_attribute("data-move"))
    # It is the judge of a review.
    position = {"game": "schwinget", "rules": "", "seed": "7", "moves": []}
    judged = ask(page, "judge", position, hinted, "ismcts:iterations=10000,beliefs=policy", 5)
    assert judged["best"]["id"] == hinted
    best.click()
    page.wait_for_function("() => location.hash.includes('moves=')")
    page.wait_for_selector("[data-move]")
    page.get_by_role("button", name="How good was that?").click()
    page.get_by_text(re.compile(r"You played .+, (the best choice|as \d of 5 searches would)\.")).wait_for()
    # Another choice is compared with it.
    page.keyboard.press("u")
    page.wait_for_function("() => !location.hash.includes('moves=')")
    page.wait_for_selector("[data-move]")
    bars = [bar for bar in judged["analysis"]["bars"] if bar["value"] is not None]
    worst = min(bars, key=lambda bar: bar["value"])
    page.locator(f"[data-move='{worst['id']}']").click()
    page.wait_for_function("() => location.hash.includes('moves=')")
    page.wait_for_selector("[data-move]")
    page.get_by_role("button", name="How good was that?").click()
    better = re.compile(
        r"(Better:|Most searches prefer) .+, by \d\.\d\d points \(95 % interval \d\.\d\d to \d\.\d\d\)\."
    )
    page.get_by_text(better).wait_for()


def test_opponents_have_three_levels_and_a_running_score(page: Any, address: str) -> None:
    open_view(page, address, "#play/schwinget?seed=5&agent=greedy&seat=0")
    options = page.locator("select[name=agent] option").all_inner_texts()
    assert [option.split(":")[0] for option in options[:3]] == ["Beginner", "Club player", "Expert"]
    assert "against the beginner" in page.inner_text("main h2")
    play_on(page)
    said = page.inner_text(".prompt")
    assert re.match(r"(You win|You lose|A draw,) \d to \d: ", said), said
    tally = page.inner_text(".tally")
    assert re.fullmatch(r"Won \d, lost \d(, 1 draw)?", tally)
    # The same deal counts once.
    page.keyboard.press("u")
    page.wait_for_selector("[data-move]")
    play_on(page)
    assert page.inner_text(".tally") == tally
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_function("() => location.hash.includes('seat=1') && !location.hash.includes('seed=5&')")
    page.wait_for_selector("[data-move]")
    play_on(page)
    assert sum(int(number) for number in re.findall(r"\d+", page.inner_text(".tally"))) == 2
    page.reload()
    page.wait_for_selector(".tally:not(:empty)")
    assert sum(int(number) for number in re.findall(r"\d+", page.inner_text(".tally"))) == 2


def test_a_newcomer_is_led_through_three_lessons(page: Any, address: str) -> None:
    open_view(page, address, DEAL)
    page.get_by_role("button", name="New here? Learn it").click()
    page.wait_for_function("() => location.hash.includes('seed=187')")
    for number, needed in enumerate(["must play", "is trump", "you may attack"]):
        page.wait_for_function(
            "number => document.querySelector('.tally').textContent.includes(number)", arg=f"{number + 1} of 3"
        )
        notes = []
        for move in range(20):
            wait_for_turn(page)
            if page.locator(".lesson").count():
                notes.append(page.inner_text(".lesson"))
            if page.locator("[data-move]").count() == 0:
                break
            # Coming back, one reads the same.
            if move == 1:
                shown = page.inner_text(".happened")
                page.reload()
                wait_for_turn(page)
                assert page.inner_text(".happened") == shown
            attack = page.get_by_role("button", name="attack")
            if number == 2 and move == 1 and attack.count():
                attack.click()
                page.wait_for_function("() => document.body.innerText.includes('The pile is locked')")
                notes.append(page.inner_text(".lesson"))
                page.locator("[data-move]").first.click()
                page.wait_for_function("() => !document.body.innerText.includes('The pile is locked')")
                continue
            choose(page, move)
        assert any(needed in note for note in notes), (number, notes)
        # Each is said once.
        assert len(set(notes)) == len(notes)
        assert len(set(notes)) >= 3, (number, notes)
        # A lesson can be repeated, won or lost.
        url = page.url
        page.get_by_role("button", name="Again", exact=True).click()
        page.wait_for_function("() => !location.hash.includes('moves=')")
        page.get_by_role("button", name="How good was that?").wait_for()
        page.go_back()
        page.wait_for_function("url => location.href === url", arg=url)
        page.locator(".actions .primary").wait_for()
        page.locator(".actions .primary").click()
    # The lessons do not count, and an ordinary bout follows. They are not offered any more.
    page.wait_for_function(
        "() => location.hash.startsWith('#play/schwinget?seed=') && !location.hash.includes('moves')"
    )
    wait_for_prompt(page, "Your turn")
    assert "against the beginner" in page.inner_text("main h2")
    assert page.inner_text(".tally") == ""


def test_a_note_of_a_lesson_waits_for_the_person(new_page: Any, address: str) -> None:
    page = new_page()
    page.add_init_script(
        """window.said = [];
        new MutationObserver(() => {
          const note = document.querySelector(".lesson")?.textContent;
          const prompt = document.querySelector(".prompt")?.textContent ?? "";
          if (note && prompt.includes("is thinking")) window.said.push(note);
          if (prompt.includes("is thinking")) window.thought = true;
        }).observe(document, { childList: true, subtree: true, characterData: true });"""
    )
    open_view(page, address, lesson(0))
    choose(page)
    # The last events stand before the note.
    assert re.match(r".+ takes? the trick\. .", page.inner_text(".happened"))
    assert page.locator(".lesson").count() == 1
    assert page.get_by_role("button", name="New deal").count() == 0
    page.get_by_role("button", name="Again").click()
    page.wait_for_function("() => !location.hash.includes('moves=')")
    assert "seed=187" in page.url
    page.wait_for_selector("[data-move]")
    play_on(page)
    assert "points" in page.inner_text(".lesson")
    assert page.evaluate("thought")
    assert page.evaluate("said") == []


def test_games_begin_at_the_top_of_a_phone(new_page: Any, address: str) -> None:
    page = new_page(SMALL, has_touch=True, is_mobile=True)
    open_view(page, address, DEAL)
    page.get_by_text("Learn Schwinget in three short bouts").click()
    page.get_by_role("button", name="1. Follow suit").click()
    page.wait_for_function("() => location.hash.includes('seed=187')")
    page.wait_for_selector(".lesson")
    assert page.evaluate("scrollY") == 0
    page.get_by_role("link", name="Deal of the day").click()
    page.wait_for_function("() => document.querySelector('main h2')?.textContent.startsWith('Deal of the day, ')")
    page.wait_for_selector("[data-move]")
    assert page.evaluate("scrollY") == 0
    assert page.title().startswith("Deal of the day, ")


def test_the_goal_is_told_where_the_opponent_moves_first(page: Any, address: str) -> None:
    open_view(page, address, "#play/schwinget?seed=6&agent=network&seat=1")
    told = page.inner_text(".happened")
    assert re.match(r"Win more tricks than the opponent, .+\. The opponent attacks\.", told), told


def test_players_are_called_by_name_and_no_one_by_seat(page: Any, address: str) -> None:
    for game, names in {
        "schwinget": ["Opponent", "You"],
        "schwimmen": ["Left", "Right", "You"],
        "up_and_down": ["Left", "Across", "Right", "You"],
    }.items():
        open_view(page, address, f"#play/{game}?seed=7&agent=greedy&seat=0")
        assert page.locator(".place strong").all_inner_texts() == names
        choose(page)
        assert not re.search(r"\bseat \d", page.inner_text(".main"), re.IGNORECASE)


def test_rules_have_an_example_in_pictures(page: Any, address: str) -> None:
    open_view(page, address, DEAL)
    page.get_by_text("Rules of Schwinget").click()
    example = page.locator(".example").first
    assert example.locator(".card").count() == 2
    assert example.locator(".won").count() == 1
    assert "higher green card wins" in example.inner_text()


def test_tables_and_lessons_are_accessible_on_a_phone(new_page: Any, address: str) -> None:
    page = new_page(SMALL, has_touch=True)
    views = [
        f"#play/{game}?seed=7&agent=greedy" for game in ("schwinget", "up_and_down", "schweins_galopp", "schwimmen")
    ]
    for view in [*views, *map(lesson, range(3))]:
        open_view(page, address, view)
        for _ in range(2):
            choose(page, 1)
        assert axe_in_both_schemes(page) == [], view


def test_questions_take_turns_and_tell_no_wrong_number(page: Any, address: str) -> None:
    """The last of several questions is answered, from its own position, while the panel beside the table waits."""
    open_view(page, address, DEAL)
    choose(page)
    cost = page.get_by_role("button", name="How good was that?")
    turn = page.locator(".prompt").inner_text()
    cost.click()
    told = re.compile("^You played ")
    page.locator(".happened", has_text=told).wait_for()
    answer = page.locator(".happened").inner_text()
    page.locator(".knowledge").evaluate("panel => { panel.open = true; }")
    page.locator(".knowledge h4", has_text="What a search thinks").wait_for()
    page.evaluate("""async () => {
      const said = window.said = [];
      const happened = document.querySelector(".happened");
      new MutationObserver(() => said.push(happened.textContent)).observe(happened, { childList: true });
      for (const name of ["Hint", "Hint", "How good was that?"]) {
        [...document.querySelectorAll("button")].find((one) => one.textContent === name).click();
        await new Promise((resolve) => setTimeout(resolve));
      }
    }""")
    page.locator(".happened", has_text=told).wait_for()
    assert page.locator(".happened").inner_text() == answer
    # The prompt stays.
    assert page.locator(".prompt").inner_text() == turn
    # The panel goes on with its own searches.
    page.locator(".knowledge", has_text="of 30 searches").wait_for()
    thinking = ["The search thinks about a hint."] * 2 + ["The search thinks about your last choice."]
    assert page.evaluate("window.said") == [*thinking, answer]


def test_play_begins_with_damaged_storage(page: Any, address: str) -> None:
    page.goto(address)
    page.evaluate("""() => {
      for (const key of ["scores", "trainer-wrong", "trainer-streak", "keys"]) localStorage["stier-" + key] = "{}";
      sessionStorage["stier-games"] = "{}";
    }""")
    open_view(page, address, DEAL)
    choose(page)
    assert page.get_by_role("button", name="New here? Learn it").count() == 1
    open_view(page, address, "#trainer?seed=5")
    page.get_by_role("button", name="Attack").click()
    page.locator(".answer").wait_for()


def test_a_bid_of_the_opponent_is_told_once_it_is_known(page: Any, address: str) -> None:
    open_view(page, address, "#play/goofspiel?seed=7&agent=random&seat=1")
    bid = ask(page, "decide", {"game": "goofspiel", "rules": "", "seed": "7", "moves": []}, "random", "7")
    assert "had chosen" not in page.locator(".happened").inner_text()
    # After equal bids nobody has points: so they were equal.
    choose(page, bid["id"])
    assert f"The opponent had chosen: {bid['name']}." in page.locator(".happened").inner_text()
    # Above the lowest bid there are several.
    page.keyboard.press("u")
    page.wait_for_function("() => !location.hash.includes('moves=')")
    page.wait_for_selector("[data-move]")
    choose(page)
    assert bid["id"] != 0
    assert "had chosen" not in page.locator(".happened").inner_text()


def test_the_board_of_dark_hex_shows_what_the_person_knows(page: Any, address: str) -> None:
    # The stone on a1 stood in the way; that on c2 has not been met.
    open_view(page, address, "#play/dark_hex?rules=rows=2&seed=7&agent=random&seat=1&from=0.0.1.5")
    stones = page.locator(".board [role=img]")
    assert [stone.get_attribute("aria-label") for stone in stones.all()] == [
        "a1: stone of the opponent",
        "b1: stone of you",
    ]
    assert page.locator(".board button").all_inner_texts() == ["c1", "a2", "b2", "c2"]
    goals = page.locator(".place .remark").filter(has_text="goal").all_inner_texts()
    assert goals == ["goal: row 1 to row 2", "goal: column a to column c"]
